# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test playbook preflight: each of twelve faults of one rack is found by its own check, with a remedy; a rack without
faults passes. No BMC is written to.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.preflight.checks import CHECKS

from .canaries import BMC_PASSWORD
from .conftest import MakeLab, canary_inventory, canary_site
from .lab import Deployment, Run, host_of

REGISTRY = {
    "host": "quay.io",
    "username": "lab",
    "password": "not-a-real-password",
    "images": ["openshift-release-dev/ocp-release:4.22.0-x86_64"],
}
DOMAIN = "demo.example.com"
GOOD_RECORDS = {
    f"api.{DOMAIN}": "192.168.111.5",
    f"api-int.{DOMAIN}": "192.168.111.5",
    f"*.apps.{DOMAIN}": "192.168.111.4",
}


def pull_secret(password: str) -> str:
    return json.dumps(
        {
            "auths": {
                "quay.io": {"auth": base64.b64encode(f"lab:{password}".encode()).decode(), "email": "lab@example.com"}
            }
        }
    )


def make_rack(
    make_lab: MakeLab,
    directory: Path,
    change_site: Callable[[dict[str, Any]], object],
    change: Callable[[dict[str, Any]], object],
) -> Deployment:
    """The rack of the demo with a registry and the records of the cluster, both sides changed."""
    path = canary_site("demo", directory)
    site = yaml.safe_load(path.read_text())
    site["registries"] = [REGISTRY]
    site["networks"][0]["dns"]["records"] = dict(GOOD_RECORDS)
    site["clusters"] = [
        {"name": "demo", "base_domain": "example.com", "api_vip": "192.168.111.5", "ingress_vip": "192.168.111.4"}
    ]
    change_site(site)
    path.write_text(yaml.safe_dump(site))

    def described(inventory: dict[str, Any]) -> None:
        inventory["all"]["vars"]["openshift_cluster"]["pull_secret"] = pull_secret(REGISTRY["password"])
        change(inventory)

    return Deployment(make_lab(directory, path), canary_inventory("demo", directory, described), directory)


def preflight(rack: Deployment, *options: str, extra: dict[str, Any] | None = None) -> tuple[Run, list[dict[str, Any]]]:
    """The run, and its verdicts from the report in JSON. No BMC is written to."""
    report = rack.directory / "preflight.json"
    run = rack.untouched(
        "preflight", *options, extra={"openshift_check_report": {"json": str(report)}, **(extra or {})}
    )
    assert report.exists(), run.output
    document = json.loads(report.read_text())
    assert document["ok"] is run.ok and run.changed == 0, run.output
    assert rack.lab.methods() <= {"GET"}, rack.lab.methods()
    assert not rack.work_dir.exists()
    return run, document["checks"]


def unchanged(data: dict[str, Any]) -> None:
    """A rack as it should be."""


def test_a_rack_without_faults(make_lab: MakeLab, tmp_path: Path) -> None:
    rack = make_rack(make_lab, tmp_path, unchanged, unchanged)
    run, verdicts = preflight(rack)
    assert run.ok and not [found for found in verdicts if found["status"] == "FAIL"], run.output
    hosts = list(dict.fromkeys(found["subject"] for found in verdicts if found["check"] == "bmc-login"))
    assert hosts == ["master-0", "master-1", "master-2", "worker-0", "worker-1"]
    assert {found["check"] for found in verdicts} == {check.name for check in CHECKS}
    passed = {found["check"] for found in verdicts if found["status"] == "PASS"}
    assert passed == {check.name for check in CHECKS} - {"licence"}, run.output
    # Again, after the lab's clocks and name servers went wrong.
    rack.lab.fault("dns-silent", count=0)
    rack.lab.fault("ntp-offset", count=0)
    run, verdicts = preflight(rack)
    assert {found["check"] for found in verdicts if found["status"] == "FAIL"} == {
        "dns-api",
        "dns-api-int",
        "dns-apps",
        "dns-wildcard",
        "ntp",
    }, run.output


def planted_in_the_rack(site: dict[str, Any]) -> None:
    machines = {machine["name"]: machine for machine in site["machines"]}
    machines["master-2"]["bmc"]["profile"] = "cifs-only"
    machines["worker-0"]["bmc"]["profile"] = "hpe-ilo5-standard"
    machines["worker-1"]["bmc"]["profile"] = "dell-idrac9-old"
    site["networks"][0]["dns"]["records"] |= {f"api.{DOMAIN}": "192.168.111.77", f"*.{DOMAIN}": "192.168.111.4"}
    # Another cluster has the address of the API.
    other = json.loads(json.dumps(machines["worker-1"]))
    other |= {"name": "other", "addresses": ["192.168.111.90"]}
    other["nics"][0] |= {"mac": "52:54:00:de:0f:01", "network": "machines"}
    other["bmc"] |= {"address": "redfish-virtualmedia+https://10.0.0.99/redfish/v1/Systems/1", "profile": "plain"}
    site["machines"].append(other)
    member = {"machine": "other", "role": "master", "address": "192.168.111.90"}
    site["clusters"].append(
        {
            "name": "old",
            "base_domain": "example.com",
            "api_vip": "192.168.111.5",
            "installed": True,
            "members": [member],
        }
    )


