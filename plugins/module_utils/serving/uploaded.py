# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Publish an image with method ``upload``: send it, and other files that hosts load, to an HTTP server that accepts
PUT.

The image is at ``<url>/<token>/<name>.iso``, files of ``boot-artifacts/`` are at ``<url>/<name>``. Section ``publish``
of state.json records each URL, and is stored, before the first upload, so that a later run can delete the files of a
killed run. After the upload it records the version of the file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..common.clock import Clock
from ..common.errors import ZeroTouchError
from ..common.http import HttpClient
from ..common.state import StateFile
from ..common.store_link import StoreLink
from ..common.tls import Tls
from .options import Publication, PublishOptions, image_url
from .transfer import SERVICE, FileTransfer, StoredFile, shown


@dataclasses.dataclass(frozen=True)
class UploadTarget:
    """A local file, and the URL at which BMCs and hosts read it."""

    file: Path
    url: str


@dataclasses.dataclass(frozen=True)
class UploadStep:
    """An upload, and why it is necessary."""

    target: UploadTarget
    reason: str


def publish(
    image: Path,
    beside: Sequence[Path],
    state: StateFile,
    options: PublishOptions,
    token: str,
    clock: Clock,
    *,
    known: bool,
    check_mode: bool,
) -> Publication:
    """Upload what the server does not have. ``known``: the token is recorded, so that the server may have it already.

    Raises :class:`ZeroTouchError` when a file cannot be uploaded, or the server stores other bytes than were sent.
    """
    transfer = _transfer(options, clock)
    targets = {file: UploadTarget(file, f"{options.url.rstrip('/')}/{quote(file.name)}") for file in beside}
    # The image of a network boot is one of these files.
    target = targets.setdefault(image, UploadTarget(image, image_url(options.url, token, image)))
    recorded = state.section("publish")
    warnings: list[str] = []
    steps = plan(
        list(targets.values()), recorded.get("uploads") or {}, transfer, options, warnings, look=known or bool(beside)
    )
    changed = bool(steps) or recorded.get("url") != target.url
    if not check_mode:
        if steps:
            state.update("publish", {"method": "upload", "token": token})
            for step in steps:
                _record(state, step.target.url, {})
            StoreLink(state.path.parent, clock).save()
        for step in steps:
            _upload(step.target, state, transfer, options, warnings)
        if changed:
            state.update("publish", {"method": "upload", "url": target.url, "path": str(image), "token": token})
    reason = (
        "; ".join(f"upload {step.target.file.name}: {step.reason}" for step in steps) or "the server has the same bytes"
    )
    return Publication(changed, reason, "upload", target.url, str(image), warnings=tuple(dict.fromkeys(warnings)))


def plan(
    targets: Sequence[UploadTarget],
    uploads: Mapping[str, Any],
    transfer: FileTransfer,
    options: PublishOptions,
    warnings: list[str],
    *,
    look: bool,
) -> list[UploadStep]:
    """The uploads that are necessary. ``uploads`` is what earlier runs have recorded."""
    steps = []
    for target in targets:
        if not target.file.is_file():
            steps.append(UploadStep(target, "it is not built yet"))
            continue
        found = (
            transfer.compare(target.file, target.url, whole=options.verify == "digest")
            if look
            else StoredFile("it is new")
        )
        if reason := _difference(target, uploads.get(target.url) or {}, found, options):
            steps.append(UploadStep(target, reason))
        else:
            warnings += found.warnings
    return steps


def _difference(target: UploadTarget, recorded: Mapping[str, Any], found: StoredFile, options: PublishOptions) -> str:
    if found.fault or options.verify == "digest":
        return found.fault
    # The samples of another version of the file may be the same.
    if recorded.get("of") != _identity(target.file):
        return "no run has recorded that this version of the file is there"
    return "another process has replaced it there" if found.etag != recorded.get("etag", "") else ""


def _upload(
    target: UploadTarget, state: StateFile, transfer: FileTransfer, options: PublishOptions, warnings: list[str]
) -> None:
    transfer.put(target.file, target.url)
    identity = _identity(target.file)
    found = transfer.compare(target.file, target.url, whole=options.verify == "digest")
    if found.refused:
        raise ZeroTouchError(
            f"{SERVICE}: {found.fault}.",
            ("Let the server allow reading without credentials, from the addresses of the BMCs at least."),
        )
    if found.fault:
        raise ZeroTouchError(
            f"{SERVICE} stores other bytes than were uploaded: {found.fault}.",
            "Check that the server neither changes nor caches files, and that PUT and GET of openshift_publish.url "
            "lead to the same place.",
        )
    warnings += found.warnings
    _record(state, target.url, {"of": identity, "etag": found.etag})


def withdraw(
    state: StateFile, options: PublishOptions, clock: Clock, *, check_mode: bool
) -> tuple[bool, str, tuple[str, ...]]:
    """Delete the uploaded files if ``delete`` is set; returns whether there were any to delete, what was done with
    them, and warnings.

    The headers are sent to the server of ``options.url`` only, so files on another one stay.
    """
    uploads = list(state.section("publish").get("uploads") or {})
    if not uploads:
        return False, "", ()
    if options.method != "upload" or not options.delete:
        words = (
            f"{len(uploads)} uploaded files stay on the server, and contain credentials; openshift_publish.delete "
            "deletes them"
        )
        return False, words, ()
    transfer = _transfer(options, clock)
    own = [url for url in uploads if transfer.is_own(url)]
    if not check_mode:
        for url in own:
            transfer.delete(url)
            _record(state, url, None)
    others = [shown(url) for url in uploads if url not in own]
    if not others:
        return True, "the uploaded files are deleted", ()
    warning = (
        f"Uploaded files stay on another server than that of openshift_publish.url: {', '.join(others)}. They contain "
        "credentials. Delete them yourself."
    )
    if not own:
        return False, "uploaded files stay on another server", (warning,)
    return True, "the uploaded files are deleted, except those on another server", (warning,)


def _record(state: StateFile, url: str, entry: Mapping[str, Any] | None) -> None:
    uploads = {**(state.section("publish").get("uploads") or {}), url: entry}
    state.update("publish", {"uploads": {key: value for key, value in uploads.items() if value is not None} or None})


def _identity(file: Path) -> list[int]:
    status = file.stat()
    return [status.st_size, status.st_mtime_ns]


def _transfer(options: PublishOptions, clock: Clock) -> FileTransfer:
    tls = Tls(ca_certs=(options.ca_cert,) if options.ca_cert else ())
    return FileTransfer(HttpClient(SERVICE, options.url, tls, options.connect_to), dict(options.headers), clock)
