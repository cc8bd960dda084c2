# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Which cluster and InfraEnv of an assisted-service are those of a work directory, and what of them is known to the state file (section ``assisted``).

The service takes any number of objects of one name, and others use it too: what counts is the id that was recorded when the object was made.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ..assisted.client import Document
from ..assisted.service import AssistedService
from ..common.errors import ZeroTouchError
from .workdir import WorkDir

SECTION = "assisted"
METHOD = "assisted"


@dataclasses.dataclass(frozen=True)
class Known:
    """What the state file says. ``making``: a run was about to make them and may not have come to record it; ``adopted``: somebody else made the cluster.

    ``credentials_of`` is the cluster whose credentials are in auth/.
    """

    cluster_id: str = ""
    infra_env_id: str = ""
    making: bool = False
    adopted: bool = False
    openshift_cluster_id: str = ""
    credentials_of: str = ""

    @classmethod
    def of(cls, work_dir: WorkDir) -> Known:
        section = work_dir.state.section(SECTION)
        texts = {name: str(section.get(name) or "") for name in ("cluster_id", "infra_env_id", "openshift_cluster_id", "credentials_of")}
        return cls(**texts, making=bool(section.get("making")), adopted=bool(section.get("adopted")))


def remember(work_dir: WorkDir, **values: Any) -> None:
    """Keep values of section ``assisted``; None forgets."""
    work_dir.state.update(SECTION, {"making": None, **values})


@dataclasses.dataclass(frozen=True)
class Found:
    """The documents as the service has them now. ``foreign``: why what is there is not taken for ours."""

    cluster: Document | None = None
    infra_env: Document | None = None
    foreign: str = ""

    @property
    def cluster_id(self) -> str:
        return str((self.cluster or {}).get("id") or "")

    @property
    def infra_env_id(self) -> str:
        return str((self.infra_env or {}).get("id") or "")

    @property
    def status(self) -> str:
        return str((self.cluster or {}).get("status") or "")


def find(service: AssistedService, known: Known, name: str, adopt: str = "") -> Found:
    """Look for cluster and InfraEnv. ``adopt`` is the id of a cluster that the user names as his.

    Raises :class:`ZeroTouchError` where that one is not there.
    """
    wanted = known.cluster_id or adopt
    clusters = service.clusters()
    if wanted:
        cluster = next((item for item in clusters if item.get("id") == wanted), None)
        if cluster is None and not known.cluster_id:
            raise ZeroTouchError(f"The service has no cluster with the id {adopt}.", "Correct openshift_assisted.cluster_id, or leave it out for a new one.")
        return Found(service.cluster(wanted) if cluster else None, _infra_env(service, known, name, wanted if cluster else ""))
    same = [item for item in clusters if item.get("name") == name]
    if not same:
        return Found(None, _infra_env(service, known, name, ""))
    if known.making and len(same) == 1:
        cluster_id = str(same[0]["id"])
        return Found(service.cluster(cluster_id), _infra_env(service, known, name, cluster_id))
    listed = ", ".join(f"{item.get('id')} ({item.get('status')})" for item in same)
    return Found(foreign=f"The service has a cluster {name} that was not made from this work directory: {listed}.")


def _infra_env(service: AssistedService, known: Known, name: str, cluster_id: str) -> Document | None:
    infra_envs = service.infra_envs()
    if known.infra_env_id:
        return next((item for item in infra_envs if item.get("id") == known.infra_env_id), None)
    # One of the cluster is as good as one that we made: hosts of its image come to the cluster.
    own = [item for item in infra_envs if cluster_id and item.get("cluster_id") == cluster_id and item.get("name") == name]
    return own[0] if own else None
