# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the removal of a deployment, and delete its files.

The plan says which machines are powered off, and which objects are deleted from the hub or the assisted-service.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..common.clock import Clock
from ..common.errors import ZeroTouchError
from ..common.files import remove_leftovers, write_fault
from ..common.listed import listed
from ..common.stop import SWITCH
from ..common.store_link import DIRECTORY, STATE, StoreLink
from .created_files import CreatedFiles
from .live.writer import EVENTS_FILE
from .safety.decision import Judgement
from .safety.options import Touch
from .state.lineage import NAME as MARKS
from .state.run import NAME as RUN
from .state.snapshot import REPLACED
from .state.work_dir import WorkDir

# What a deployment has that its cluster does not need, once the machines are off. Files of the user in it stay.
_REMOVED = ("images", "boot-artifacts", "config", STATE, ".state.lock", "rendezvousIP", REPLACED)
# What a work directory holds besides those.
_KEPT = ("auth", "logs", "report.html", "report.json", EVENTS_FILE, f"{EVENTS_FILE}.1", DIRECTORY, MARKS, RUN, SWITCH)
# Locks, and parts of files that were being written.
_TRANSIENT = re.compile(r"\..*(lock|part)$")
_MOST_FILES = 20
_EFFECTS = {
    "assisted": "deletes it from the assisted-service and powers off its machines",
    "hub": "deletes it from the hub and powers off its machines",
    "hosted": "deletes it from the hub, and its machines become free Agents",
    "capi": "deletes its Cluster from the hub, and Metal3 powers off its machines",
}


@dataclasses.dataclass(frozen=True)
class RemovalOrder:
    """What the user asks for.

    ``infra_env`` and ``hub_cluster`` are names on the hub, ``early`` is whether hosts were bound when they registered.
    ``keep`` are paths of the user that stay.
    """

    touch: Touch
    purge: bool = False
    namespace: str = ""
    infra_env: str = ""
    hub_cluster: str = ""
    early: bool = False
    keep: tuple[Path, ...] = ()

    @property
    def work_dir(self) -> WorkDir:
        if self.touch.work_dir is None:
            raise ZeroTouchError("touch.work_dir is missing.", "Name the work directory of the deployment.")
        return WorkDir(self.touch.work_dir)

    def files(self) -> tuple[list[Path], list[str]]:
        """The paths to remove, and the names in the work directory that this collection did not create."""
        images = (f"{self.touch.cluster}-discovery.iso", f"{self.infra_env}.iso")
        return CreatedFiles(self.work_dir, images, self.keep).split(_REMOVED)


@dataclasses.dataclass(frozen=True)
class Removal:
    """The plan. ``power_off`` are hosts with a BMC, ``keep_objects`` are hosts whose objects on the hub belong to other
    owners.
    """

    hub: bool
    hosted: bool
    assisted: bool
    capi: bool
    infra_env: bool
    power_off: tuple[str, ...]
    keep_objects: tuple[str, ...]
    paths: tuple[str, ...]
    summary: str

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def check_order(order: RemovalOrder) -> None:
    """Raises :class:`ZeroTouchError` without a work directory or the confirmation, and if a purge would remove a file
    of another origin.
    """
    touch, name, work_dir = order.touch, order.touch.cluster, order.work_dir
    if name not in touch.confirm:
        effect = _EFFECTS.get(touch.method, "powers off its machines")
        raise ZeroTouchError(f"Nothing was done. Destroying {name} {effect}: confirm with -e openshift_confirm={name}")
    if foreign := [*foreign_files(work_dir), *order.files()[1]] if order.purge else []:
        names = ", ".join(foreign)
        raise ZeroTouchError(
            f"Nothing was done. {work_dir.root} contains files that this collection did not create: {names}. "
            "Move them, or remove openshift_destroy_purge."
        )


def foreign_files(work_dir: WorkDir) -> list[str]:
    """Names in the work directory that this collection did not create."""
    if not work_dir.root.is_dir():
        return []
    names = (path.name for path in work_dir.root.iterdir())
    return sorted(name for name in names if name not in (*_REMOVED, *_KEPT) and not _TRANSIENT.fullmatch(name))


