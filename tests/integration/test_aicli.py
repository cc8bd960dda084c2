# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run the unmodified aicli, the public command line client of the assisted-service, against the lab's service: from
nothing to an installed cluster.

The model classes of aicli are generated from the same API description, so aicli fails if a response has the wrong form.
The lab also checks every response against the description.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from .assisted_lab import PULL_SECRET, Bench, running_service, scripted

AICLI = Path(sys.executable).parent / "aicli"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKqSLrCNaXZeoRKYFIWeVvTwDOqWTgLIyKRIyWXp9bZ8 lab"
pytestmark = pytest.mark.skipif(
    not AICLI.is_file(), reason=("aicli is not installed beside this Python (requirements/dev.txt)")
)
PARAMETERS = {
    "openshift_version": "4.22",
    "base_dns_domain": "lab.example.com",
    "pull_secret": PULL_SECRET,
    "api_vips": ["192.0.2.5"],
    "ingress_vips": ["192.0.2.6"],
    "minimal": True,
    "tags": ["lab"],
    "hosts": [
        {
            "mac": f"02:00:00:00:00:{number:02x}",
            "name": f"master-{number}",
            "role": "master",
            "disk": "sda",
            "labels": [f"lab/number={number}"],
        }
        for number in (1, 2, 3)
    ],
}
# What a second run of the same command may change: nothing but the time of the last change, and what the monitors do
# meanwhile.
PASSING = (
    "updated_at",
    "status",
    "status_updated_at",
    "checked_in_at",
    "timestamp",
    "validations_info",
    "status_info",
    "stage_updated_at",
)
# The service writes these, too, when its monitor looks at a cluster for the first time.
PASSING += ("connectivity_majority_groups", "ip_collisions")


