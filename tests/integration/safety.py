# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Helpers of the safety tests: create labs in which a careless user could damage a running cluster."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from kubernetes import client, config

from .conftest import MakeLab, canary_inventory, canary_site
from .lab import Deployment

HUB = {"address": "10.0.0.5", "base_domain": "hub.example.com"}
Change = Callable[[dict[str, Any]], object]


def rack(
    make_lab: MakeLab, directory: Path, name: str, site: Change | None = None, inventory: Change | None = None
) -> Deployment:
    """Start a lab from a site of the repository, and return a deployment with the inventory of that site. ``site`` and
    ``inventory`` change these two documents first. HOME is an empty directory of the test.
    """
    directory.mkdir(parents=True, exist_ok=True)
    path = canary_site(name, directory)
    document = yaml.safe_load(path.read_text())
    if site is not None:
        site(document)
    path.write_text(yaml.safe_dump(document))
    home = directory / "home"
    home.mkdir()
    return Deployment(
        make_lab(directory, path),
        canary_inventory(name, directory, inventory),
        directory,
        environment={"HOME": str(home)},
    )


def with_hub(document: dict[str, Any]) -> None:
    """A hub, and in the DNS the names by which hosts of a hub fetch their Ignition."""
    cluster = document["clusters"][0]
    address = cluster.get("api_vip") or cluster["rendezvous_ip"]
    domain = f"{cluster['name']}.{cluster['base_domain']}"
    document["networks"][0].setdefault("dns", {})["records"] = {f"api.{domain}": address, f"api-int.{domain}": address}
    document["hub"] = dict(HUB)


def with_stray_kubeconfig(deployment: Deployment) -> Deployment:
    """The hub of the lab is in no variable, but a kubeconfig of it is where kubectl looks for one."""
    deployment.lab.hide("openshift_hub")
    kubeconfig = Path(deployment.environment["HOME"]) / ".kube" / "config"
    kubeconfig.parent.mkdir()
    shutil.copy(deployment.lab.state / "hub.kubeconfig", kubeconfig)
    return deployment


def machine_of(document: dict[str, Any], name: str) -> dict[str, Any]:
    """A machine of a site document."""
    return next(machine for machine in document["machines"] if machine["name"] == name)


def powered_on(system: str = "rhel-8", *names: str) -> Change:
    """The named machines (none: all of them) are on with an operating system of another owner."""

    def change(document: dict[str, Any]) -> None:
        for machine in document["machines"]:
            if not names or machine["name"] in names:
                machine |= {"power": "on", "installed": system}

    return change


def member(machine: str, role: str = "worker", **more: str) -> dict[str, str]:
    return {"machine": machine, "role": role, **more}


def other_machine(document: dict[str, Any], address: str) -> dict[str, Any]:
    """A machine that no inventory names; it is added to the site."""
    first = document["machines"][0]
    machine = {
        **{key: value for key, value in first.items() if key not in ("nics", "addresses", "disks")},
        "name": "other-0",
        "addresses": [address],
        "nics": [{"name": "enp1s0", "mac": "52:54:00:0f:00:01", "network": "machines"}],
        "disks": [{"name": "sda", "size_gib": 480}],
        "bmc": {**first["bmc"], "address": "redfish-virtualmedia+https://10.0.0.90/redfish/v1/Systems/1"},
    }
    document["machines"].append(machine)
    return machine


def elsewhere(document: dict[str, Any], *members: dict[str, str], api: str, address: str, **more: Any) -> None:
    """An installed cluster ``elsewhere`` of another team: a control-plane host of its own, and these machines as
    further members.
    """
    other_machine(document, address)
    cluster = {
        "name": "elsewhere",
        "base_domain": "example.net",
        "api_vip": api,
        "installed": True,
        "members": [member("other-0", "master"), *members],
    }
    document.setdefault("clusters", []).append(cluster | more)


class Shelf:
    """A lab with an installed cluster that tests share as long as it is as it was: a test that finds it changed gets a
    new one.
    """

    def __init__(self, make: Callable[[Path], Deployment], directory: Path) -> None:
        self._make, self._directory = make, directory
        self._deployment: Deployment | None = None
        self._count = 0
        self._as_left: tuple[Any, ...] = ()

    def get(self) -> Deployment:
        """The deployment, complete, with a lab without faults."""
        if self._deployment is not None:
            self._deployment.lab.clear_faults()
            if self._look(self._deployment) == self._as_left:
                return self._deployment
            self._deployment.lab.down()
        self._count += 1
        made = self._deployment = self._make(self._directory / str(self._count))
        made.deployed()
        self._as_left = self._look(made)
        return made

    @staticmethod
    def _look(deployment: Deployment) -> tuple[Any, ...]:
        lab = deployment.lab
        return lab.powers(), lab.boots(), lab.bmc_writes(refused=True), lab.nodes(), deployment.work_dir.is_dir()


def core_api(deployment: Deployment) -> client.CoreV1Api:
    """The API of the newest cluster of the lab."""
    configuration = client.Configuration()
    config.load_kube_config(str(deployment.lab.kubeconfig()), client_configuration=configuration)
    cluster = deployment.lab.status()["clusters"][-1]
    configuration.tls_server_name = f"api.{cluster['name']}.{cluster['base_domain']}"
    return client.CoreV1Api(client.ApiClient(configuration))


def mentions(text: str, *words: str) -> None:
    """Fails with the text unless it has all the words."""
    missing = [word for word in words if word not in text]
    assert not missing, f"{missing} missing in: {text}"
