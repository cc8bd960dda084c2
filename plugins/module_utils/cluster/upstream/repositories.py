# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check names of image repositories and of images, as the installer's library does.

Source: openshift/installer pkg/types/validation/installconfig.go.
"""

from __future__ import annotations

import re

from .texts import host_error

_COMPONENT = r"[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*"
_LABEL = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_DOMAIN = rf"{_LABEL}(?:\.{_LABEL})*(?::[0-9]+)?"
_NAME = rf"(?:{_DOMAIN}/)?{_COMPONENT}(?:/{_COMPONENT})*"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*[:][0-9a-fA-F]{32,}"
_REFERENCE = re.compile(rf"(?P<name>{_NAME})(?::(?P<tag>[\w][\w.-]{{0,127}}))?(?:@(?P<digest>{_DIGEST}))?", re.ASCII)
_IDENTIFIER = re.compile(r"[a-f0-9]{64}")
_LONGEST_NAME = 255
_DIGEST_LENGTHS = {"sha256": 64, "sha384": 96, "sha512": 128}
_DEFAULT_DOMAIN = "docker.io"
# Newer versions of the library know IPv6 addresses.
_IPV6_HOST = re.compile(r"\[[0-9a-fA-F:]+\](?::[0-9]+)?")


def repository_error(text: str) -> str:
    """Why a text is neither a repository (``host[:port]/path``) nor a registry (``host[:port]``); empty when it is
    one.
    """
    error, canonical = _parse(text)
    if error:
        return f"failed to parse: {error}"
    if canonical:
        match = _REFERENCE.fullmatch(text)
        return "must be repository--not reference" if match and (match["tag"] or match["digest"]) else ""
    error = host_error(_without_port(text))
    return f"the repository provided is invalid: {error}" if error else ""


def image_error(text: str) -> str:
    """Why a text is not an image with its registry, ``host[:port]/path[:tag][@digest]``; empty when it is one."""
    host, _slash, rest = text.partition("/")
    if _IPV6_HOST.fullmatch(host):
        host = "localhost"
    elif host != "localhost" and not any(mark in host for mark in ".:"):
        return "it begins with no registry"
    return _parse(f"{host}/{rest}")[0]


def _parse(text: str) -> tuple[str, bool]:
    """What is wrong with a reference, and whether it is written in full."""
    if _IDENTIFIER.fullmatch(text):
        return f"invalid repository name ({text}), cannot specify 64-byte hexadecimal strings", False
    domain, remainder = _split(text)
    name = remainder.partition(":")[0]
    if name.lower() != name:
        return "invalid reference format: repository name must be lowercase", False
    full = f"{domain}/{remainder}"
    match = _REFERENCE.fullmatch(full)
    if match is None:
        upper = _REFERENCE.fullmatch(full.lower()) is not None
        return "repository name must be lowercase" if upper else "invalid reference format", False
    if len(match["name"]) > _LONGEST_NAME:
        return f"repository name must not be more than {_LONGEST_NAME} characters", False
    digest_error = _digest_error(match["digest"]) if match["digest"] else ""
    return digest_error, full == text


def _digest_error(digest: str) -> str:
    algorithm, _colon, digits = digest.partition(":")
    if algorithm not in _DIGEST_LENGTHS:
        return "unsupported digest algorithm"
    if len(digits) != _DIGEST_LENGTHS[algorithm]:
        return "invalid checksum digest length"
    return "" if re.fullmatch(r"[a-f0-9]*", digits) else "invalid checksum digest format"


def _split(text: str) -> tuple[str, str]:
    first, slash, rest = text.partition("/")
    known = slash and (any(mark in first for mark in ".:") or first == "localhost")
    domain, remainder = (first, rest) if known else (_DEFAULT_DOMAIN, text)
    if domain == "index.docker.io":
        domain = _DEFAULT_DOMAIN
    return domain, f"library/{remainder}" if domain == _DEFAULT_DOMAIN and "/" not in remainder else remainder


def _without_port(text: str) -> str:
    """The host of ``host:port``; the text itself where it has another form."""
    match = re.fullmatch(r"\[(?P<six>[^\[\]]*)\]:[^:\[\]]*|(?P<host>[^:\[\]]*):[^:\[\]]*", text)
    if match is None:
        return text
    return match["host"] if match["six"] is None else match["six"]
