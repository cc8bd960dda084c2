# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write the failure bundle: a folder with logs and data that help to find why a wait failed, without secrets."""

from __future__ import annotations

import dataclasses
import datetime
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from ...assisted.rest.client import AssistedClient
from ...common.errors import RemoteError, Unreachable, ZeroTouchError
from ...common.files import SECRET_DIRECTORY, SECRET_FILE, atomic_writer, ensure_directory, write_atomic
from ...common.secrets import Redactor
from .archive import redact_archive
from .setup import Setup
from .supervisor import MediaControl, WaitOutcome

# Bytes; the service's log archive of a large cluster must not fill a workstation's disk.
LOG_LIMIT = 512 << 20
_RENDEZVOUS = (
    "  rendezvous host ({}): journalctl -b -u node-zero -u assisted-service -u agent-register-cluster "
    "-u agent-register-infraenv -u apply-host-config -u start-cluster-installation; after the installation began also "
    "-u bootkube"
)


@dataclasses.dataclass(frozen=True)
class Bundle:
    """The folder and the names of the files in it."""

    directory: Path
    files: tuple[str, ...]


class _TooLarge(ZeroTouchError):
    """The log archive is larger than is kept."""


@dataclasses.dataclass
class _Limited:
    """A file that takes :data:`LOG_LIMIT` bytes at most."""

    handle: BinaryIO
    size: int = 0

    def write(self, block: bytes) -> None:
        self.size += len(block)
        if self.size > LOG_LIMIT:
            log_limit_mib = LOG_LIMIT >> 20
            raise _TooLarge(f"The service's logs are larger than {log_limit_mib} MiB.")
        self.handle.write(block)


class BundleSource(Protocol):
    """The observer of service and API: its last raw answers, and further data of the service."""

    @property
    def documents(self) -> Mapping[str, Any]:
        """The last raw answers."""

    @property
    def service(self) -> AssistedClient | None:
        """The client of the service, None when there is none."""

    def events(self) -> list[dict[str, Any]] | None:
        """The events of the service, None when it does not answer."""


def write_bundle(
    logs: Path,
    outcome: WaitOutcome,
    setup: Setup,
    observer: BundleSource,
    media: MediaControl,
    redactor: Redactor,
    now: datetime.datetime,
) -> Bundle:
    """Collect into ``logs/<time>/`` (0700, files 0600).

    What cannot be collected is named in ``missing.json``; nothing of that is raised.
    """
    directory = _new_directory(logs, now)
    missing: dict[str, str] = {}
    documents: dict[str, Any] = {
        "cluster.json": observer.documents.get("cluster") or None,
        "hosts.json": observer.documents.get("hosts") or None,
        "events.json": _collected("events.json", observer.events, missing),
        "clusterversion.json": observer.documents.get("cluster_version") or None,
        "clusteroperators.json": observer.documents.get("cluster_operators") or None,
        "nodes.json": observer.documents.get("nodes") or None,
        "bmc.json": _collected("bmc.json", media.inspect, missing) or None,
        "summary.json": _summary(outcome),
    }
    files = []
    for name, document in documents.items():
        if document is None:
            missing.setdefault(name, "was never answered")
            continue
        write_atomic(
            directory / name, json.dumps(redactor.presentable(document), indent=2, sort_keys=True) + "\n", SECRET_FILE
        )
        files.append(name)
    write_atomic(directory / "console-hints.txt", redactor.presentable(console_hints(outcome, setup)), SECRET_FILE)
    files.append("console-hints.txt")
    if _service_logs(directory / "service-logs.tar", observer, redactor, missing):
        files.append("service-logs.tar")
    if missing:
        write_atomic(
            directory / "missing.json",
            json.dumps(redactor.presentable(missing), indent=2, sort_keys=True) + "\n",
            SECRET_FILE,
        )
        files.append("missing.json")
    return Bundle(directory, tuple(sorted(files)))


def failure_message(outcome: WaitOutcome, directory: Path | None, still_running: str = "") -> str:
    """What the user reads: what ended the wait, where everything is, the first suspects, and what was left running on
    purpose.
    """
    lines = [f"The installation did not complete: {outcome.step.reason.rstrip('.')}."]
    if directory is not None:
        lines.append(f"Everything that could be collected is in {directory}.")
    if outcome.suspects:
        lines += ["First suspects:", *(f"{number}. {suspect}" for number, suspect in enumerate(outcome.suspects, 1))]
    lines += [still_running] if still_running else []
    return "\n".join(lines)


def console_hints(outcome: WaitOutcome, setup: Setup) -> str:
    """Where to look on the machines themselves, host by host."""
    seen, memory = outcome.seen, outcome.memory
    lines = [
        "The live system prints what it waits for on the console of a host (BMC, serial).",
        "With the ssh key of the configuration, as user core:",
        *([] if setup.elsewhere else [_RENDEZVOUS.format(seen.rendezvous_ip or "unknown address")]),
        (
            "  every host: journalctl -b -u agent -u set-hostname -u pre-network-manager-config; nmcli; after the "
            "reboot: "
            "journalctl -b -u kubelet -u crio"
        ),
        "",
    ]
    for host in setup.hosts:
        found = memory.last_words(seen, host)
        addresses = ", ".join(found.addresses if found and found.addresses else host.addresses) or "address unknown"
        state = found.describe() if found else "never registered"
        macs = ", ".join(host.macs) or "unknown"
        lines.append(f"{host.name}: {state}; {addresses}; MAC {macs}")
        if found and found.status_info:
            lines.append(f"    {found.status_info}")
    return "\n".join(lines) + "\n"


def _new_directory(logs: Path, now: datetime.datetime) -> Path:
    ensure_directory(logs, SECRET_DIRECTORY)
    stamp = now.astimezone(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
    candidates = (logs / (stamp if number == 1 else f"{stamp}-{number}") for number in range(1, 1000))
    directory = next(candidate for candidate in candidates if not candidate.exists())
    directory.mkdir(mode=SECRET_DIRECTORY)
    return directory


def _collected(name: str, read: Callable[[], Any], missing: dict[str, str]) -> Any:
    try:
        return read()
    except ZeroTouchError as error:
        missing[name] = str(error)
        return None


def _service_logs(path: Path, observer: BundleSource, redactor: Redactor, missing: dict[str, str]) -> bool:
    """The service's own archive of logs, if it serves one."""
    cluster_id = str((observer.documents.get("cluster") or {}).get("id") or "")
    if not observer.service or not cluster_id:
        missing[path.name] = "no cluster was registered"
        return False
    try:
        # The archive as served may hold secrets: it gets no name on disk.
        with tempfile.TemporaryFile(dir=path.parent) as served:
            observer.service.read_logs(cluster_id, _Limited(served).write)
            served.seek(0)
            with atomic_writer(path, SECRET_FILE) as handle:
                left_out = redact_archive(served, handle, redactor)
    except (RemoteError, Unreachable, _TooLarge, ValueError) as error:
        missing[path.name] = str(error)
        return False
    if left_out.count:
        missing[path.name] = f"without {left_out}"
    return True


def _summary(outcome: WaitOutcome) -> dict[str, Any]:
    return {
        "phase": outcome.memory.phase,
        "reason": outcome.step.reason,
        "terminal": outcome.step.terminal,
        "suspects": list(outcome.suspects),
        "warnings": list(outcome.warnings),
        "elapsed_seconds": round(outcome.elapsed, 1),
        "service": outcome.seen.service.detail or ("answers" if outcome.seen.service.ours else "does not answer"),
        "api": outcome.seen.api.detail or ("answers" if outcome.seen.api.ours else "does not answer"),
    }
