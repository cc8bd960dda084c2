# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixture with a small set of cluster-manifests, which each test changes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.from_manifests.read import (
    Manifests,
    parse_manifests,
)

LABELS = {"infraenvs.agent-install.openshift.io": "edge"}
ACI = {
    "kind": "AgentClusterInstall",
    "metadata": {"name": "edge"},
    "spec": {"provisionRequirements": {"controlPlaneAgents": 3, "workerAgents": 2}, "networking": {}},
}
INFRA_ENV = {
    "kind": "InfraEnv",
    "metadata": {"name": "edge-env"},
    "spec": {"nmStateConfigLabelSelector": {"matchLabels": LABELS}},
}
PULL_SECRET = '{"auths": {"quay.io": {"auth": "dXNlcjpyZWdpc3RyeS1wYXNzd29yZA=="}}}'


def merged(base: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(copy.deepcopy(base))
    for key, value in patch.items():
        result[key] = (
            merged(result[key], value) if isinstance(value, dict) and isinstance(result.get(key), dict) else value
        )
    return result


def texts(aci: Mapping[str, Any] = {}, infra_env: Mapping[str, Any] = {}, **files: str) -> dict[str, str]:
    """File name -> text; ``files`` by name with _ for - and without .yaml, None leaves one out."""
    made: dict[str, Any] = {
        "agent-cluster-install": yaml.safe_dump(merged(ACI, aci)),
        "infraenv": yaml.safe_dump(merged(INFRA_ENV, infra_env)),
        "cluster-deployment": "kind: ClusterDeployment\nspec: {clusterName: edge, baseDomain: example.com}\n",
        "cluster-image-set": (
            "kind: ClusterImageSet\nmetadata: {name: openshift-4.22.0}\nspec: {releaseImage: "
            "'registry/ocp:4.22.0-x86_64'}\n"
        ),
        "pull-secret": yaml.safe_dump({"kind": "Secret", "stringData": {".dockerconfigjson": PULL_SECRET}}),
    }
    made |= {name.replace("_", "-"): text for name, text in files.items()}
    return {f"{name}.yaml": text for name, text in made.items() if text is not None}


@pytest.fixture
def files() -> Callable[..., dict[str, str]]:
    return texts


@pytest.fixture
def manifests() -> Callable[..., Manifests]:
    return lambda *args, **kwargs: parse_manifests(texts(*args, **kwargs))


@pytest.fixture
def pull_secret_text() -> str:
    return PULL_SECRET
