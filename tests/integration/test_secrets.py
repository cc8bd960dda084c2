# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""No secret in any output, at any verbosity, in the report, the failure bundle, or a file that others can read (design 4).

Every run of every test here is searched for the inventory's secrets (:func:`.lab.looked_through`); here also for those that a build makes.
"""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from .canaries import BMC_PASSWORD, FENCING_PASSWORD, INVENTORY_SECRETS, PROXY_PASSWORD, forms, of_state, shown
from .conftest import Installed
from .lab import Deployment, host_of, without


def secrets_of(deployment: Deployment) -> dict[str, str]:
    """All of a deployment, by name."""
    made = of_state(json.loads((deployment.work_dir / "state.json").read_text()))
    assert {name.split("[")[0].rpartition(".")[2] for name in made} >= {"agent_token", "user_token", "watcher_token", "kubeadmin_password", "key"}, sorted(made)
    return INVENTORY_SECRETS | made | {"kubeadmin-password": (deployment.work_dir / "auth" / "kubeadmin-password").read_text().strip()}


def others_can_read(path: Path, top: Path) -> bool:
    """Whether a stranger who can enter ``top`` reaches and reads this file."""
    parents = [parent for parent in path.parents if top in parent.parents]
    return bool(path.stat().st_mode & (stat.S_IROTH | stat.S_IRGRP)) and all(parent.stat().st_mode & (stat.S_IXOTH | stat.S_IXGRP) for parent in parents)


def test_a_search_finds_every_form() -> None:
    for text in (BMC_PASSWORD, json.dumps({"password": BMC_PASSWORD}), json.dumps(json.dumps([BMC_PASSWORD])), repr(BMC_PASSWORD)):
        assert shown(f"msg: {text}") == ["BMC password"] or "'" in text, text
    assert all(len(form) > 8 for secret in INVENTORY_SECRETS.values() for form in forms(secret))


@pytest.mark.parametrize("which", ["first", "second"])
def test_output_of_good_runs(installed: Installed, which: str) -> None:
    output = getattr(installed, which).output
    assert "invocation" in output and "install-config.yaml" in installed.first.output, "the run was not verbose"
    assert shown(output, secrets_of(installed.deployment)) == []


def test_files_of_a_good_run(installed: Installed) -> None:
    deployment = installed.deployment
    assert stat.S_IMODE(deployment.work_dir.stat().st_mode) == 0o700
    secrets = secrets_of(deployment)
    for name in ("report.html", "report.json"):
        assert shown((deployment.work_dir / name).read_text(), secrets) == [], name
    # Should the user open the directory to others, what is secret in it stays closed.
    readable = [path for path in deployment.work_dir.rglob("*") if path.is_file() and others_can_read(path, deployment.work_dir)]
    assert [path for path in readable if shown(path.read_text(errors="replace"), secrets)] == []


def test_output_and_bundle_of_a_failing_run(sno: Deployment) -> None:
    sno.lab.fault("install-fails", "sno-0", count=1)
    run = sno.refused("-vvv", "--diff")
    secrets = secrets_of(sno)
    assert shown(run.output, secrets) == []
    bundle = Path(run.failure["log_dir"])
    files = [path for path in bundle.rglob("*") if path.is_file()]
    assert {"cluster.json", "hosts.json", "bmc.json"} <= {path.name for path in files}
    for path in files:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
        assert shown(path.read_bytes().decode(errors="replace"), secrets) == [], path
    assert shown((sno.work_dir / "report.html").read_text(), secrets) == []


def with_more_secrets(inventory: dict[str, Any]) -> None:
    """Passwords in places that are no password fields: in a URL, and deep in overrides."""
    cluster = inventory["all"]["vars"]["openshift_cluster"]
    cluster["proxy"] = {"http_proxy": f"http://user:{PROXY_PASSWORD}@192.168.111.1:3128", "https_proxy": f"http://user:{PROXY_PASSWORD}@192.168.111.1:3128"}
    credentials = [
        {"hostname": name, "address": host_of(inventory, name)["bmc"]["address"], "username": "admin", "password": FENCING_PASSWORD}
        for name in ("master-0", "master-1")
    ]
    cluster["install_config_overrides"] = {"controlPlane": {"fencing": {"credentials": credentials}}}
    cluster["extra_manifests"] = [
        {"name": "note.yaml", "content": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": {"b": BMC_PASSWORD}}}
    ]


def test_secrets_in_unusual_places(compact: Deployment) -> None:
    # Two nodes with fencing, as a plan with all differences shown ...
    two_nodes = compact.described_as(lambda inventory: (without(inventory, "control_plane", ["master-2"]), with_more_secrets(inventory)))
    plan = two_nodes.deployed("--check", "--diff", "-vvv")
    assert "fencing" in plan.output and "httpProxy" in plan.output, plan.output
    # ... and where the fencing is a mistake, in the message about it.
    three_nodes = compact.described_as(with_more_secrets)
    refused = three_nodes.refused("--diff", "-vvv")
    assert "fencing" in refused.message, refused.message