def planted_in_the_inventory(inventory: dict[str, Any]) -> None:
    variables = inventory["all"]["vars"]
    host_of(inventory, "master-0")["bmc"]["password"] = "wrong-password-of-master-0"
    variables["openshift_cluster"]["pull_secret"] = pull_secret("expired")
    variables["openshift_cluster"]["ntp_sources"] = ["192.168.111.1"]
    variables["openshift_publish"] = {"method": "upload", "url": "http://images.example.com/isos"}


# Check, subject, and what the failure must say.
PLANTED = {
    ("bmc-login", "master-0"): "refuses user 'admin' with this password",
    ("machine", "master-1"): "belongs to another machine",
    ("media", "master-2"): "takes CIFS, NFS only",
    ("licence", "worker-0"): "iLO Standard",
    ("firmware", "worker-1"): "older than 6.10.30.00",
    ("bmc-clock", "master-2"): "ahead of this machine",
    ("image-url", "http://images.example.com/isos"): "cannot be reached",
    ("dns-api", f"api.{DOMAIN}"): "192.168.111.77, the cluster is configured with 192.168.111.5",
    ("dns-wildcard", f"validateNoWildcardDNS.{DOMAIN}"): "for a name that does not exist",
    ("vip-free", "192.168.111.5"): "6443, 22623. If this cluster is installed already",
    ("ntp", "192.168.111.1"): "does not answer",
    ("registry", "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"): "refuses the login of the pull secret",
    ("disk-space", None): "GB needed",
    ("state-store", None): "",
}


@pytest.fixture(scope="module")
def found(make_lab: MakeLab, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, list[dict[str, Any]]]:
    directory = tmp_path_factory.mktemp("planted")
    rack = make_rack(make_lab, directory, planted_in_the_rack, planted_in_the_inventory)
    rack.lab.fault("bmc-wrong-mac", "master-1", count=0)
    rack.lab.fault("bmc-clock", "master-2", count=0)
    rack.lab.fault("ntp-silent", count=0)
    # An image that no disk has space for: sparse.
    base = directory / "base.iso"
    base.write_bytes(Path(rack.lab.vars["openshift_base_image"]["path"]).read_bytes())
    with base.open("r+b") as image:
        image.truncate(1 << 43)
    mapping = {
        **rack.lab.vars["openshift_connect_to"],
        "images.example.com:80": "127.0.0.1:1",
        "store.example.com:443": "127.0.0.1:1",
    }
    store = {
        "method": "http",
        "url": "https://store.example.com/states/demo",
        "passphrase": "correct horse battery staple",
    }
    rack.lab.hide("openshift_publish")
    extra = {
        "openshift_base_image": {**rack.lab.vars["openshift_base_image"], "path": str(base)},
        "openshift_connect_to": mapping,
        "openshift_state": store,
    }
    return preflight(rack, extra=extra)


@pytest.mark.parametrize(("check", "subject"), PLANTED)
def test_each_planted_fault_is_found(check: str, subject: str | None, found: tuple[Run, list[dict[str, Any]]]) -> None:
    run, verdicts = found
    failed = [
        each
        for each in verdicts
        if each["check"] == check and each["status"] == "FAIL" and subject in (None, each["subject"])
    ]
    assert len(failed) == 1, run.output
    assert PLANTED[check, subject] in failed[0]["detail"], failed
    assert failed[0]["remedy"] and failed[0]["remedy"] in run.output, failed


def test_nothing_else_fails(found: tuple[Run, list[dict[str, Any]]]) -> None:
    run, verdicts = found
    failed = {each["check"] for each in verdicts if each["status"] == "FAIL"}
    assert failed == {check for check, _subject in PLANTED}, run.output
    assert run.code == 2
    # What cannot be judged behind a fault is skipped.
    of_host = {each["check"]: each["status"] for each in verdicts if each["subject"] == "master-0"}
    assert of_host == {
        "bmc-login": "FAIL",
        **dict.fromkeys(("machine", "media", "licence", "firmware", "bmc-clock"), "SKIP"),
    }


def test_the_table(found: tuple[Run, list[dict[str, Any]]]) -> None:
    run, _verdicts = found
    rows = re.findall(r"^(master-\d|worker-\d)  .*$", run.output, re.MULTILINE)
    assert rows == ["master-0", "master-1", "master-2", "worker-0", "worker-1"], run.output
    assert re.search(r"^master-1  PASS +FAIL +PASS", run.output, re.MULTILINE), run.output
    assert "Traceback" not in run.output


def test_what_a_workflow_gets_has_no_secret(make_lab: MakeLab, tmp_path: Path) -> None:
    rack = make_rack(make_lab, tmp_path, unchanged, planted_in_the_inventory)
    rack.environment["ANSIBLE_SHOW_CUSTOM_STATS"] = "1"
    rack.lab.hide("openshift_publish")
    run, _verdicts = preflight(
        rack,
        extra={
            "openshift_connect_to": {**rack.lab.vars["openshift_connect_to"], "images.example.com:80": "127.0.0.1:1"}
        },
    )
    stats = re.search(r"RUN: (\{.*\})", run.output.partition("CUSTOM STATS")[2])
    assert stats, run.output
    exported = json.loads(stats[1])["openshift_preflight"]
    assert exported["ok"] is False and exported["counts"]["FAIL"] == len(exported["failures"]) == 3, exported
    assert (
        "wrong-password-of-master-0" not in run.output
        and BMC_PASSWORD not in run.output
        and "expired" not in run.output
    )
