# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Publish the image of a work directory so that the BMCs of the deployment can read it, or withdraw it, for module
``image_server``. The user chooses the method.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..bmc.address import parse_address
from ..common.clock import Clock
from ..common.connect import ConnectTo
from ..common.errors import Interrupted, InvalidInput, RemoteError, Unreachable, ZeroTouchError
from ..common.files import SECRET_FILE, sha256_of, write_atomic
from ..common.http import HttpClient
from ..common.lock import one_run
from ..common.problems import INVALID, Problem
from ..common.tls import Tls
from ..image.download import Downloader
from ..serving.options import Publication, PublishOptions, read_publish
from ..serving.publish import publish, withdraw
from ..serving.route import Peer
from .state.work_dir import WorkDir

_MODULE_NAME = "image_server"


def publish_image(
    params: Mapping[str, Any], clock: Clock, *, check_mode: bool
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Publish; the module's result, and warnings. ``params`` are the module's options.

    Raises :class:`InvalidInput` for options and :class:`ZeroTouchError` when there is no image, it cannot be published,
    or hosts would not find the root file system that it leaves out.
    """
    work_dir = WorkDir(Path(params["work_dir"]).absolute())
    options = read_options(params)
    own = not params.get("path")
    uploads = options.method == "upload"
    rootfs = look_for_rootfs(work_dir, options.connect_to, clock) if own and not (check_mode or uploads) else ()
    with contextlib.nullcontext() if check_mode else one_run(work_dir.root, _MODULE_NAME, clock):
        image, beside = _image(params, work_dir, check_mode), _boot_artifacts(work_dir) if own and uploads else ()
        done = publish(image, work_dir.state, options, clock, beside=beside, check_mode=check_mode)
        if own and uploads and not check_mode:
            rootfs = look_for_rootfs(work_dir, options.connect_to, clock)
        saved = not check_mode and write_atomic(work_dir.image_url, f"{done.url}\n", SECRET_FILE)
    return {**_result(work_dir, done), "changed": done.changed or saved}, (*done.warnings, *rootfs)


def _boot_artifacts(work_dir: WorkDir) -> tuple[Path, ...]:
    """What hosts load over the network: files without those that a run has not completed."""
    files = work_dir.boot_artifacts.iterdir() if work_dir.boot_artifacts.is_dir() else ()
    return tuple(sorted(file for file in files if file.is_file() and not file.name.startswith(".")))


def _result(work_dir: WorkDir, done: Publication) -> dict[str, Any]:
    return {**done.as_dict(), "state_file": str(work_dir.state.path), "url_file": str(work_dir.image_url)}


def look_for_rootfs(work_dir: WorkDir, connect_to: ConnectTo, clock: Clock) -> tuple[str, ...]:
    """Whether the root file system is where hosts of a minimal ISO load it; warnings where that cannot be checked from
    here.

    Raises :class:`ZeroTouchError` when it certainly is not: no host would boot.
    """
    wanted = work_dir.state.section("image").get("rootfs")
    if not wanted:
        return ()
    url, size = str(wanted["url"]), int(wanted["size"])
    # The initramfs does not look at certificates either: the image knows the digest of its root file system.
    client = HttpClient("The server of the root file system", url, Tls(validate_certs=False), connect_to)
    try:
        found = Downloader(client, clock).look(url)
    except Unreachable as error:
        return (
            f"Whether hosts find their root file system could not be checked from the control node: {error.message}",
        )
    except RemoteError as error:
        raise ZeroTouchError(
            f"Hosts would not find their root file system: {error.message}", _hint(work_dir, url)
        ) from error
    if found.size not in (-1, size):
        raise ZeroTouchError(
            (f"{url} is not the root file system of this image: it has {found.size} bytes, {size} are expected."),
            _hint(work_dir, url),
        )
    return ()


def _hint(work_dir: WorkDir, url: str) -> str:
    file = work_dir.boot_artifacts / url.rpartition("/")[2]
    return (
        f"Publish {file} there and run again."
        if file.is_file()
        else ("Publish the root file system of the base image's build there and run again.")
    )


def withdraw_image(
    params: Mapping[str, Any], clock: Clock, *, check_mode: bool
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Take back; the module's result, and warnings.

    Raises :class:`ZeroTouchError`, with ``withdrawn`` false in its result if the image may still be read: a caller can
    continue and repeat this later.
    """
    work_dir = WorkDir(Path(params["work_dir"]).absolute())
    options = read_options(params)
    with (
        contextlib.nullcontext()
        if check_mode or not work_dir.root.is_dir()
        else one_run(work_dir.root, _MODULE_NAME, clock)
    ):
        try:
            done = withdraw(work_dir.state, clock, options, check_mode=check_mode)
        except Interrupted:
            raise
        except ZeroTouchError as error:
            error.result = {"withdrawn": False}
            raise
        if not check_mode:
            work_dir.image_url.unlink(missing_ok=True)
    return _result(work_dir, done), done.warnings


def _image(params: Mapping[str, Any], work_dir: WorkDir, check_mode: bool) -> Path:
    """The image to publish; in check mode, before there is one, the place where it will be."""
    if params.get("path"):
        return Path(params["path"]).absolute()
    recorded = work_dir.state.section("image")
    if recorded.get("path"):
        image = Path(str(recorded["path"]))
        if not check_mode:
            _require_built(image, recorded)
        return image
    if check_mode:
        return work_dir.root / "images" / "agent.x86_64.iso"
    raise ZeroTouchError(
        f"No image was built in {work_dir.root}.", ("Build one with agent_image, or name a file in path.")
    )


def _require_built(image: Path, recorded: Mapping[str, Any]) -> None:
    """Hosts that run from the image read it again at any moment: only the file that was built is published.

    Raises :class:`ZeroTouchError`.
    """
    if not image.is_file() or "mtime_ns" not in recorded:
        return  # publish() reports a missing image; files of a network boot are recorded one by one
    status = image.stat()
    untouched = (status.st_size, status.st_mtime_ns) == (recorded.get("size"), recorded.get("mtime_ns"))
    if not untouched and (not recorded.get("sha256") or sha256_of(image) != recorded["sha256"]):
        raise ZeroTouchError(
            f"{image} is not the image that was built: another program changed it. Nothing is published.",
            "Run deploy_cluster: it builds the image again.",
        )


def read_options(params: Mapping[str, Any]) -> PublishOptions:
    """The module's options as the serving package takes them; raises :class:`InvalidInput` with every one that cannot
    be read.
    """
    options, problems = read_publish(params.get("publish") or {})
    connect_to, unreadable = ConnectTo.parse(params.get("connect_to") or {})
    problems += unreadable
    peers = _peers(params.get("bmc_addresses") or [], problems)
    if problems:
        raise InvalidInput(problems)
    ca_cert = str(params.get("ca_cert") or "")
    return dataclasses.replace(
        options, max_seconds=float(params["max_seconds"]), peers=tuple(peers), connect_to=connect_to, ca_cert=ca_cert
    )


def _peers(addresses: Sequence[str], problems: list[Problem]) -> list[Peer]:
    peers = []
    for index, text in enumerate(addresses):
        try:
            address = parse_address(text)
        except ValueError as error:
            problems.append(
                Problem(f"bmc_addresses[{index}]", INVALID, str(error), layer="ours", check="bmc-address", value=text)
            )
            continue
        peers.append(Peer(address.host, address.host, address.port))
    return peers
