# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read and check ``openshift_publish``, the options for publishing an image, and define the result of publishing."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, urlsplit

from ..bmc.image_url import PROTOCOLS, check_image_url
from ..common.connect import DIRECT, ConnectTo
from ..common.problems import FORBIDDEN, INVALID, REQUIRED, UNKNOWN_FIELD, UNSUPPORTED, Problem, nearest
from . import listening
from .certificate import check_pair
from .problems import problem
from .route import Peer

Method = Literal["serve", "directory", "upload", "none"]
METHODS = ("serve", "directory", "upload", "none")
KEYS = ("method", "listen", "port", "url", "directory", "mode", "tls", "headers", "verify", "delete", "image_access")
Verify = Literal["ranges", "digest"]
VERIFY = ("ranges", "digest")
TLS_KEYS = ("certificate", "key")
ACCESS_KEYS = ("username", "password", "ca_cert", "validate_certs")
# Methods whose URL may be that of a share: BMCs read it without HTTP.
_SHARED = ("directory", "none")
DEFAULT_LISTEN = "0.0.0.0"
DEFAULT_MODE = 0o640
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*\S[\t\x20-\x7e]*")
_BLANK = re.compile(r"[\s\x00-\x1f\x7f]")
_YES, _NO = ("true", "yes", "1", "on"), ("false", "no", "0", "off")
USERINFO = (
    "the URL must not contain a user or password: every BMC shows it and writes it to its log. Allow the "
    "addresses of the BMCs on the server, or use a path that cannot be guessed"
)
_PORT_OF_URL = (
    "method serve with url needs the port on which the server listens: your proxy or port forwarding must lead to it. "
    "Without port the server listens on any free one"
)
# Longer than any installation takes, limits of all phases included; a forgotten server is gone the day after.
DEFAULT_LIFE = 24 * 3600


@dataclasses.dataclass(frozen=True)
class PublishOptions:
    """``url`` is the base URL that BMCs use, for method ``none`` the image's own URL; empty = made from the address
    that routes to ``peers``.

    ``headers`` (secret) go with uploads, ``verify`` says how they are compared, ``delete`` that they are deleted when
    the image is withdrawn; ``ca_cert`` is trusted there. ``image_access`` (secret) is how BMCs log in at the server and
    whether they verify its certificate. ``port`` 0 is any free one, ``max_seconds`` bounds the life of our server,
    ``mode`` is that of a copy. Paths are absolute.
    """

    method: Method = "serve"
    listen: str = DEFAULT_LISTEN
    port: int = 0
    url: str = ""
    directory: str = ""
    mode: int = DEFAULT_MODE
    certificate: str = ""
    key: str = ""
    headers: tuple[tuple[str, str], ...] = dataclasses.field(default=(), repr=False)
    verify: Verify = "ranges"
    delete: bool = False
    image_access: tuple[tuple[str, Any], ...] = dataclasses.field(default=(), repr=False)
    ca_cert: str = ""
    max_seconds: float = DEFAULT_LIFE
    peers: tuple[Peer, ...] = ()
    connect_to: ConnectTo = DIRECT

    @property
    def scheme(self) -> str:
        return "https" if self.certificate else "http"


@dataclasses.dataclass(frozen=True)
class Publication:
    """The URL that BMCs get, and why it changed or did not. A port of 0 is one that only a real run can know."""

    changed: bool
    reason: str
    method: Method
    url: str
    path: str
    listen: str = ""
    port: int = 0
    pid: int = 0
    copy_path: str = ""
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The shape of the module's result; warnings go their own way."""
        return {name: value for name, value in dataclasses.asdict(self).items() if name != "warnings"}


def userinfo_in(url: str) -> bool:
    """Whether a URL names a user or a password, also one whose scheme was left out."""
    scheme, mark, rest = url.partition("://")
    return "@" in (rest if mark else scheme).partition("/")[0]


def image_url(base: str, token: str, image: Path) -> str:
    """Base URL, one directory that cannot be guessed, a name that ends in ``.iso``.

    Source: docs/upstream/redfish.md#image-urls.
    """
    return f"{base.rstrip('/')}/{token}/{quote(image_name(image))}"


def image_name(image: Path) -> str:
    return image.name if image.name.endswith(".iso") else f"{image.stem}.iso"


