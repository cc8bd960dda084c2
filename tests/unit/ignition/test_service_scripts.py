# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the live system's scripts around assisted-service: waiting for it, writing its hardware requirements for hosts,
and starting the agent that connects to it. They run in a temporary root directory.
"""

from __future__ import annotations

import json

import pytest

from .scratch import SERVICE, NewSandbox


def test_waiting_for_the_service(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.answers("GET", "/infra-envs", "fail", "fail", "[]")
    assert box.run("wait-for-assisted-service.sh", env=SERVICE).returncode == 0
    assert box.lines("/sleeps") == ["5", "5"]
    assert set(box.lines("/curl-calls")) == {"GET http://192.168.0.10:8090/api/assisted-install/v2/infra-envs"}


def test_waiting_for_an_infra_env(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.answers("GET", "/infra-envs", "fail", "[]", '[{"id": "e1"}]')
    assert box.run("wait-for-assisted-service.sh", "infra-env", env=SERVICE).returncode == 0
    assert box.lines("/sleeps") == ["5", "5"]


def test_the_token_is_sent_but_never_an_argument(sandbox: NewSandbox) -> None:
    box = sandbox()
    curl = box.bin / "curl"
    curl.write_text(curl.read_text().replace("\n", '\nprintf "%s\\n" "$*" >>"$SCRATCH/arguments"\n', 1))
    box.answers("GET", "/infra-envs", "[]")
    box.run("wait-for-assisted-service.sh", env=SERVICE)
    assert box.lines("/curl-config") == ['header = "Authorization: the-user-token"']
    assert "the-user-token" not in box.read("/arguments")
    assert "--noproxy *" in box.read("/arguments")


def test_the_agent_runs_against_the_only_infra_env(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.write("/usr/local/bin/agent", '#!/bin/bash\nprintf "%s\\n" "$*" >"$SCRATCH/agent-arguments"\n')
    box.write("/run/agent-installer/agent-image", "registry/agent@sha256:00\n")
    box.answers("GET", "/infra-envs", "fail", "[]", '[{"id": "e1"}]')
    assert box.run("start-agent.sh", env=SERVICE).returncode == 0
    assert box.lines("/agent-arguments") == [
        ("--url http://192.168.0.10:8090/ --infra-env-id e1 --agent-version registry/agent@sha256:00 --insecure=true")
    ]
    assert box.lines("/sleeps") == ["5", "5"]


ENV = "/usr/local/share/assisted-service/assisted-service.env"


@pytest.mark.parametrize(
    ("manifest", "disk"), [("kind: ConfigMap\n", 100), ("apiVersion: v1\nkind: InternalReleaseImage\n", 220)]
)
def test_hardware_requirements_are_written_at_boot(sandbox: NewSandbox, manifest: str, disk: int) -> None:
    box = sandbox()
    box.write("/etc/assisted/extra-manifests/a-0.yaml", manifest)
    before = box.env_file(ENV)
    assert box.run("configure-assisted-hw-requirements.sh").returncode == 0
    after = box.env_file(ENV)
    (requirements,) = json.loads(after.pop("HW_VALIDATOR_REQUIREMENTS"))
    assert before.pop("HW_VALIDATOR_REQUIREMENTS") == "TO_BE_REPLACED_BY_SYSTEMD"
    assert after == before
    assert requirements == {
        "version": "default",
        "master": requirement(4, 16384, disk, 100, 0),
        "arbiter": requirement(2, 8192, 50, 1000, 0),
        "worker": requirement(2, 8192, 100, 1000, 10),
        "sno": {
            key: value
            for key, value in requirement(4, 16384, disk, 0, 0).items()
            if not key.startswith(("network", "packet"))
        },
    }


def requirement(cpus: int, memory: int, disk: int, latency: int, loss: int) -> dict[str, int]:
    return {
        "cpu_cores": cpus,
        "ram_mib": memory,
        "disk_size_gb": disk,
        "installation_disk_speed_threshold_ms": 10,
        "network_latency_threshold_ms": latency,
        "packet_loss_percentage": loss,
    }


def test_hardware_requirements_without_extra_manifests(sandbox: NewSandbox) -> None:
    box = sandbox()
    assert box.run("configure-assisted-hw-requirements.sh").returncode == 0
    assert '"disk_size_gb":220' not in box.env_file(ENV)["HW_VALIDATOR_REQUIREMENTS"]
    # A second run, after a restart of the service, finds nothing to replace.
    once = box.read(ENV)
    assert box.run("configure-assisted-hw-requirements.sh").returncode == 0
    assert box.read(ENV) == once
