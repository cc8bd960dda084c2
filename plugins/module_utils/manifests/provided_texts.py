# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert a hand-written manifests set to the files that the installer embeds in the image for the live system.

The installer embeds ClusterDeployment, ClusterImageSet and NMStateConfigs as they were written. It writes InfraEnv,
AgentClusterInstall and pull secret again, with its defaults for fields that are not set, and with the fields that its
types always have.

Source: openshift/installer pkg/asset/agent/manifests, pkg/asset/agent/image/ignition.go, data/data/agent/files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..cluster.profile import profile_of
from ..cluster.spec import Deployment
from ..common.yaml_text import dump_object
from . import provided_set as names
from .go_json import pretty_json
from .provided_rules import SECRET_KEY, USER_MANAGED, platform_type, rpm_architecture
from .provided_set import ProvidedSet, parse_provided_set

Object = dict[str, Any]
_EMPTY: tuple[Any, ...] = (None, "", [], {}, 0, False)


def normalised(deployment: Deployment) -> tuple[ProvidedSet, dict[str, str], dict[str, Object]]:
    """The set of a deployment that was described by one; the texts of its objects as the live system gets them; the
    objects that were written again.
    """
    provided = parse_provided_set(deployment.provided_manifests)
    null = profile_of(deployment.cluster.version).null_creation_timestamp
    made = {
        names.INFRA_ENV: _infra_env(provided.plain(names.INFRA_ENV)),
        names.AGENT_CLUSTER_INSTALL: _cluster_install(provided.plain(names.AGENT_CLUSTER_INSTALL)),
        names.PULL_SECRET: _pull_secret(provided.plain(names.PULL_SECRET)),
    }
    for document in made.values():
        metadata = {
            key: value
            for key, value in (document.get("metadata") or {}).items()
            if key == "creationTimestamp" or value not in _EMPTY
        }
        document["metadata"] = {
            **metadata,
            **({"creationTimestamp": None} if null and not metadata.get("creationTimestamp") else {}),
        }
    texts = {path: text for path, text in deployment.provided_manifests.items() if path in names.OBJECT_FILES}
    return provided, {**texts, **{path: dump_object(document) for path, document in made.items()}}, made


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
    provided = document.get("spec") or {}
    spec = _without_empty(provided)
    networking = _without_empty(provided.get("networking") or {})
    networking.setdefault("networkType", "OVNKubernetes")
    if "platformType" in spec:
        spec["platformType"] = platform_type(spec["platformType"])
    managed = (provided.get("networking") or {}).get("userManagedNetworking")
    networking["userManagedNetworking"] = spec.get("platformType") in USER_MANAGED if managed is None else managed
    requirements = _without_empty(provided.get("provisionRequirements") or {})
    spec |= {
        "clusterDeploymentRef": provided.get("clusterDeploymentRef") or {},
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
