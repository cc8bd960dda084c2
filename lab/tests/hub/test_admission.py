# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test which objects the admission webhooks of the hub refuse.

Source: openshift/assisted-service pkg/webhooks/agentinstall/v1beta1, pkg/webhooks/hiveextension/v1beta1.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ztlab.hub.admission import check_agent, check_cluster_install, check_infra_env, fill_cluster_install
from ztlab.kubeapi.errors import ApiError

REFERENCE = {"name": "c", "namespace": "n"}


def thing(spec: dict[str, Any], status: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "metadata": {"name": "x", "namespace": "n"},
        "spec": spec,
        **({"status": status} if status is not None else {}),
    }


@pytest.mark.parametrize(
    ("new", "old", "installed", "text"),
    [
        (
            {"clusterRef": REFERENCE, "osImageVersion": "4.22"},
            None,
            False,
            ("Either Spec.ClusterRef or Spec.OSImageVersion should be specified (not both)."),
        ),
        (
            {"clusterRef": REFERENCE},
            {},
            False,
            ("Attempted to change Spec.ClusterRef which is immutable after InfraEnv creation."),
        ),
        (
            {},
            {"clusterRef": REFERENCE},
            False,
            ("Attempted to change Spec.ClusterRef which is immutable after InfraEnv creation."),
        ),
        (
            {"cpuArchitecture": "arm64"},
            {},
            False,
            ("Attempted to change Spec.CpuArchitecture which is immutable after InfraEnv creation."),
        ),
        (
            {"clusterRef": REFERENCE, "osImageVersion": "4.22"},
            {"clusterRef": REFERENCE},
            False,
            (
                "spec.OSImageVersion is not valid. It can't be added alongside with a clusterRef when the cluster is "
                "not "
                "installed yet."
            ),
        ),
        ({"clusterRef": REFERENCE, "osImageVersion": "4.22"}, {"clusterRef": REFERENCE}, True, ""),
        ({"cpuArchitecture": "x86_64"}, {}, False, ""),
    ],
)
def test_infra_env(new: dict[str, Any], old: dict[str, Any] | None, installed: bool, text: str) -> None:
    refused(
        lambda: check_infra_env(
            thing(new), thing(old) if old is not None else None, lambda _namespace, _name: installed
        ),
        400,
        text,
    )


def refused(call: Any, code: int, text: str) -> None:
    if not text:
        call()
        return
    with pytest.raises(ApiError) as caught:
        call()
    assert caught.value.code == code and text in str(caught.value.status()["message"])


IMMUTABLE = "Attempted to change Spec.ClusterDeploymentName which is immutable during Agent installation."


@pytest.mark.parametrize(
    ("new", "old", "status", "text"),
    [
        (
            {"installation_disk_id": "a", "installation_disk_path": "b"},
            {},
            {},
            ("Either InstallationDiskID or InstallationDiskPath can be set, not both."),
        ),
        (
            {"clusterDeploymentName": None},
            {"clusterDeploymentName": REFERENCE},
            {"debugInfo": {"state": "installing"}},
            IMMUTABLE,
        ),
        (
            {"clusterDeploymentName": None},
            {"clusterDeploymentName": REFERENCE},
            {"debugInfo": {"state": "preparing-failed"}},
            IMMUTABLE,
        ),
        (
            {"clusterDeploymentName": None},
            {"clusterDeploymentName": REFERENCE},
            {"debugInfo": {"state": "installing"}, "kind": "AddToExistingClusterHost"},
            "",
        ),
        ({"clusterDeploymentName": None}, {"clusterDeploymentName": REFERENCE}, {"debugInfo": {"state": "known"}}, ""),
        ({"hostname": "a"}, {}, {"debugInfo": {"state": "installing"}}, ""),
    ],
)
def test_agent(new: dict[str, Any], old: dict[str, Any], status: dict[str, Any], text: str) -> None:
    refused(lambda: check_agent(thing(new), thing(old, status)), 400, text)


def install(**spec: Any) -> dict[str, Any]:
    return {"imageSetRef": {"name": "a"}, "networking": {}, "provisionRequirements": {"controlPlaneAgents": 3}, **spec}


SINGLE = {"provisionRequirements": {"controlPlaneAgents": 1}}
STARTED = {"conditions": [{"type": "Completed", "status": "False", "reason": "InstallationInProgress"}]}
FINISHED = {"conditions": [{"type": "Completed", "status": "True", "reason": "InstallationCompleted"}]}


@pytest.mark.parametrize(
    ("new", "old", "status", "code", "text"),
    [
        (
            install(**SINGLE, networking={"userManagedNetworking": False}),
            None,
            None,
            409,
            ("UserManagedNetworking must be set to true with SNO"),
        ),
        (
            install(platformType="BareMetal", networking={"userManagedNetworking": True}),
            None,
            None,
            409,
            "Can't set baremetal platform with user-managed-networking enabled",
        ),
        (
            install(**SINGLE, platformType="BareMetal", networking={"userManagedNetworking": True}),
            None,
            None,
            409,
            "Can't set baremetal platform on single node OpenShift",
        ),
        (
            install(imageSetRef={"name": "b"}),
            install(),
            {},
            400,
            ("Attempted to change AgentClusterInstall.ImageSetRef which is immutable"),
        ),
        (
            install(sshPublicKey="k"),
            install(),
            STARTED,
            400,
            ("immutable after install started, except for ClusterMetadata,IgnitionEndpoint fields"),
        ),
        (install(clusterMetadata={"infraID": "i"}), install(), STARTED, 0, ""),
        (
            install(provisionRequirements={"controlPlaneAgents": 3, "workerAgents": 2}),
            install(),
            STARTED,
            400,
            "Unsupported change: provisionRequirements",
        ),
        (install(provisionRequirements={"controlPlaneAgents": 3, "workerAgents": 2}), install(), FINISHED, 0, ""),
        (install(sshPublicKey="k"), install(), {}, 0, ""),
    ],
)
def test_cluster_install(
    new: dict[str, Any], old: dict[str, Any] | None, status: dict[str, Any] | None, code: int, text: str
) -> None:
    refused(lambda: check_cluster_install(thing(new), thing(old, status) if old is not None else None), code, text)


@pytest.mark.parametrize(
    ("spec", "managed"),
    [
        (install(), False),
        (install(**SINGLE), True),
        (install(platformType="None"), True),
        (install(platformType="BareMetal"), False),
        (install(networking={"userManagedNetworking": False}, **SINGLE), False),
    ],
)
def test_user_managed_networking_is_filled_in(spec: dict[str, Any], managed: bool) -> None:
    item = copy.deepcopy(thing(spec))
    fill_cluster_install(item)
    assert item["spec"]["networking"]["userManagedNetworking"] is managed
