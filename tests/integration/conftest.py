# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Labs and deployments for tests; all secrets in them are canaries, and no output of any run may show one."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from .canaries import BMC_PASSWORD, PULL_SECRET
from .lab import ROOT, Deployment, Lab, Run, read_inventory, without, write_inventory

LONG = ("test_resume", "test_resume_lost", "test_repeat", "test_killed")
MakeLab = Callable[[Path, Path], Lab]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share a deployment come first and together, so that one worker has them all (``--dist worksteal``); then those that take longest."""
    items.sort(key=lambda item: ("installed" not in getattr(item, "fixturenames", ()), item.path.stem not in LONG))


@pytest.fixture(scope="session")
def make_lab() -> Iterator[MakeLab]:
    """``make_lab(directory, site file)``: a running lab; all are taken down at the end."""
    labs: list[Lab] = []

    def make(directory: Path, site: Path) -> Lab:
        lab = Lab(directory, site)
        labs.append(lab)
        lab.up()
        return lab

    yield make
    violations = [text for lab in labs for text in lab.down()]
    assert not violations, "answers of the lab's service are not as the API description has them"


def canary_site(name: str, directory: Path) -> Path:
    """The site of an inventory of the repository; its BMCs have the canary for a password."""
    site = yaml.safe_load((ROOT / "inventories" / name / "site.yml").read_text())
    for machine in site["machines"]:
        machine["bmc"]["password"] = BMC_PASSWORD
    path = directory / "site.yml"
    path.write_text(yaml.safe_dump(site))
    return path


def canary_inventory(name: str, directory: Path, change: Callable[[dict[str, Any]], object] | None = None) -> Path:
    """An inventory of the repository with canaries for secrets, changed further by ``change``."""
    inventory = read_inventory(name)
    inventory["all"]["vars"]["openshift_cluster"]["pull_secret"] = PULL_SECRET
    for group in inventory["all"]["children"].values():
        for variables in group["hosts"].values():
            variables["openshift_host"]["bmc"] |= {"username": "admin", "password": BMC_PASSWORD}
    if change:
        change(inventory)
    return write_inventory(directory / "hosts.json", inventory)


@pytest.fixture
def make_deployment(make_lab: MakeLab, tmp_path: Path) -> Iterator[Callable[..., Deployment]]:
    """``make_deployment("sno", change)``: a lab of that site and its inventory, changed by ``change``; the lab ends with the test."""
    labs: list[Lab] = []

    def make(name: str, change: Callable[[dict[str, Any]], object] | None = None) -> Deployment:
        directory = tmp_path / f"{name}{len(labs)}"
        directory.mkdir()
        lab = make_lab(directory, canary_site(name, directory))
        labs.append(lab)
        return Deployment(lab, canary_inventory(name, directory, change), directory)

    yield make
    violations = [text for lab in labs for text in lab.down()]
    assert not violations, "answers of the lab's service are not as the API description has them"


@pytest.fixture
def sno(make_deployment: Callable[..., Deployment]) -> Deployment:
    """A single node, nothing deployed."""
    return make_deployment("sno")


@pytest.fixture
def compact(make_deployment: Callable[..., Deployment]) -> Deployment:
    """The three control-plane hosts of the demo, nothing deployed."""
    return make_deployment("demo", lambda inventory: without(inventory, "workers"))


def with_everything(inventory: dict[str, Any]) -> None:
    """What gives cause for further files in the image."""
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "note", "namespace": "default"}, "data": {"text": "from the inventory"}}
    inventory["all"]["vars"]["openshift_cluster"] |= {
        "ntp_sources": ["192.168.126.1"],
        "extra_manifests": [{"name": "note.yaml", "content": manifest}],
        "additional_trust_bundle": certificate(),
    }


def certificate() -> str:
    """A company's CA, good for a day."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a company")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    made = builder.not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1)).sign(key, hashes.SHA256())
    return made.public_bytes(serialization.Encoding.PEM).decode()


@dataclasses.dataclass(frozen=True)
class Installed:
    """A deployment that is complete, and the runs that it took."""

    deployment: Deployment
    first: Run
    second: Run


@pytest.fixture(scope="session")
def installed(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """A single node deployed twice, everything told. Tests that share it only read."""
    directory = tmp_path_factory.mktemp("installed")
    lab = make_lab(directory, canary_site("sno", directory))
    deployment = Deployment(lab, canary_inventory("sno", directory, with_everything), directory)
    first = deployment.deployed("-vvv", "--diff")
    before = lab.writes()
    second = deployment.deployed("-vvv", "--diff")
    assert lab.writes() == before, "the second run wrote to a BMC"
    return Installed(deployment, first, second)
