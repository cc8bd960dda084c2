# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""How to publish an image, and what came of it (design 1.2 ``openshift_publish``)."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, urlsplit

from ..common.connect import DIRECT, ConnectTo
from ..common.problems import INVALID, REQUIRED, Problem
from .route import Peer

Method = Literal["serve", "directory", "none"]
METHODS = ("serve", "directory", "none")
DEFAULT_LISTEN = "0.0.0.0"
# Longer than any installation takes, limits of all phases included; a forgotten server is gone the day after.
DEFAULT_LIFE = 24 * 3600


@dataclasses.dataclass(frozen=True)
class PublishOptions:
    """``url`` is the base URL that BMCs use, for method ``none`` the image's own URL; empty = made from the address that routes to ``peers``.

    ``port`` 0 is any free one, ``max_seconds`` bounds the life of our server, ``mode`` is that of a copy.
    """

    method: Method = "serve"
    listen: str = DEFAULT_LISTEN
    port: int = 0
    url: str = ""
    directory: str = ""
    mode: int = 0o640
    certificate: str = ""
    key: str = ""
    max_seconds: float = DEFAULT_LIFE
    peers: tuple[Peer, ...] = ()
    connect_to: ConnectTo = DIRECT

    @property
    def scheme(self) -> str:
        return "https" if self.certificate else "http"


@dataclasses.dataclass(frozen=True)
class Publication:
    """What BMCs are told, and why it changed or did not. A port of 0 is one that only a real run can know."""

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
        """The shape of the door's result; warnings go their own way."""
        return {name: value for name, value in dataclasses.asdict(self).items() if name != "warnings"}


def image_url(base: str, token: str, image: Path) -> str:
    """Base URL, one directory that nobody can guess, a name that ends in ``.iso`` (reference redfish-virtual-media.md 4)."""
    return f"{base.rstrip('/')}/{token}/{quote(image_name(image))}"


def image_name(image: Path) -> str:
    return image.name if image.name.endswith(".iso") else f"{image.stem}.iso"


def check_options(options: PublishOptions) -> list[Problem]:
    """Everything that is wrong with the options by themselves."""
    problems = []

    def wrong(key: str, kind: str, detail: str, value: str = "") -> None:
        problems.append(Problem(f"openshift_publish.{key}", kind, detail, layer="ours", check="publish", value=value))

    if options.method == "directory" and not options.directory:
        wrong("directory", REQUIRED, "method directory needs the directory to copy the image to")
    if options.method in ("directory", "none") and not options.url:
        wrong("url", REQUIRED, f"method {options.method} needs the URL by which BMCs reach the image")
    elif options.url and not _is_http(options.url):
        wrong("url", INVALID, "must be an http or https URL with a host", options.url)
    elif options.method == "none" and not _usable_by_bmcs(options.url):
        wrong("url", INVALID, "must end in .iso, have a directory in its path and no query: several BMCs take no other", options.url)
    if not 0 <= options.port <= 65535:
        wrong("port", INVALID, "must be from 0 (any free one) to 65535", str(options.port))
    if options.key and not options.certificate:
        wrong("tls.certificate", REQUIRED, "a key needs its certificate")
    if options.max_seconds <= 0:
        wrong("max_seconds", INVALID, "must be greater than 0", f"{options.max_seconds:g}")
    return problems


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _usable_by_bmcs(url: str) -> bool:
    parts = urlsplit(url)  # reference redfish-virtual-media.md 4
    return parts.path.endswith(".iso") and parts.path.count("/") >= 2 and not parts.query
