# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a hand-written set of cluster manifests as openshift_config_dir: it is checked, deployed and not changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from .canaries import PULL_SECRET
from .lab import Deployment

RELEASE_IMAGE = "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"
LABELS = {"rack": "one"}
MAC = "52:54:00:5a:00:10"


def objects(network_config: dict[str, Any], ssh_key: str) -> dict[str, dict[str, Any]]:
    """Return the manifests of a single node by name, as a user of ZTP has them."""
    named = {"name": "sno", "namespace": "sno"}
    networking = {"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}], "serviceNetwork": ["172.30.0.0/16"]}
    return {
        "agent-cluster-install": {
            "apiVersion": "extensions.hive.openshift.io/v1beta1",
            "kind": "AgentClusterInstall",
            "metadata": named,
            "spec": {
                "clusterDeploymentRef": {"name": "sno"},
                "imageSetRef": {"name": "release"},
                "networking": {**networking, "machineNetwork": [{"cidr": "192.168.126.0/24"}]},
                "platformType": "none",
                "provisionRequirements": {"controlPlaneAgents": 1},
                "sshPublicKey": ssh_key,
            },
        },
        "cluster-deployment": {
            "apiVersion": "hive.openshift.io/v1",
            "kind": "ClusterDeployment",
            "metadata": named,
            "spec": {"baseDomain": "example.com", "clusterName": "sno", "pullSecretRef": {"name": "pull-secret"}},
        },
        "cluster-image-set": {
            "apiVersion": "hive.openshift.io/v1",
            "kind": "ClusterImageSet",
            "metadata": {"name": "release"},
            "spec": {"releaseImage": RELEASE_IMAGE},
        },
        "infraenv": {
            "apiVersion": "agent-install.openshift.io/v1beta1",
            "kind": "InfraEnv",
            "metadata": named,
            "spec": {
                "clusterRef": named,
                "cpuArchitecture": "amd64",
                "nmStateConfigLabelSelector": {"matchLabels": LABELS},
                "pullSecretRef": {"name": "pull-secret"},
                "sshAuthorizedKey": ssh_key,
            },
        },
        "nmstateconfig": {
            "apiVersion": "agent-install.openshift.io/v1beta1",
            "kind": "NMStateConfig",
            "metadata": {**named, "name": "sno-0", "labels": LABELS},
            "spec": {"config": network_config, "interfaces": [{"name": "enp1s0", "macAddress": MAC}]},
        },
        "pull-secret": {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "pull-secret"},
            "stringData": {".dockerconfigjson": PULL_SECRET},
        },
    }


def provided_set(deployment: Deployment) -> Path:
    """The directory, with what the inventory says of the host; the inventory keeps the BMC."""
    inventory = json.loads(deployment.inventory.read_text())
    cluster = inventory["all"]["vars"].pop("openshift_cluster")
    host = inventory["all"]["children"]["control_plane"]["hosts"]["sno-0"]["openshift_host"]
    network_config = host.pop("network_config")
    host.pop("root_device_hints")
    deployment.inventory.write_text(json.dumps(inventory))
    directory = deployment.directory / "set"
    (directory / "cluster-manifests").mkdir(parents=True)
    for name, document in objects(network_config, cluster["ssh_public_keys"][0]).items():
        (directory / "cluster-manifests" / f"{name}.yaml").write_text(f"# {name}, manual\n{yaml.safe_dump(document)}")
    agent = {
        "apiVersion": "v1beta1",
        "hosts": [
            {"hostname": "node-of-the-set", "role": "master", "interfaces": [{"name": "enp1s0", "macAddress": MAC}]}
        ],
    }
    (directory / "agent-config.yaml").write_text(yaml.safe_dump(agent))
    return directory


def test_a_set_is_checked_deployed_and_left_alone(sno: Deployment) -> None:
    directory = provided_set(sno)
    extra = {"openshift_config_dir": str(directory), "openshift_version": "4.22.0"}
    written = {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}

    install = directory / "cluster-manifests" / "agent-cluster-install.yaml"
    install.write_text(install.read_text().replace("platformType: none", "platformType: AWS"))
    refused = sno.refused(extra=extra)
    assert [(one["file"], one["path"], one["kind"]) for one in refused.failure["problems"]] == [
        (str(install), "spec.platformType", "Unsupported value")
    ]
    assert set(sno.lab.writes().values()) == {0} and not sno.work_dir.exists()
    install.write_bytes(written[install])

    sno.deployed(extra=extra)
    assert {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()} == written, (
        "the user's own files were changed"
    )
    config = sno.work_dir / "config"
    kept = {
        path.relative_to(config).as_posix(): path.read_bytes()
        for path in config.rglob("*")
        if path.is_file() and path.name != "release.json"
    }
    assert kept == {path.relative_to(directory).as_posix(): content for path, content in written.items()}
    report = json.loads((sno.work_dir / "report.json").read_text())
    assert [host["name"] for host in report["hosts"]] == ["node-of-the-set"]
    sno.lab.assert_nothing_left()
    assert sno.deployed(extra=extra).changed == 0
