# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the fixtures of the integration tests: labs and deployments. All secrets in them are canaries, and no output
of any run may contain one.
"""

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
from xdist.scheduler import LoadScopeScheduling

from .assisted_lab import Bench, RunModule, module_runner, running_service
from .canaries import BMC_PASSWORD, PULL_SECRET
from .lab import ROOT, Deployment, Lab, Run, read_inventory, without, write_inventory

# These test files use fixture ``installed``.
SHARE_A_DEPLOYMENT = ("test_access", "test_image", "test_secrets")
# Each test of these files has a separate lab.
SHARE_NOTHING = ("test_each_method", "test_jobs", "test_characterisation", "test_notify", "test_safety_loops")
# The slowest test files, slowest first.
LONG = (
    *SHARE_NOTHING,
    *(
        "test_assisted_deploy",
        "test_hosted",
        "test_hub",
        "test_hub_hosted",
        "test_hub_destroy",
        "test_hub_bare_metal",
        "test_hub_rbac",
    ),
    *("test_killed", "test_resume", "test_hub_agents", "test_repeat"),
    *(
        "test_faults",
        "test_capi",
        "test_hypershift",
        "test_hub_infra_env",
        "test_mistakes",
        "test_bmc_profiles",
        "test_kni22",
        "test_resume_lost",
    ),
    *("test_install", "test_commands", "test_boot", "test_manual"),
)
MakeLab = Callable[[Path, Path], Lab]


class ByModule(LoadScopeScheduling):
    """Each module goes to one worker: its tests share a lab, and some build on each other.

    So do the modules that share a deployment. Tests that share nothing go to any worker.

    A scheduler of our own, since groups of tests (``xdist_group``) do nothing with xdist 3.8 on pytest 9.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        if Path(file).stem in SHARE_NOTHING:
            return nodeid
        return "installed" if Path(file).stem in SHARE_A_DEPLOYMENT else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByModule:
    config.option.loadscopereorder = False  # as pytest_collection_modifyitems has them
    return ByModule(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The modules that share a deployment first, then those that take longest."""
    items.sort(
        key=lambda item: (
            item.path.stem not in SHARE_A_DEPLOYMENT,
            LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG),
        )
    )


@pytest.fixture(scope="session")
def labs() -> list[Lab]:
    """Those that run for the tests of one module."""
    return []


def take_down(started: list[Lab]) -> None:
    violations = [text for lab in started for text in lab.down()]
    started.clear()
    assert not violations, "answers of the lab's service are not as the API description has them"


@pytest.fixture(scope="session")
def make_lab(labs: list[Lab]) -> MakeLab:
    """``make_lab(directory, site file)``: a running lab."""

    def make(directory: Path, site: Path) -> Lab:
        lab = Lab(directory, site)
        labs.append(lab)
        lab.up()
        return lab

    return make


@pytest.fixture(scope="module", autouse=True)
def ends_with_module(labs: list[Lab]) -> Iterator[None]:
    """The labs of a module end with it: an unused lab still costs a tenth of a processor."""
    yield
    take_down(labs)


def canary_site(name: str, directory: Path) -> Path:
    """The site of an inventory of the repository; its BMCs have the canary for a password."""
    site = yaml.safe_load((ROOT / "inventories" / name / "rack.yml").read_text())
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
    """``make_deployment("sno", change)``: a lab of that site and its inventory, changed by ``change``; the lab ends
    with the test.
    """
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
    manifest = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "note", "namespace": "default"},
        "data": {"text": "from the inventory"},
    }
    inventory["all"]["vars"]["openshift_cluster"] |= {
        "ntp_sources": ["192.168.126.1"],
        "extra_manifests": [{"name": "note.yaml", "content": manifest}],
        "additional_trust_bundle": certificate(),
    }


def certificate() -> str:
    """A company's CA, good for a day."""
    key, name = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a company")]),
    )
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    )
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    made = builder.not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1)).sign(key, hashes.SHA256())
    return made.public_bytes(serialization.Encoding.PEM).decode()


@dataclasses.dataclass(frozen=True)
class Installed:
    """A deployment that is complete, and the runs that it took."""

    deployment: Deployment
    first: Run
    second: Run


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    """A single node deployed twice, everything told. Tests that share it only read."""
    directory = tmp_path_factory.mktemp("installed")
    lab = Lab(directory, canary_site("sno", directory))
    try:
        lab.up()
        deployment = Deployment(lab, canary_inventory("sno", directory, with_everything), directory)
        first = deployment.deployed("-vvv", "--diff")
        before = lab.writes()
        second = deployment.deployed("-vvv", "--diff")
        assert lab.writes() == before, "the second run wrote to a BMC"
        yield Installed(deployment, first, second)
    finally:
        take_down([lab])


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """The lab's assisted-service, one for each module."""
    with running_service(INFRA_ENV_ID="", INSTALL_INVOKER="", DEPLOY_TARGET="onprem") as running:
        yield running


@pytest.fixture
def run_module(bench: Bench, capfd: pytest.CaptureFixture[str]) -> RunModule:
    """A module to it."""
    return module_runner(bench, capfd)