def read_publish(provided: Mapping[str, Any], directory: str = "") -> tuple[PublishOptions, list[Problem]]:
    """``openshift_publish`` as options, and everything in it that cannot be read; relative paths are from
    ``directory``. Never raises.
    """
    problems = [
        _problem(str(key), UNKNOWN_FIELD, f"known: {', '.join(KEYS)}", hint=nearest(str(key), KEYS))
        for key in provided
        if key not in KEYS
    ]
    known = {key: provided[key] for key in KEYS if provided.get(key) is not None}
    for key in ("listen", "url", "directory"):
        if not isinstance(known.get(key, ""), str):
            problems.append(_problem(key, INVALID, "must be a string"))
            del known[key]
    method = known.get("method", "serve")
    if method not in METHODS:
        problems.append(
            _problem(
                "method",
                UNSUPPORTED,
                f"supported values: {', '.join(METHODS)}",
                str(method),
                nearest(str(method), METHODS),
            )
        )
        method = "serve"
    if userinfo_in(known.get("url", "")):
        problems.append(_problem("url", FORBIDDEN, USERINFO))
        del known["url"]
    tls = _read_tls(known.get("tls", {}), problems)
    options = PublishOptions(
        method=method,
        listen=known.get("listen") or DEFAULT_LISTEN,
        port=_read_port(known.get("port", 0), problems),
        url=known.get("url", ""),
        directory=_absolute(known.get("directory", ""), directory),
        mode=_read_mode(known.get("mode", DEFAULT_MODE), problems),
        certificate=_absolute(tls.get("certificate", ""), directory),
        key=_absolute(tls.get("key", ""), directory),
        headers=_read_headers(known.get("headers", {}), problems),
        verify=_read_verify(known.get("verify", "ranges"), problems),
        delete=_read_delete(known.get("delete", False), problems),
        image_access=_read_access(known.get("image_access", {}), directory, problems),
    )
    return options, problems


def as_provided(options: PublishOptions) -> dict[str, Any]:
    """The options in the shape of ``openshift_publish``, defaults filled in: what :func:`read_publish` reads as the
    same options.
    """
    provided: dict[str, Any] = {
        "method": options.method,
        "mode": f"{options.mode:04o}",
        "listen": options.listen,
        "port": options.port,
    }
    provided |= {key: value for key, value in (("url", options.url), ("directory", options.directory)) if value}
    if options.method == "upload":
        provided |= {"headers": dict(options.headers), "verify": options.verify, "delete": options.delete}
    provided |= {"image_access": dict(options.image_access)} if options.image_access else {}
    tls = {key: value for key, value in (("certificate", options.certificate), ("key", options.key)) if value}
    return {**provided, "tls": tls} if tls else provided


def _read_tls(value: Any, problems: list[Problem]) -> dict[str, str]:
    if not isinstance(value, Mapping):
        problems.append(_problem("tls", INVALID, "must be a mapping with certificate and key"))
        return {}
    problems += [
        _problem(f"tls.{key}", UNKNOWN_FIELD, "known: certificate, key", hint=nearest(str(key), TLS_KEYS))
        for key in value
        if key not in TLS_KEYS
    ]
    wrong = [key for key in TLS_KEYS if not isinstance(value.get(key) or "", str)]
    problems += [_problem(f"tls.{key}", INVALID, "must be the path of a PEM file") for key in wrong]
    return {key: value[key] for key in TLS_KEYS if value.get(key) and key not in wrong}


def _read_headers(value: Any, problems: list[Problem]) -> tuple[tuple[str, str], ...]:
    """The values are secret: they are in no problem."""
    if not isinstance(value, Mapping):
        problems.append(_problem("headers", INVALID, "must be a mapping of header names to values"))
        return ()
    good = {
        str(name): text.strip()
        for name, text in value.items()
        if _HEADER_NAME.fullmatch(str(name)) and _is_header_value(text)
    }
    wrong = [str(name) for name in value if str(name) not in good]
    problems += [
        _problem(f"headers.{name}", INVALID, ("must be the name of a header with a string of visible characters"))
        for name in wrong
    ]
    return tuple(good.items())


def _is_header_value(text: Any) -> bool:
    return isinstance(text, str) and _HEADER_VALUE.fullmatch(text) is not None


def _read_access(value: Any, directory: str, problems: list[Problem]) -> tuple[tuple[str, Any], ...]:
    """The values are secret: they are in no problem."""
    if not isinstance(value, Mapping):
        problems.append(_problem("image_access", INVALID, f"must be a mapping with {', '.join(ACCESS_KEYS)}"))
        return ()
    provided = {str(key): item for key, item in value.items() if item is not None}
    unknown = [key for key in provided if key not in ACCESS_KEYS]
    problems += [
        _problem(
            f"image_access.{key}", UNKNOWN_FIELD, f"known: {', '.join(ACCESS_KEYS)}", hint=nearest(key, ACCESS_KEYS)
        )
        for key in unknown
    ]
    found: dict[str, Any] = {}
    for key in ("username", "password", "ca_cert"):
        if key in provided and not isinstance(provided[key], str):
            problems.append(_problem(f"image_access.{key}", INVALID, "must be a string"))
        elif provided.get(key):
            found[key] = provided[key]
    if ("username" in found) is not ("password" in found):
        problems.append(
            _problem(
                "image_access.password" if "username" in found else "image_access.username",
                REQUIRED,
                "a login has both",
            )
        )
    if "ca_cert" in found and "BEGIN" not in found["ca_cert"]:
        found["ca_cert"] = _absolute(found["ca_cert"], directory)
    if "validate_certs" in provided:
        if str(provided["validate_certs"]).lower() not in (*_YES, *_NO):
            problems.append(_problem("image_access.validate_certs", INVALID, "must be true or false"))
        found["validate_certs"] = str(provided["validate_certs"]).lower() in _YES
    return tuple(found.items())


