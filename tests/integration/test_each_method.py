# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run one scenario for each installation method: a deployment that is killed after the first machine has changed, the
run that completes it, and a repetition that changes nothing.

Each test has a separate lab and may run in parallel with the others. The files of each method test further moments,
playbooks and faults.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from .conftest import MakeLab, canary_inventory, canary_site
from .hosted import make_site as make_hosted_site
from .lab import Deployment, kill_all
from .test_hub import make_site as make_hub_site

POWERED_ON = r"^\S+: powered on"
MASTERS = ("master-0", "master-1", "master-2")


def of_inventory(name: str) -> Callable[[MakeLab, Path], Deployment]:
    return lambda make_lab, directory: Deployment(
        make_lab(directory, canary_site(name, directory)), canary_inventory(name, directory), directory
    )


@dataclasses.dataclass(frozen=True)
class Method:
    """``moment``: the line of the output at which the first run is killed; ``nodes`` are those of the cluster."""

    make: Callable[[MakeLab, Path], Deployment]
    nodes: tuple[str, ...]
    moment: str = POWERED_ON
    variables: Mapping[str, Any] = dataclasses.field(default_factory=dict)


METHODS = {
    "agent": Method(of_inventory("sno"), ("sno-0",)),
    "assisted": Method(of_inventory("assisted"), MASTERS),
    "hub": Method(
        lambda make_lab, directory: make_hub_site(make_lab, directory).deployment,
        (*MASTERS, "worker-0", "worker-1"),
        variables={"openshift_install_method": "hub"},
    ),
    "hosted": Method(
        lambda make_lab, directory: make_hosted_site(make_lab, directory).deployment,
        ("node-0", "node-1.guest.example.com"),
        variables={"openshift_node_pool": {"replicas": 2}},
    ),
    # The hub boots its machines.
    "capi": Method(
        of_inventory("capi"), (*MASTERS, "worker-0", "worker-1", "worker-2"), moment="its host has not registered yet"
    ),
}


@pytest.mark.parametrize("name", METHODS)
def test_killed_completed_and_repeated(name: str, make_lab: MakeLab, tmp_path: Path) -> None:
    method = METHODS[name]
    deployment = method.make(make_lab, tmp_path)
    output, _seconds = deployment.interrupted(
        lambda text: re.search(method.moment, text, re.MULTILINE) is not None, kill_all, extra=method.variables
    )
    assert "Traceback" not in output, output
    sessions = deployment.lab.sessions()
    completed = deployment.deployed(extra=method.variables)
    assert deployment.lab.nodes() == dict.fromkeys(method.nodes, "Ready"), completed.output
    deployment.lab.assert_nothing_left(sessions)
    writes = deployment.lab.writes()
    again = deployment.deployed("--diff", extra=method.variables)
    assert (again.changed, deployment.lab.writes()) == (0, writes), again.output
