# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse URLs as Go's net/url does for the installer, with its error messages."""

from __future__ import annotations

import dataclasses
import re
from urllib.parse import unquote

from .texts import quoted

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_ESCAPE = re.compile(r"%(?P<two>..?)?", re.DOTALL)
_HOST_CHARACTERS = re.compile(r"[A-Za-z0-9\-_.~!$&'()*+,;=:\[\]<>\"%]|[^\x00-\x7f]")
_USERINFO = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclasses.dataclass(frozen=True)
class Url:
    """A parsed URL. ``host`` and ``port`` are without brackets and colon; ``opaque`` is set for ``scheme:text`` without
    a slash.
    """

    scheme: str = ""
    host: str = ""
    port: str = ""
    opaque: str = ""


class UrlError(ValueError):
    """Why a text is no URL, in the library's words."""


def parse(text: str) -> Url:
    """Any URL reference, a relative one too; raises UrlError."""
    address = text.partition("#")[0]
    try:
        return _parse(address, request=False)
    except UrlError as error:
        raise UrlError(f"parse {quoted(text)}: {error}") from None


def parse_request_uri(text: str) -> Url:
    """An absolute URI or an absolute path, as for requests; raises UrlError."""
    try:
        return _parse(text, request=True)
    except UrlError as error:
        raise UrlError(f"parse {quoted(text)}: {error}") from None


def _parse(text: str, *, request: bool) -> Url:
    if _CONTROL.search(text):
        raise UrlError("net/url: invalid control character in URL")
    if not text and request:
        raise UrlError("empty url")
    if text == "*":
        return Url()
    scheme, rest = _scheme(text)
    rest = rest.partition("?")[0]
    if not rest.startswith("/"):
        if scheme:
            return Url(scheme, opaque=rest)
        if request:
            raise UrlError("invalid URI for request")
        if ":" in rest.partition("/")[0]:
            raise UrlError("first path segment in URL cannot contain colon")
    host, port = "", ""
    if (scheme or (not request and not rest.startswith("///"))) and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        host, port = _authority(authority)
    _check_escapes(rest, rest)
    return Url(scheme, host, port)


def _scheme(text: str) -> tuple[str, str]:
    match = _SCHEME.match(text)
    if text.startswith(":"):
        raise UrlError("missing protocol scheme")
    if match is None or not text[match.end() :].startswith(":"):
        return "", text
    return match[0].lower(), text[match.end() + 1 :]


def _authority(authority: str) -> tuple[str, str]:
    userinfo, at, host = authority.rpartition("@")
    if at:
        if not _USERINFO.fullmatch(userinfo):
            raise UrlError("net/url: invalid userinfo")
        _check_escapes(userinfo, userinfo)
    return _host(host)


def _host(host: str) -> tuple[str, str]:
    if host.startswith("["):
        end = host.rfind("]")
        if end < 0:
            raise UrlError("missing ']' in host")
        port = host[end + 1 :]
        _check_port(port)
        return host[1:end].partition("%25")[0], port.removeprefix(":")
    name, colon, port = host.rpartition(":")
    if colon:
        _check_port(colon + port)
    _check_escapes(host, host, host=True)
    for character in host:
        if not _HOST_CHARACTERS.match(character):
            raise UrlError(f"invalid character {quoted(character)} in host name")
    return (unquote(name), port) if colon else (unquote(host), "")


def _check_port(text: str) -> None:
    if text and not re.fullmatch(r":[0-9]*", text):
        raise UrlError(f"invalid port {quoted(text)} after host")


def _check_escapes(text: str, whole: str, *, host: bool = False) -> None:
    for match in _ESCAPE.finditer(text):
        escape = whole[match.start() : match.start() + 3]
        # In the name of a host only characters beyond ASCII may be escaped.
        if not re.fullmatch(r"%[0-9A-Fa-f]{2}", escape) or (host and escape[1] < "8" and escape != "%25"):
            raise UrlError(f"invalid URL escape {quoted(escape)}")
