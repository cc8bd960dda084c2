# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Measure module agents. Budget: 1000 Agents are matched, approved, named and labelled in one task, with one list and
one patch each, at least 100 times faster than a loop of kubernetes.core.k8s; 10 000 Agents are listed and planned in 5
s of CPU. The hub is a minimal server in another process (responder.py), which also counts the requests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FLEET = 1000
SAMPLE = 20
RATIO = 100
LARGE = 10_000
CPU_SECONDS = {FLEET: 1.0, LARGE: 5.0}
# Bytes for each Agent that is listed and planned: the objects themselves, without what is not read.
RESIDENT = 100_000

# Runs in a process of its own, so that CPU time and the largest resident set are those of the work alone.
PROGRAM = """
import json, resource, sys, time
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.model import read_agents, without_bulk
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.plan import plan_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.agents.request import host_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import AGENT
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import connect
hosts = json.loads(sys.stdin.read())
def resident():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
client = connect({"host": sys.argv[1], "api_key": "token"})
before, began = resident(), time.process_time()
agents = read_agents(client.list(AGENT.path("fleet"), trim=without_bulk))
listed = time.process_time()
plan = plan_hosts(host_requests(hosts, "fleet"), agents)
planned = time.process_time()
print(json.dumps({"agents": len(agents), "changes": len(plan.changes), "list": listed - began, "plan": planned - listed, "resident": resident() - before}))
"""  # noqa: E501


@contextmanager
def responder(count: int) -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).parent / "responder.py"), str(count)], stdout=subprocess.PIPE, text=True
    )
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.terminate()
        process.wait()


def counts(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{url}/counts") as answer:
        return dict(json.loads(answer.read()))


def mac(number: int) -> str:
    return f"52:54:00:{number >> 16 & 255:02x}:{number >> 8 & 255:02x}:{number & 255:02x}"


def hosts(count: int) -> list[dict[str, Any]]:
    return [
        {
            "name": f"n{number}",
            "mac_addresses": [mac(number)],
            "hostname": f"n{number}.example.com",
            "agent_labels": {"rack": f"r{number % 40}"},
        }
        for number in range(count)
    ]


def tasks(folder: Path, url: str, play: list[dict[str, Any]]) -> list[tuple[float, dict[str, Any]]]:
    """(seconds, result) of every task of a play, as Ansible measures them."""
    path = folder / "play.yml"
    variables = {"ansible_python_interpreter": "{{ ansible_playbook_python }}"}
    path.write_text(
        yaml.safe_dump(
            [{"hosts": "localhost", "connection": "local", "gather_facts": False, "vars": variables, "tasks": play}]
        )
    )
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("K8S_AUTH", "ANSIBLE"))},
        "K8S_AUTH_HOST": url,
        "K8S_AUTH_API_KEY": "token",
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build"),
        "ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json",
        "TMPDIR": str(folder),  # of the discovery cache
    }
    command = [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "localhost,", str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=folder, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    found = json.loads(done.stdout[done.stdout.index("{") :])["plays"][0]["tasks"]
    return [(_seconds(task["task"]["duration"]), task["hosts"]["localhost"]) for task in found]


def _seconds(duration: dict[str, str]) -> float:
    from datetime import datetime

    return (
        datetime.fromisoformat(duration["end"].rstrip("Z")) - datetime.fromisoformat(duration["start"].rstrip("Z"))
    ).total_seconds()


def test_a_fleet_in_one_task(tmp_path: Path, record_property: Any) -> None:
    (tmp_path / "hosts.json").write_text(json.dumps(hosts(FLEET)))
    wanted = {
        "namespace": "fleet",
        "name": "{{ item.name }}",
        "kind": "Agent",
        "api_version": "agent-install.openshift.io/v1beta1",
        "state": "patched",
        "merge_type": ["merge"],
        "definition": {
            "metadata": {"labels": {"rack": "{{ item.rack }}"}},
            "spec": {"approved": True, "hostname": "{{ item.hostname }}"},
        },
    }
    ours = {
        "zerotouch.openshift.agents": {
            "namespace": "fleet",
            "hosts": ("{{ lookup('ansible.builtin.file', 'hosts.json') | from_json }}"),
        }
    }
    sample = [
        {"name": f"00000000-0000-4000-8000-{n:012x}", "rack": "r", "hostname": f"n{n}.example.com"}
        for n in range(SAMPLE)
    ]
    with responder(FLEET) as url:
        (seconds, result), (again, repeated) = tasks(tmp_path, url, [ours, ours])
        counted = counts(url)
        assert (
            result["changed"] and sum(host["changed"] for host in result["hosts"]) == FLEET and not repeated["changed"]
        )
        assert counted["calls"]["list"] == 2 and counted["calls"]["PATCH"] == FLEET and counted["most"] == 1
    with responder(FLEET) as url:
        loop_seconds, loop = tasks(
            tmp_path,
            url,
            [{"kubernetes.core.k8s": wanted, "loop": sample, "loop_control": {"label": "{{ item.name }}"}}],
        )[0]
        assert loop["changed"]
    each, their = seconds / FLEET, loop_seconds / SAMPLE
    record_property("ratio", round(their / each))
    print(
        f"\n{FLEET} Agents in {seconds:.1f} s ({each * 1000:.1f} ms each), again without changes in {again:.1f} s; "
        f"a loop of kubernetes.core.k8s takes {their:.2f} s each: {their / each:.0f} times as long; "
        f"requests {counted['calls']}"
    )
    assert their / each >= RATIO


@pytest.mark.parametrize("count", [FLEET, LARGE])
def test_listing_and_planning(count: int, record_property: Any) -> None:
    with responder(count) as url:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / ".build")}
        provided = json.dumps(hosts(count))
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, url],
            input=provided,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        assert counts(url)["calls"]["list"] == 1
    found = json.loads(done.stdout)
    print(
        f"\n{count} Agents: listed in {found['list']:.2f} s, planned in {found['plan']:.2f} s of CPU, "
        f"{found['resident'] / count / 1000:.0f} kB each"
    )
    record_property("found", found)
    assert (found["agents"], found["changes"]) == (count, count)
    assert found["list"] + found["plan"] <= CPU_SECONDS[count]
    assert found["resident"] <= RESIDENT * count + 50_000_000
