# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Publish an image so that BMCs can read it, and withdraw it. The image is served by this collection, copied into a
directory that the user serves, uploaded, or served by the user.

This package manages section ``publish`` of state.json. Its token (128 random bits, the secret part of the path) is
created once for a deployment, so that its URL stays the same and media that a killed run left attached are recognised.
When the image is withdrawn, the token is no longer used: BMCs may have logged it.
"""

from __future__ import annotations

import dataclasses
import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..common.clock import Clock
from ..common.errors import InvalidInput, ZeroTouchError
from ..common.files import remove_leftovers
from ..common.state import StateFile
from ..common.store_link import StoreLink
from ..image.copy import patched_copy
from ..image.iso9660 import ImageFile
from . import served, uploaded
from .options import Publication, PublishOptions, check_options, image_name, image_url

# Replaces the token in predicted URLs: check mode creates none.
_PREDICTED_TOKEN = "predicted"
_TOKEN_BYTES = 16


def publish(
    image: Path,
    state: StateFile,
    options: PublishOptions,
    clock: Clock,
    *,
    beside: Sequence[Path] = (),
    check_mode: bool = False,
) -> Publication:
    """Make the image reachable; safe to repeat.

    In check mode nothing is written or started, and the image need not exist yet.

    ``beside`` are files that hosts load from the same server; only the method ``upload`` publishes them.

    Raises :class:`InvalidInput` for options, :class:`ZeroTouchError` when the image is missing or cannot be published.
    """
    problems = check_options(options)
    if problems:
        raise InvalidInput(problems)
    if not check_mode and not image.is_file():
        raise ZeroTouchError(f"{image} does not exist: there is no image to publish.")
    if state.section("publish").get("method", options.method) != options.method:
        _take_back(state, options, clock, check_mode)
    if options.method == "none":
        return _publish_elsewhere(image, state, options, check_mode)
    token = state.section("publish").get("token") or (
        _PREDICTED_TOKEN if check_mode else secrets.token_hex(_TOKEN_BYTES)
    )
    if options.method == "directory":
        return _publish_copy(image, state, options, str(token), clock, check_mode)
    if options.method == "upload":
        known = bool(state.section("publish").get("token"))
        return uploaded.publish(image, beside, state, options, str(token), clock, known=known, check_mode=check_mode)
    return served.publish(image, state, options, str(token), clock, check_mode)


def withdraw(
    state: StateFile, clock: Clock, options: PublishOptions | None = None, *, check_mode: bool = False
) -> Publication:
    """End our server, remove our copy, and forget the token, so that the next deployment has another URL; safe to
    repeat.

    Uploaded files are deleted only if ``options`` say so, and only on the server of ``options.url``; ``warnings`` name
    those on another one.
    """
    done = _take_back(state, options or PublishOptions(), clock, check_mode)
    if not check_mode and state.section("publish").keys() & {"token", "url"}:
        state.update("publish", {"token": None, "url": None})
    return done


def _take_back(state: StateFile, options: PublishOptions, clock: Clock, check_mode: bool) -> Publication:
    """The same within a deployment, whose token stays."""
    recorded = state.section("publish")
    copy = Path(recorded["copy"]) if recorded.get("copy") else None
    done = Publication(
        False,
        "nothing is published",
        recorded.get("method", "none"),
        recorded.get("url", ""),
        recorded.get("path", ""),
        recorded.get("listen", ""),
    )
    reasons = []
    if served.withdraw(state, clock, check_mode):
        reasons.append("the image server is stopped")
    if copy is not None and os.path.lexists(copy.parent):
        reasons.append("the copy is removed")
    if copy is not None and not check_mode:
        _remove(copy)
        state.update("publish", {"copy": None, "of": None})
    deleted, words, warnings = uploaded.withdraw(state, options, clock, check_mode=check_mode)
    if words:
        done = dataclasses.replace(done, reason=words, warnings=warnings)
    changed = bool(reasons) or deleted
    if not changed:
        return done
    return dataclasses.replace(done, changed=True, reason=", ".join(filter(None, [*reasons, words])))


def _publish_elsewhere(image: Path, state: StateFile, options: PublishOptions, check_mode: bool) -> Publication:
    if not check_mode and state.section("publish").get("url") != options.url:
        state.update("publish", {"method": "none", "url": options.url, "path": str(image)})
    return Publication(False, "the user serves the image", "none", options.url, str(image))


def _publish_copy(
    image: Path, state: StateFile, options: PublishOptions, token: str, clock: Clock, check_mode: bool
) -> Publication:
    directory = Path(options.directory)
    if not directory.is_dir():
        raise ZeroTouchError(
            f"{directory} does not exist.",
            ("openshift_publish.directory is the directory that your web server serves."),
        )
    target = directory / token / image_name(image)
    url = image_url(options.url, token, image)
    recorded = state.section("publish")
    reason = _copy_differs(image, target, options.mode, recorded)
    changed = bool(reason) or recorded.get("url") != url
    if changed and not check_mode:
        if reason:
            if _moves(target, recorded):
                _remove(Path(recorded["copy"]))
            # Before the copy is written, so that one of a killed run is found.
            state.update("publish", {"method": "directory", "token": token, "copy": str(target), "of": None})
            StoreLink(state.path.parent, clock).save()
            _copy(image, target, options.mode)
        state.update("publish", {"url": url, "path": str(image), "of": _identity(image)})
    return Publication(changed, reason or "the copy is current", "directory", url, str(image), copy_path=str(target))


def _copy(image: Path, target: Path, mode: int) -> None:
    # A user who may read the copy may enter its directory, and no user may list it.
    entering = mode | 0o300 | (mode & 0o444) >> 2
    try:
        target.parent.mkdir(exist_ok=True)
        target.parent.chmod(entering & 0o711)
    except OSError as error:
        raise ZeroTouchError(f"{target.parent} cannot be made: {error.strerror}.") from error
    with ImageFile(image) as source:
        patched_copy(source, target, (), mode=mode)


def _moves(target: Path, recorded: Mapping[str, Any]) -> bool:
    return bool(recorded.get("copy", str(target)) != str(target))


def _copy_differs(image: Path, target: Path, mode: int, recorded: Mapping[str, Any]) -> str:
    if _moves(target, recorded):
        return "the directory or the name of the copy changed"
    if not target.is_file():
        return "there is no copy yet"
    if target.stat().st_mode & 0o777 != mode:
        return f"the copy's mode is not {mode:04o}"
    if not recorded.get("of"):
        return "no run has recorded that the copy is complete"
    if not image.is_file() or recorded["of"] != _identity(image):
        return "the image changed"
    return "" if target.stat().st_size == image.stat().st_size else "the copy is incomplete"


def _identity(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]


def _remove(copy: Path) -> None:
    """Delete the copy and its directory, which has no other files; also what a killed run has written of it."""
    try:
        copy.unlink(missing_ok=True)
        remove_leftovers(copy.parent)
        copy.parent.rmdir()
    except FileNotFoundError:
        return
    except OSError as error:
        raise ZeroTouchError(
            f"{copy.parent} with the published copy cannot be removed: {error.strerror}.",
            "The copy holds credentials; remove the directory yourself and run again.",
        ) from error
