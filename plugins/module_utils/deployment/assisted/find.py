# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Find the cluster and InfraEnv of a work directory in an assisted-service, and record them in the state file (section
``assisted``).

The service accepts any number of objects with the same name, and other tools use it too. Therefore objects are
identified by the id that was recorded when they were created.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ...assisted.cluster.creation import age
from ...assisted.rest.client import Document
from ...assisted.rest.service import AssistedService
from ...common.errors import ZeroTouchError
from ..state.work_dir import WorkDir

SECTION = "assisted"
METHOD = "assisted"


@dataclasses.dataclass(frozen=True)
class Known:
    """The content of section ``assisted`` of the state file.

    ``making``: a run was about to create them and may not have recorded their ids; ``adopted``: another tool created
    the cluster.

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
        texts = {
            name: str(section.get(name) or "")
            for name in ("cluster_id", "infra_env_id", "openshift_cluster_id", "credentials_of")
        }
        return cls(**texts, making=bool(section.get("making")), adopted=bool(section.get("adopted")))


def remember(work_dir: WorkDir, **values: Any) -> None:
    """Keep values of section ``assisted``; None forgets."""
    work_dir.state.update(SECTION, {"making": None, **values})


@dataclasses.dataclass(frozen=True)
class Found:
    """The documents as the service has them now.

    ``foreign``: why what is there is not taken for ours; ``adopted``: another tool created the cluster.
    """

    cluster: Document | None = None
    infra_env: Document | None = None
    foreign: str = ""
    adopted: bool = False

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

    Raises :class:`ZeroTouchError` where that one is not there, is called otherwise, or is not the one that was
    recorded.
    """
    clusters = service.clusters()
    recorded = next((item for item in clusters if known.cluster_id and item.get("id") == known.cluster_id), None)
    if adopt and adopt != known.cluster_id:
        _refuse_to_adopt(adopt, next((item for item in clusters if item.get("id") == adopt), None), recorded, name)
        return Found(service.cluster(adopt), _infra_env(service, known, name, adopt), adopted=True)
    if known.cluster_id:
        document = service.cluster(known.cluster_id) if recorded else None
        return Found(
            document,
            _infra_env(service, known, name, known.cluster_id if recorded else ""),
            adopted=known.adopted and recorded is not None,
        )
    same = [item for item in clusters if item.get("name") == name]
    if not same:
        return Found(None, _infra_env(service, known, name, ""))
    if known.making and len(same) == 1:
        cluster_id = str(same[0]["id"])
        return Found(service.cluster(cluster_id), _infra_env(service, known, name, cluster_id))
    listed = ", ".join(f"{item.get('id')} ({item.get('status')})" for item in same)
    return Found(
        foreign=f"The service already has a cluster {name}, which this work directory did not create: {listed}."
    )


def _refuse_to_adopt(adopt: str, cluster: Document | None, recorded: Document | None, name: str) -> None:
    """What keeps the cluster that the user names from being that of the work directory."""
    if recorded is not None:
        raise ZeroTouchError(
            f"openshift_assisted.cluster_id is {adopt}, but this work directory is that of cluster "
            f"{recorded.get('id')}.",
            "Remove cluster_id, or use a separate openshift_work_dir for the other cluster.",
        )
    if cluster is None:
        raise ZeroTouchError(
            f"The service has no cluster with the id {adopt}.",
            ("Correct openshift_assisted.cluster_id, or leave it out for a new one."),
        )
    # The service may name one that it imports after its API.
    # Source: openshift/assisted-service internal/bminventory/inventory.go.
    if name and cluster.get("name") != name and cluster.get("kind") != "AddHostsCluster":
        raise ZeroTouchError(
            f"Cluster {adopt} is called {cluster.get('name')}, and not {name}.",
            ("Correct openshift_assisted.cluster_id, or the name."),
        )


def _infra_env(service: AssistedService, known: Known, name: str, cluster_id: str) -> Document | None:
    infra_envs = service.infra_envs()
    recorded = next((item for item in infra_envs if known.infra_env_id and item.get("id") == known.infra_env_id), None)
    # One of the cluster is as good as one that we made: hosts of its image come to the cluster. Of several the oldest
    # is what other runs take as well.
    own = [
        item for item in infra_envs if cluster_id and item.get("cluster_id") == cluster_id and item.get("name") == name
    ]
    return recorded or min(own, key=age, default=None)