@dataclasses.dataclass(frozen=True)
class Aicli:
    """Runs the client in a home directory of its own."""

    bench: Bench
    home: Path

    def __call__(self, *arguments: str, expect: int = 0) -> str:
        environment = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "AI_URL": self.bench.url,
            "no_proxy": "127.0.0.1",
        }
        done = subprocess.run(
            [str(AICLI), *arguments],
            env=environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == expect, (arguments, done.stdout, done.stderr)
        return COLOUR.sub("", done.stdout + done.stderr)

    def objects(self) -> dict[str, Any]:
        """All that the service holds, without what passes by itself."""

        async def read() -> Any:
            async with scripted.Client(self.bench.url) as client:
                infra_envs = await client.get("/infra-envs")
                hosts = [host for item in infra_envs for host in await client.get(f"/infra-envs/{item['id']}/hosts")]
                return {"clusters": await client.get("/clusters"), "infra_envs": infra_envs, "hosts": hosts}

        found: dict[str, Any] = self.bench.do(read())
        return {
            kind: [{name: value for name, value in item.items() if name not in PASSING} for item in items]
            for kind, items in found.items()
        }


@pytest.fixture(scope="module")
def aicli(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aicli]:
    home = tmp_path_factory.mktemp("aicli")
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_ed25519.pub").write_text(SSH_KEY)
    (home / "parameters.yml").write_text(yaml.safe_dump(PARAMETERS))
    with running_service(
        AUTH_TYPE="none", INFRA_ENV_ID="", INSTALL_INVOKER="", IMAGE_SERVICE_BASE_URL="http://images.example.com:8888"
    ) as bench:
        yield Aicli(bench, home)


def test_what_the_service_is(aicli: Aicli) -> None:
    reported = aicli("info", "service")
    assert "supported openshift versions: 4.22.0" in reported and "lvm" in reported


def test_a_cluster_and_its_infra_env_are_created_once(aicli: Aicli) -> None:
    assert "Using version 4.22.0" in aicli("create", "cluster", "--paramfile", "parameters.yml", "demo")
    before = aicli.objects()
    assert [item["type"] for item in before["infra_envs"]] == ["minimal-iso"] and before["clusters"][0]["tags"] == "lab"
    assert before["infra_envs"][0]["cluster_id"] == before["clusters"][0]["id"]
    assert "already there" in aicli("create", "cluster", "--paramfile", "parameters.yml", "demo", expect=1)
    assert "already there" in aicli(
        "create", "infraenv", "--paramfile", "parameters.yml", "-P", "cluster=demo", "demo_infra-env", expect=1
    )
    assert aicli.objects() == before


def test_the_image_is_where_it_says(aicli: Aicli) -> None:
    url = aicli("info", "iso", "--short", "demo").strip()
    infra_env = aicli.objects()["infra_envs"][0]["id"]
    assert url == f"http://images.example.com:8888/byid/{infra_env}/4.22.0/x86_64/minimal.iso"
    aicli("download", "discovery-ignition", "demo")
    assert json.loads((aicli.home / "discovery.ign.demo").read_text())["ignition"]["version"] == "3.1.0"


def test_hosts_get_names_and_roles_that_stay(aicli: Aicli) -> None:
    infra_env = aicli.objects()["infra_envs"][0]["id"]
    aicli.bench.boot(infra_env, *(scripted.Machine(number) for number in (1, 2, 3)))
    aicli("wait", "host", "--number", "3", "demo")
    aicli("update", "host", "--paramfile", "parameters.yml")
    before = aicli.objects()
    reported = {
        host["requested_hostname"]: (host["role"], host["installation_disk_path"], json.loads(host["node_labels"]))
        for host in before["hosts"]
    }
    assert reported == {f"master-{number}": ("master", "/dev/sda", {"lab/number": str(number)}) for number in (1, 2, 3)}
    aicli("update", "host", "--paramfile", "parameters.yml")
    assert aicli.objects()["hosts"] == before["hosts"]


def test_a_cluster_is_changed_once(aicli: Aicli) -> None:
    aicli("wait", "cluster", "--status", "ready", "demo")
    manifests = aicli.home / "manifests"
    manifests.mkdir()
    (manifests / "50-lab.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: lab}\n")
    states = []
    for _run in range(2):
        aicli("update", "cluster", "-P", "fips=true", "-P", "tags=[lab,twice]", "demo")
        aicli("create", "manifest", "--dir", "manifests", "demo")
        states.append((aicli.objects(), aicli("list", "manifest", "demo")))
    assert states[0] == states[1]
    cluster = states[0][0]["clusters"][0]
    assert (
        json.loads(cluster["install_config_overrides"]) == {"fips": True}
        and cluster["tags"] == "lab,twice"
        and "50-lab.yaml" in states[0][1]
    )


def test_it_is_installed_and_its_kubeconfig_fetched(aicli: Aicli) -> None:
    aicli("wait", "cluster", "--status", "ready", "demo")
    aicli("start", "cluster", "demo")
    aicli.bench.report_completion_of(aicli.objects()["clusters"][0]["id"])
    aicli("wait", "cluster", "demo")
    assert re.search(r"\bdemo\b.*\binstalled\b", aicli("list", "cluster"))
    assert aicli("start", "cluster", "demo", expect=1)
    for command, file, part in (
        ("kubeconfig", "kubeconfig.demo", "https://api.demo.lab.example.com:6443"),
        ("kubeadmin-password", "kubeadmin-password.demo", "-"),
    ):
        aicli("download", command, "demo")
        first = (aicli.home / file).read_bytes()
        aicli("download", command, "demo")
        assert (aicli.home / file).read_bytes() == first and part in first.decode()
    assert "master-3" in aicli("list", "host") and "Updated status of the cluster to installed" in aicli(
        "list", "event", "demo"
    )


def test_all_of_it_is_taken_away(aicli: Aicli) -> None:
    aicli("delete", "host", "--yes", "master-1", "master-2", "master-3")
    aicli("delete", "infraenv", "--yes", "demo")
    aicli("delete", "cluster", "--yes", "demo")
    assert aicli.objects() == {"clusters": [], "infra_envs": [], "hosts": []}
