# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test method capi: a playbook run scales the control plane of a single node to three."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import Deployment, without

POOL = {"openshift_node_pool": {"name": "control-plane", "replicas": 3}}


def single_node(inventory: dict[str, Any]) -> None:
    """Change the inventory to a single node without virtual addresses and workers; the other control plane hosts stay
    free.
    """
    variables = inventory["all"]["vars"]
    cluster = variables["openshift_cluster"]
    del cluster["api_vips"], cluster["ingress_vips"], variables["openshift_capi"]["machine_deployments"]
    cluster["platform"] = "none"
    variables["openshift_capi"]["control_plane"] = {"replicas": 1}
    without(inventory, "workers")


def site(directory: Path) -> Path:
    """The names of the API lead to the first node."""
    path = canary_site("capi", directory)
    document = yaml.safe_load(path.read_text())
    document["networks"][0]["dns"]["records"] = dict.fromkeys(
        document["networks"][0]["dns"]["records"], "192.168.114.20"
    )
    for key in ("api_vip", "ingress_vip"):
        del document["clusters"][0][key]
    path.write_text(yaml.safe_dump(document))
    return path


def test_from_one_to_three(make_lab: MakeLab, tmp_path: Path) -> None:
    deployment = Deployment(
        make_lab(tmp_path, site(tmp_path)), canary_inventory("capi", tmp_path, single_node), tmp_path
    )
    deployment.deployed()
    assert list(deployment.lab.nodes("edge")) == ["master-0"]
    grown = deployment.run("scale_node_pool", extra=POOL)
    assert grown.ok and grown.changed, grown.output
    assert deployment.lab.nodes("edge") == dict.fromkeys(("master-0", "master-1", "master-2"), "Ready")
    again = deployment.run("scale_node_pool", extra=POOL)
    assert again.ok and again.changed == 0, again.output
    refused = deployment.run(
        "scale_node_pool",
        extra={"openshift_node_pool": {"name": "control-plane", "replicas": 1}, "openshift_confirm": "edge"},
    )
    assert not refused.ok and "etcd" in refused.output, refused.output