def _read_verify(value: Any, problems: list[Problem]) -> Verify:
    if value not in VERIFY:
        problems.append(
            _problem(
                "verify", UNSUPPORTED, f"supported values: {', '.join(VERIFY)}", str(value), nearest(str(value), VERIFY)
            )
        )
    return "digest" if value == "digest" else "ranges"


def _read_delete(value: Any, problems: list[Problem]) -> bool:
    if str(value).lower() not in (*_YES, *_NO):
        problems.append(_problem("delete", INVALID, "must be true or false", str(value)))
    return str(value).lower() in _YES


def _read_port(value: Any, problems: list[Problem]) -> int:
    text = str(value)
    if isinstance(value, bool) or not text.isascii() or not text.isdigit() or len(text) > 5 or int(text) > 65535:
        problems.append(_problem("port", INVALID, "must be a number from 0 (any free one) to 65535", text))
        return 0
    return int(text)


def _read_mode(value: Any, problems: list[Problem]) -> int:
    """Octal in quotes, or the number that YAML makes of octal digits without quotes.

    The image holds credentials: its copy is private by default, may be made readable for group and others, and is never
    writable for them.
    """
    fault = ""
    mode = DEFAULT_MODE
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 0o777:
        mode = value
    elif isinstance(value, str) and re.fullmatch(r"(0o|0)?[0-7]{3}", value):
        mode = int(value.replace("o", ""), 8)
    else:
        fault = 'must be octal and in quotes, such as "0640"'
    if mode & 0o022:
        fault = f"{mode:04o} lets others write to the image that machines boot; at most 0644"
    elif mode & 0o111 or not mode & 0o400:
        fault = f"{mode:04o} is no mode for an image: its owner must be able to read it, and it must not be executable"
    if fault:
        problems.append(_problem("mode", INVALID, fault, str(value)))
        return DEFAULT_MODE
    return mode


def check_options(options: PublishOptions, *, here: bool = True) -> list[Problem]:
    """Everything that is wrong with the options; with ``here`` also on this machine, whatever else runs on it."""
    problems = []
    if options.method == "directory" and not options.directory:
        problems.append(_problem("directory", REQUIRED, "method directory needs the directory to copy the image to"))
    elif here and options.method == "directory" and not os.path.isdir(options.directory):
        problems.append(
            _problem(
                "directory",
                INVALID,
                ("is the directory that your web server serves; it does not exist"),
                options.directory,
            )
        )
    if options.method in ("directory", "upload", "none") and not options.url:
        problems.append(
            _problem("url", REQUIRED, (f"method {options.method} needs the URL by which BMCs reach the image"))
        )
    elif options.url and (fault := _url_fault(options)):
        # A query may be a credential.
        problems.append(_problem("url", INVALID, fault, re.split("[?#]", options.url)[0]))
    elif options.url and options.method == "serve" and not options.port:
        problems.append(_problem("port", REQUIRED, _PORT_OF_URL))
    if options.key and not options.certificate:
        problems.append(_problem("tls.certificate", REQUIRED, "a key needs its certificate"))
    elif here and options.certificate and options.method == "serve":
        problems += check_pair(options.certificate, options.key)
    if here and options.method == "serve" and (fault := listening.why_not(options.listen, options.port)):
        problems.append(_problem("listen" if options.listen in fault else "port", INVALID, fault))
    if options.max_seconds <= 0:
        problems.append(problem("max_seconds", INVALID, "must be greater than 0", value=f"{options.max_seconds:g}"))
    return problems


def _url_fault(options: PublishOptions) -> str:
    if _BLANK.search(options.url):
        return "must not contain white space or control characters; write a space as %20"
    if options.method == "none":
        return check_image_url(options.url)
    if "?" in options.url or "#" in options.url:
        return "must have no query and no fragment: the path of the image is added at its end"
    schemes = tuple(PROTOCOLS) if options.method in _SHARED else ("http", "https")
    try:
        parts = urlsplit(options.url)
        fine = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine = False
    return "" if fine else f"must be a URL with a host, and one of the schemes {', '.join(schemes)}"


def _absolute(path: str, directory: str) -> str:
    with contextlib.suppress(ValueError):  # no name of a user
        path = os.path.expanduser(path)
    return str(Path(directory, path).absolute()) if path else ""


def _problem(key: str, kind: str, detail: str, value: str = "", hint: str = "") -> Problem:
    # A value with @ may contain a password.
    return problem(f"openshift_publish.{key}", kind, detail, value="" if "@" in value else value, hint=hint)