def plan_removal(
    order: RemovalOrder,
    judgement: Judgement,
    bmc_hosts: Sequence[str],
    left: Sequence[str],
    *,
    infra_env_kept: str = "",
    check_mode: bool = False,
) -> Removal:
    """The plan for machines about which ``judgement`` decided.

    ``bmc_hosts`` are the hosts with a BMC, ``left`` are messages about hosts that stay. ``infra_env_kept`` says why the
    InfraEnv stays although it has the name of the cluster.
    """
    method = order.touch.method
    abandoned = _abandons_hub(judgement)
    touched = {*judgement.named("act"), *judgement.named("through")}
    root = order.work_dir.root
    infra_env = _owns_infra_env(order) and not infra_env_kept
    paths, of_user = order.files()
    if infra_env_kept:
        left = [*left, infra_env_kept]
    return Removal(
        hub=method == "hub" and not abandoned,
        hosted=method == "hosted" and not abandoned,
        assisted=method == "assisted",
        capi=method == "capi" and not abandoned,
        infra_env=method == "hub" and infra_env and not abandoned,
        # The machines of a hosted cluster continue as free Agents; Metal3 powers off those of Machines.
        power_off=tuple(name for name in bmc_hosts if name in touched)
        if method not in ("hosted", "capi") or abandoned
        else (),
        keep_objects=tuple(judgement.named("leave")),
        paths=(str(root),) if order.purge else tuple(map(str, paths)),
        summary=_summary(
            order,
            left,
            of_user,
            agents_stay=method in ("hub", "hosted") and not _owns_infra_env(order),
            check_mode=check_mode,
        ),
    )


def deletes_infra_env(order: RemovalOrder, judgement: Judgement) -> bool:
    """Whether the InfraEnv is deleted, unless it belongs to another deployment."""
    return order.touch.method == "hub" and _owns_infra_env(order) and not _abandons_hub(judgement)


def _abandons_hub(judgement: Judgement) -> bool:
    """The objects on the hub are given up; the machines are powered off directly."""
    return any(verdict.forced == "abandon_hub" for verdict in judgement.verdicts)


def _owns_infra_env(order: RemovalOrder) -> bool:
    """An InfraEnv that is bound to its cluster is useless without it. One with another name is shared, and stays."""
    return order.infra_env == order.hub_cluster and (order.purge or order.early)


def _summary(
    order: RemovalOrder, left: Sequence[str], of_user: Sequence[str], *, agents_stay: bool, check_mode: bool
) -> str:
    agents = f". Its hosts are still Agents of InfraEnv {order.namespace}/{order.infra_env}" if agents_stay else ""
    disks = "" if order.touch.method == "hosted" else ": booted from disk, they start the cluster again"
    root = order.work_dir.root
    kept = f"Credentials, logs and the report are still in {root}." if root.is_dir() and not order.purge else ""
    names = listed(of_user, _MOST_FILES)
    others = f"Files that this collection did not create are still in {root}: {names}." if of_user else ""
    verb = "would be" if check_mode else "is"
    sentences = (
        f"{order.touch.cluster} {verb} destroyed{agents}.",
        *left,
        f"The disks of its machines are not wiped{disks}.",
        kept,
        others,
    )
    return " ".join(sentence for sentence in sentences if sentence)


def remove_files(work_dir: Path, paths: Sequence[Path], clock: Clock, *, check_mode: bool = False) -> list[Path]:
    """Remove ``paths``, and before that the record in the state store; what was removed, in order.

    A run that is killed between the two restores the record or stores it again: destroying is then repeated. Raises
    :class:`ZeroTouchError`.
    """
    if outside := [str(path) for path in paths if not _is_inside(path, work_dir)]:
        raise ZeroTouchError(f"{outside[0]} is not in the work directory {work_dir}. Nothing was removed.")
    found = [path for path in paths if path.is_symlink() or path.exists()]
    if check_mode or not found:
        return found
    StoreLink(work_dir, clock).forget()
    remove_leftovers(work_dir, STATE)  # of a run that was killed: they contain the same secrets
    for path in found:
        try:
            if path == work_dir and path.is_symlink() and path.is_dir():
                for each in path.resolve().iterdir():
                    _remove(each)
            _remove(path)
        except OSError as error:
            raise write_fault(error, path) from error
    return found


def _is_inside(path: Path, work_dir: Path) -> bool:
    """Whether removing this path removes the work directory or a part of it. Links on the way count."""
    return path == work_dir or (path.name != ".." and path.parent.resolve().is_relative_to(work_dir.resolve()))


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
