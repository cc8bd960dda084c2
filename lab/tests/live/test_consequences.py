# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that machines act only on content that they decoded: remove one file or unit from a complete image, and check
which function the machine then lacks.
"""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from .agent_image import MAC, SHARE, AgentImage
from .playground import Playground, run, sno_site

MANIFESTS = "/etc/assisted/manifests"
BIN = "/usr/local/bin"
NOTHING_REGISTERS = "Nothing registers this host."

# path -> what the console says
WITHOUT_FILE: list[tuple[str, str]] = [
    ("/etc/assisted/rendezvous-host.env", "not configured for a cluster"),
    ("/etc/assisted/rendezvous-host.env", "Failed to load environment files: /etc/assisted/rendezvous-host.env"),
    (f"/etc/assisted/hostnames/{MAC}", "it is called localhost"),
    ("/etc/assisted/network/host0/mac_interface.ini", "no host directory has a MAC address of this machine"),
    ("/etc/assisted/network/host0/enp1s0.nmconnection", "This machine is not the rendezvous host"),
    ("/etc/assisted/hostconfig/sno-0/mac_addresses", "No MAC Addresses file found"),
    (f"{BIN}/pre-network-manager-config.sh", f"Failed to locate executable {BIN}/pre-network-manager-config.sh"),
    (f"{BIN}/set-hostname.sh", f"Failed to locate executable {BIN}/set-hostname.sh"),
    (f"{BIN}/set-node-zero.sh", f"Failed to locate executable {BIN}/set-node-zero.sh"),
    (f"{BIN}/get-container-images.sh", f"Failed to locate executable {BIN}/get-container-images.sh"),
    (
        f"{BIN}/configure-assisted-hw-requirements.sh",
        (f"Failed to locate executable {BIN}/configure-assisted-hw-requirements.sh"),
    ),
    (f"{BIN}/wait-for-assisted-service.sh", f"Failed to locate executable {BIN}/wait-for-assisted-service.sh"),
    (f"{BIN}/start-cluster-installation.sh", f"Failed to locate executable {BIN}/start-cluster-installation.sh"),
    (f"{BIN}/start-agent.sh", NOTHING_REGISTERS),
    (f"{BIN}/extract-agent.sh", NOTHING_REGISTERS),
    (f"{BIN}/release-image.sh", "no release image is named"),
    (f"{SHARE}/assisted-service.env", f"open {SHARE}/assisted-service.env: no such file"),
    (f"{SHARE}/images.env", f"open {SHARE}/images.env: no such file"),
    (
        "/usr/local/share/start-cluster/start-cluster.env",
        ("Failed to load environment files: /usr/local/share/start-cluster/start-cluster.env"),
    ),
    (f"{MANIFESTS}/cluster-deployment.yaml", "open /manifests/cluster-deployment.yaml: no such file"),
    (f"{MANIFESTS}/agent-cluster-install.yaml", "open /manifests/agent-cluster-install.yaml: no such file"),
    (f"{MANIFESTS}/cluster-image-set.yaml", "open /manifests/cluster-image-set.yaml: no such file"),
    (f"{MANIFESTS}/pull-secret.yaml", "open /manifests/pull-secret.yaml: no such file"),
    (f"{MANIFESTS}/infraenv.yaml", "open /manifests/infraenv.yaml: no such file"),
]

WITHOUT_UNIT: list[tuple[str, str]] = [
    ("agent.service", NOTHING_REGISTERS),
    ("node-zero.service", "Unit node-zero.service not found."),
    ("set-hostname.service", "it is called localhost"),
    ("pre-network-manager-config.service", "enp1s0: 02:00:00:00:00:10 no address"),
    ("assisted-service-pod.service", "Unit assisted-service-pod.service not found."),
    ("assisted-service-db.service", "Dependency failed: Unit assisted-service-db.service not found."),
    ("assisted-service.service", "Dependency failed: Unit assisted-service.service not found."),
    ("agent-register-cluster.service", "agent-register-cluster.service: not enabled."),
    ("agent-register-infraenv.service", "agent-register-infraenv.service: not enabled."),
    ("apply-host-config.service", "Dependency failed: apply-host-config.service"),
    ("start-cluster-installation.service", "no unit starts the installation"),
]


async def _console_says(tmp_path: Path, image: AgentImage, text: str) -> None:
    async with Playground(tmp_path / "lab", image.write(tmp_path / "agent.iso"), speed=2000) as playground:
        playground.switch_on()
        await playground.until_console(text)
        assert not playground.lab.clusters.status(), "a cluster came up all the same"


@pytest.mark.parametrize(("path", "text"), WITHOUT_FILE)
def test_without_a_file(tmp_path: Path, path: str, text: str) -> None:
    image = AgentImage()
    del image.files[path]
    run(_console_says(tmp_path, image, text))


@pytest.mark.parametrize(("unit", "text"), WITHOUT_UNIT)
def test_without_a_unit(tmp_path: Path, unit: str, text: str) -> None:
    image = AgentImage()
    del image.units[unit]
    run(_console_says(tmp_path, image, text))


@pytest.mark.parametrize(
    "unit", ["agent.service", "node-zero.service", "set-hostname.service", "start-cluster-installation.service"]
)
def test_a_unit_that_is_not_enabled_does_not_run(tmp_path: Path, unit: str) -> None:
    image = AgentImage()
    image.units[unit] = (image.units[unit][0], False)
    run(_console_says(tmp_path, image, f"{unit}: not enabled"))


def test_programs_must_be_executable_and_in_good_syntax(tmp_path: Path) -> None:
    image = AgentImage()
    image.files[f"{BIN}/start-agent.sh"] = (0o600, "#!/bin/bash\n:\n")
    image.files[f"{BIN}/set-hostname.sh"] = (0o555, "#!/bin/bash\nif\n")
    run(_console_says(tmp_path, image, f"Failed to execute {BIN}/start-agent.sh: Permission denied"))


def test_a_script_with_a_syntax_error_does_not_run(tmp_path: Path) -> None:
    image = AgentImage()
    image.files[f"{BIN}/set-hostname.sh"] = (0o555, "#!/bin/bash\nif\n")
    run(_console_says(tmp_path, image, "syntax error"))


def test_keyfiles_that_others_can_read_are_ignored(tmp_path: Path) -> None:
    image = AgentImage()
    _mode, text = image.files["/etc/assisted/network/host0/enp1s0.nmconnection"]
    image.files["/etc/assisted/network/host0/enp1s0.nmconnection"] = (0o644, text)
    run(_console_says(tmp_path, image, "insecure, ignored"))


def test_tokens_of_another_build_are_refused(tmp_path: Path) -> None:
    image, other = AgentImage(), AgentImage()
    path = "/etc/assisted/rendezvous-host.env"
    mode, text = image.files[path]
    image.files[path] = (mode, text.replace(image.tokens.agent, other.tokens.agent))
    run(_console_says(tmp_path, image, "registration refused: AssistedServiceInfraError Code: 401"))


def test_more_hosts_required_than_there_are_never_become_ready(tmp_path: Path) -> None:
    image = AgentImage()
    path = "/usr/local/share/start-cluster/start-cluster.env"
    mode, text = image.files[path]
    image.files[path] = (mode, text.replace("REQUIRED_WORKER_NODES=0", "REQUIRED_WORKER_NODES=1"))
    run(_console_says(tmp_path, image, "1 of 2 hosts are ready to be installed"))


def test_another_rendezvous_ip_finds_no_service(tmp_path: Path) -> None:
    image = AgentImage()
    path = "/etc/assisted/rendezvous-host.env"
    mode, text = image.files[path]
    image.files[path] = (mode, text.replace("192.168.126.10", "192.168.126.99"))
    run(_console_says(tmp_path, image, "No route to host: no machine has 192.168.126.99"))


def test_two_machines_with_the_rendezvous_ip(tmp_path: Path) -> None:
    async def flow() -> None:
        site = sno_site()
        twin = copy.deepcopy(site["machines"][0])
        twin["name"], twin["bmc"]["address"] = "twin", "https://10.0.0.11/redfish/v1/Systems/1"
        twin["nics"][0]["mac"] = "02:00:00:00:00:11"
        site["machines"].append(twin)
        image = AgentImage()
        path = "/etc/assisted/network/host0/mac_interface.ini"
        image.files[path] = (0o600, f"{MAC}=enp1s0\n02:00:00:00:00:11=enp1s0")
        async with Playground(
            tmp_path / "lab", image.write(tmp_path / "agent.iso"), site=site, speed=1000
        ) as playground:
            for machine in playground.lab.machines.values():
                playground.switch_on(machine)
            both = [lambda name=name: playground.console(name) for name in ("sno-0", "twin")]
            await playground.until(lambda: any("Duplicate address: 192.168.126.10" in console() for console in both))
            await playground.until(lambda: any("is also on" in console() for console in both))

    run(flow())
