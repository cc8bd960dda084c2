# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that tasks wait for a hub that restarts between two of them, but not for an address that is wrong from the
start.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import MakeLab, canary_site
from .lab import BIN, Deployment, Lab, Run


@pytest.fixture(scope="module")
def lab(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    directory = tmp_path_factory.mktemp("patience")
    site = canary_site("sno", directory)
    document = yaml.safe_load(site.read_text())
    document["hub"] = {"address": "10.0.0.5", "base_domain": "hub.example.com"}
    site.write_text(yaml.safe_dump(document))
    return make_lab(directory, site)


def play(lab: Lab, folder: Path, *between: dict[str, Any], **connection: Any) -> Run:
    """Read the Agents in two tasks, with other tasks between them."""
    hub = {
        "kubeconfig": lab.vars["openshift_hub"]["kubeconfig"],
        "connect_to": lab.vars["openshift_connect_to"],
        **connection,
    }
    read = {"zerotouch.openshift.agents_info": hub}
    variables = {"ansible_python_interpreter": "{{ ansible_playbook_python }}"}
    path = folder / "twice.yml"
    path.write_text(
        yaml.safe_dump(
            [
                {
                    "hosts": "localhost",
                    "connection": "local",
                    "gather_facts": False,
                    "vars": variables,
                    "tasks": [read, *between, read],
                }
            ]
        )
    )
    (folder / "hosts").write_text("localhost\n")
    return Deployment(lab, folder / "hosts", folder).run(str(path))


def test_a_hub_that_restarts_between_two_tasks(lab: Lab, tmp_path: Path) -> None:
    ztlab, state = f"{BIN / 'ztlab'} fault", f"--state {lab.state}"
    stop = {"ansible.builtin.command": f"{ztlab} add api-down --count 0 --option cluster=hub {state}"}
    start = {"ansible.builtin.shell": f"(sleep 4; {ztlab} clear {state}) > /dev/null 2>&1 &"}
    run = play(lab, tmp_path, stop, {"ansible.builtin.pause": {"seconds": 1}}, start)
    assert run.ok, run.output


def test_an_address_where_no_hub_is(lab: Lab, tmp_path: Path) -> None:
    """Not waited for: the message of an API that was away for a minute is another one."""
    run = play(lab, tmp_path, connect_to=dict.fromkeys(lab.vars["openshift_connect_to"], "127.0.0.1:1"))
    assert not run.ok and "Check address, port and firewall." in run.message
    assert "It answered earlier in this run" not in run.message
