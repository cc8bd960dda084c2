# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module assisted_control_plane against the hub of a lab, whose API validates, prunes and defaults objects by
upstream's definitions. No provider runs there, so only the objects are tested.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import description, pool

from .conftest import MakeLab, canary_site
from .lab import Deployment, Lab

VERSIONS = {
    "newer": {"openshift_assisted": "v1alpha3", "metal3": "v1beta2"},
    "older": {"openshift_assisted": "v1alpha2", "metal3": "v1beta1"},
}


class Hub:
    def __init__(self, lab: Lab, directory: Path) -> None:
        self._user = Deployment(lab, directory / "none", directory)
        self._hub = {
            "kubeconfig": lab.vars["openshift_hub"]["kubeconfig"],
            "connect_to": lab.vars["openshift_connect_to"],
        }

    def __call__(self, *flags: str, **arguments: Any) -> dict[str, Any]:
        run = self._user.module("assisted_control_plane", {**self._hub, **arguments}, *flags)
        start = re.search(r"^localhost \| .*?=> (?=\{)", run.output, re.MULTILINE)
        assert start, run.output
        result: dict[str, Any] = json.JSONDecoder().raw_decode(run.output[start.end() :])[0]
        return result | {"failed": not run.ok, "output": run.output}


@pytest.fixture(params=VERSIONS)
def hub(request: pytest.FixtureRequest, make_lab: MakeLab, tmp_path: Path) -> Hub:
    site = canary_site("demo", tmp_path)
    document = yaml.safe_load(site.read_text())
    core = "v1beta2" if request.param == "newer" else "v1beta1"
    cluster_api = {"provider": "none", "version": core, **VERSIONS[request.param]}
    document["hub"] = {
        "address": "10.0.0.5",
        "base_domain": "hub.example.com",
        "hypershift": False,
        "cluster_api": cluster_api,
    }
    site.write_text(yaml.safe_dump(document))
    return Hub(make_lab(tmp_path, site), tmp_path)


def cluster(**more: Any) -> dict[str, Any]:
    """Without nulls, and without a meaning of its own for an empty dict."""
    metal3 = {"image": description()["metal3"]["image"]}
    return {
        **description(),
        "metal3": metal3,
        "machine_deployments": [{"name": "workers", "replicas": 2}],
        "control_plane": {"replicas": 3},
        **more,
    }


def test_created_unchanged_scaled_and_removed(hub: Hub) -> None:
    planned = hub("--check", "--diff", **cluster())
    assert not planned["failed"] and planned["changed"], planned["output"]
    done = hub(**cluster())
    assert not done["failed"] and done["changed"] and done["plan"] == planned["plan"], done["output"]
    again = hub(**cluster())
    assert not again["failed"] and not again["changed"], again["output"]
    grown = hub("--check", **cluster(machine_deployments=[{"name": "workers", "replicas": 4}], version="4.20.9"))
    assert len(grown["plan"]) == 2, grown["output"]
    grown = hub(**cluster(machine_deployments=[{"name": "workers", "replicas": 4}], version="4.20.9"))
    assert not grown["failed"] and grown["changed"], grown["output"]
    assert "secret-of-bmc" not in planned["output"] + done["output"]
    refused = hub(**cluster(machine_deployments=[pool("Workers")], host_prefixes={"10.9.0.0/16": 24}))
    assert (
        refused["failed"]
        and "machine_deployments[Workers].name" in refused["msg"]
        and "host_prefixes" in refused["msg"]
    )
    removed = hub(name="c1", namespace="site", state="absent", wait_for="gone", timeout=90)
    assert not removed["failed"], removed["output"]
    assert not hub(name="c1", namespace="site", state="absent")["changed"]
