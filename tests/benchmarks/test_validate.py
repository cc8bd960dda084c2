# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Measure the checks of a large inventory. Budget: variables of 500 hosts, each with a bond and a VLAN, are read,
completely validated and rendered in 2 s of CPU. The rendered files are read, validated and rendered again within the
same limit. Twice the hosts cost at most two and a half times as much: no check compares every host with every other
host.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOSTS = 500
CPU_SECONDS = 2.0
GROWTH = 2.5

# Runs in a process of its own, so that CPU time is that of the work alone.
PROGRAM = """
import datetime, json, pathlib, sys, time
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.checked import all_problems
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import from_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.render import render_files
from ansible_collections.zerotouch.openshift.tests.unit.cluster.reading import as_files_hold_it
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.validate import validate
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variables import read_variables
count, directory = int(sys.argv[1]), pathlib.Path(sys.argv[2])

def static(net, number):
    return {"enabled": True, "address": [{"ip": f"{net}.{number // 250 + 1}.{number % 250 + 2}", "prefix-length": 16}]}

def host(number):
    macs = [f"52:54:{port:02x}:00:{number // 256:02x}:{number % 256:02x}" for port in range(2)]
    bond = {"name": "bond0", "type": "bond", "state": "up", "ipv4": static("10.1", number), "link-aggregation": {"mode": "802.3ad", "port": ["eno1", "eno2"]}}
    vlan = {"name": "bond0.20", "type": "vlan", "state": "up", "vlan": {"base-iface": "bond0", "id": 20}, "ipv4": static("10.20", number)}
    ports = [{"name": f"eno{port}", "type": "ethernet", "state": "up", "mac-address": mac} for port, mac in enumerate(macs, 1)]
    route = {"destination": "0.0.0.0/0", "next-hop-address": "10.1.0.1", "next-hop-interface": "bond0"}
    network = {"interfaces": [bond, vlan, *ports], "dns-resolver": {"config": {"server": ["10.1.0.1"]}}, "routes": {"config": [route]}}
    bmc = {"address": f"redfish-virtualmedia+https://10.9.{number // 250}.{number % 250 + 1}/redfish/v1/Systems/1", "username": "u", "password": "p"}
    return {
        "inventory_name": f"n{number}", "role": "master" if number < 3 else "worker", "bmc": bmc, "root_device_hints": {"deviceName": "/dev/sda"},
        "interfaces": [{"name": f"eno{port}", "mac_address": mac} for port, mac in enumerate(macs, 1)], "network_config": network,
    }

cluster = {
    "name": "large", "base_domain": "example.com", "version": "4.22.0", "api_vips": ["10.1.200.1"], "ingress_vips": ["10.1.200.2"],
    "machine_networks": ["10.1.0.0/16"], "cluster_networks": [{"cidr": "10.128.0.0/12", "host_prefix": 23}],
    "pull_secret": json.dumps({"auths": {"quay.io": {"auth": "dXNlcjpnZWhlaW0="}}}),
}
hosts = [host(number) for number in range(count)]
today = datetime.date(2026, 6, 1)
start = time.process_time()
parsed = read_variables(cluster, hosts)
problems = all_problems(parsed, today=today)
files = render_files(parsed.deployment)
variables = time.process_time() - start
for name, text in files.items():
    (directory / name).write_text(text)
start = time.process_time()
again, found = from_directory(directory, version="4.22.0")
problems += [*found, *validate(again, today=today)]
render_files(again)
print(json.dumps({
    "variables": variables, "files": time.process_time() - start, "problems": [problem.text() for problem in problems],
    "same": as_files_hold_it(parsed.deployment) == again,
}))
"""  # noqa: E501


def measured(count: int, directory: Path) -> dict[str, float]:
    directory.mkdir()
    environment = {**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT / ".build"))}
    command = [sys.executable, "-c", PROGRAM, str(count), str(directory)]
    found = json.loads(
        subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    )
    assert found.pop("problems") == []
    assert found.pop("same")
    return found


def test_validate_and_render(tmp_path: Path) -> None:
    times = measured(HOSTS, tmp_path / "500")
    print(f"\n{HOSTS} hosts: from variables {times['variables']:.2f} s CPU, from files {times['files']:.2f} s")
    assert all(seconds <= CPU_SECONDS for seconds in times.values()), times


def test_cost_grows_with_the_hosts(tmp_path: Path) -> None:
    once, twice = measured(HOSTS, tmp_path / "once"), measured(2 * HOSTS, tmp_path / "twice")
    growth = {name: twice[name] / once[name] for name in once}
    print(f"\ntwice the hosts: {growth}")
    assert all(factor <= GROWTH for factor in growth.values()), growth
