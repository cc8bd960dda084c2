# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A hand-written set as the live system gets it (reference agent-based-installer.md 3.9, 5).

The installer embeds ClusterDeployment, ClusterImageSet and NMStateConfigs as they were written. InfraEnv, AgentClusterInstall and pull secret it writes
anew, with what it puts where nothing is said, and with the fields that its types always have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..cluster.profile import profile_of
from ..cluster.spec import Deployment
from ..common.yaml_text import dump_object
from . import given_set as names
from .given_rules import SECRET_KEY, USER_MANAGED, platform_type, rpm_architecture
from .given_set import GivenSet, parse_given_set
from .go_json import pretty_json

Object = dict[str, Any]
_EMPTY: tuple[Any, ...] = (None, "", [], {}, 0, False)


def normalised(deployment: Deployment) -> tuple[GivenSet, dict[str, str], dict[str, Object]]:
    """The set of a deployment that was described by one; the texts of its objects as the live system gets them; the objects that were written anew."""
    given = parse_given_set(deployment.given_manifests)
    null = profile_of(deployment.cluster.version).null_creation_timestamp
    made = {
        names.INFRA_ENV: _infra_env(given.plain(names.INFRA_ENV)),
        names.AGENT_CLUSTER_INSTALL: _cluster_install(given.plain(names.AGENT_CLUSTER_INSTALL)),
        names.PULL_SECRET: _pull_secret(given.plain(names.PULL_SECRET)),
    }
    for document in made.values():
        metadata = {key: value for key, value in (document.get("metadata") or {}).items() if key == "creationTimestamp" or value not in _EMPTY}
        document["metadata"] = {**metadata, **({"creationTimestamp": None} if null and not metadata.get("creationTimestamp") else {})}
    texts = {path: text for path, text in deployment.given_manifests.items() if path in names.OBJECT_FILES}
    return given, {**texts, **{path: dump_object(document) for path, document in made.items()}}, made


def _infra_env(document: Mapping[str, Any]) -> Object:
    spec = _without_empty(document.get("spec") or {})
    if "cpuArchitecture" in spec:
        spec["cpuArchitecture"] = rpm_architecture(spec["cpuArchitecture"])
    status = {
        "agentLabelSelector": {},
        "bootArtifacts": {"discoveryIgnitionURL": "", "initrd": "", "ipxeScript": "", "kernel": "", "rootfs": ""},
        "debugInfo": {"eventsURL": ""},
    }
    spec = {"ipxeScriptType": "", "nmStateConfigLabelSelector": {}, **spec}
    return {**document, "spec": spec, "status": {**status, **(document.get("status") or {})}}


def _cluster_install(document: Mapping[str, Any]) -> Object:
    given = document.get("spec") or {}
    spec = _without_empty(given)
    networking = _without_empty(given.get("networking") or {})
    networking.setdefault("networkType", "OVNKubernetes")
    if "platformType" in spec:
        spec["platformType"] = platform_type(spec["platformType"])
    managed = (given.get("networking") or {}).get("userManagedNetworking")
    networking["userManagedNetworking"] = spec.get("platformType") in USER_MANAGED if managed is None else managed
    requirements = _without_empty(given.get("provisionRequirements") or {})
    spec |= {
        "clusterDeploymentRef": given.get("clusterDeploymentRef") or {},
        "networking": networking,
        "provisionRequirements": {"controlPlaneAgents": 0, **requirements},
    }
    status = {"debugInfo": {"eventsURL": "", "logsURL": ""}, "progress": {"totalPercentage": 0}}
    return {**document, "spec": spec, "status": {**status, **(document.get("status") or {})}}


def _pull_secret(document: Mapping[str, Any]) -> Object:
    text = str((document.get("stringData") or {}).get(SECRET_KEY, ""))
    return {**document, "stringData": {**(document.get("stringData") or {}), SECRET_KEY: pretty_json(text)}}


def _without_empty(document: Mapping[str, Any]) -> Object:
    # A false or a zero is a value only where the type says so; those fields are put back by who knows them.
    return {key: value for key, value in document.items() if value not in _EMPTY or isinstance(value, dict)}
