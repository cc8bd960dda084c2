# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that no secret is in any output, at any verbosity, in the report, the failure bundle, or a file that others can
read (docs/explanation/security.md).

The output of every run in every test here is searched for the inventory's secrets (:func:`.lab.looked_through`); this
file also searches for the secrets that a build creates.
"""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from .canaries import (
    BMC_PASSWORD,
    FENCING_PASSWORD,
    INVENTORY_SECRETS,
    PROXY_PASSWORD,
    PULL_SECRET,
    forms,
    of_state,
    shown,
)
from .conftest import Installed, canary_inventory
from .lab import Deployment, host_of, read_inventory, without, write_inventory


def secrets_of(deployment: Deployment) -> dict[str, str]:
    """All of a deployment, by name."""
    made = of_state(json.loads((deployment.work_dir / "state.json").read_text()))
    assert {name.split("[")[0].rpartition(".")[2] for name in made} >= {
        "agent_token",
        "user_token",
        "watcher_token",
        "kubeadmin_password",
        "key",
    }, sorted(made)
    return (
        INVENTORY_SECRETS
        | made
        | {"kubeadmin-password": (deployment.work_dir / "auth" / "kubeadmin-password").read_text().strip()}
    )


def others_can_read(path: Path, top: Path) -> bool:
    """Whether a stranger who can enter ``top`` reaches and reads this file."""
    parents = [parent for parent in path.parents if top in parent.parents]
    return bool(path.stat().st_mode & (stat.S_IROTH | stat.S_IRGRP)) and all(
        parent.stat().st_mode & (stat.S_IXOTH | stat.S_IXGRP) for parent in parents
    )


def test_a_search_finds_every_form() -> None:
    for text in (
        BMC_PASSWORD,
        json.dumps({"password": BMC_PASSWORD}),
        json.dumps(json.dumps([BMC_PASSWORD])),
        repr(BMC_PASSWORD),
    ):
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
    readable = [
        path for path in deployment.work_dir.rglob("*") if path.is_file() and others_can_read(path, deployment.work_dir)
    ]
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
    cluster["proxy"] = {
        "http_proxy": f"http://user:{PROXY_PASSWORD}@192.168.111.1:3128",
        "https_proxy": f"http://user:{PROXY_PASSWORD}@192.168.111.1:3128",
    }
    credentials = [
        {
            "hostname": name,
            "address": host_of(inventory, name)["bmc"]["address"],
            "username": "admin",
            "password": FENCING_PASSWORD,
        }
        for name in ("master-0", "master-1")
    ]
    cluster["install_config_overrides"] = {"controlPlane": {"fencing": {"credentials": credentials}}}
    cluster["extra_manifests"] = [
        {
            "name": "note.yaml",
            "content": {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": "a"},
                "stringData": {"b": BMC_PASSWORD},
            },
        }
    ]


MISSPELT = {
    "pasword": "a1",
    "passwrd": "b2",
    "bmc.pass": "c3",
    "Password": "d4",
    "tokn": "e5",
    "passwort": 66442200998877,
}


def with_misspelt_keys(inventory: dict[str, Any]) -> dict[str, str]:
    """Secrets under unknown keys; their values, by key."""
    cluster = inventory["all"]["vars"]["openshift_cluster"]
    bmc = host_of(inventory, "sno-0")["bmc"]
    values = {key: f"canary-{word}-misspelt-0f3a" if isinstance(word, str) else word for key, word in MISSPELT.items()}
    bmc |= values
    cluster |= {
        "pullsecret": 'canary-pull-"misspelt-77',
        "pull-secret": PULL_SECRET,
        "tokn": "canary-token-of-the-cluster",
    }
    return {
        **{key: str(value) for key, value in values.items()},
        "pullsecret": str(cluster["pullsecret"]),
        "cluster tokn": str(cluster["tokn"]),
    }


def test_secrets_under_misspelt_keys(tmp_path: Path) -> None:
    inventory = read_inventory("sno")
    secrets = with_misspelt_keys(inventory)
    deployment = Deployment(None, write_inventory(tmp_path / "hosts.json", inventory), tmp_path)
    run = deployment.refused(
        "-vvv", "--diff", extra={"openshift_base_image": {"path": "base.iso", "version": "4.22.0"}}
    )
    assert (
        "openshift_cluster.pullsecret: Unknown field" in run.message and ".bmc.pasword: Unknown field" in run.message
    ), run.message
    assert shown(run.output, INVENTORY_SECRETS | secrets) == [], run.output


def test_user_and_password_in_urls(tmp_path: Path) -> None:
    """Of the base image, the image's place, a proxy and a BMC: in plain output, in every result at -vvv and in
    messages.
    """
    inventory = canary_inventory("sno", tmp_path, with_passwords_in_urls)
    deployment = Deployment(None, inventory, tmp_path)
    url = f"http://user:{PROXY_PASSWORD}@127.0.0.1:9/base.iso"
    nowhere = dict.fromkeys(["192.168.126.10:8090", "api.sno.example.com:6443"], "127.0.0.1:9")
    more = {
        "openshift_base_image": {"url": url, "sha256": "0" * 64, "version": "4.22.0"},
        "openshift_connect_to": nowhere,
        "openshift_checks": {"release-not-pinned": "off"},
    }
    run = deployment.run("deploy_cluster", "--check", "-vvv", "--diff", extra=more)
    assert "127.0.0.1:9/base.iso" in run.output and "httpProxy" in run.output, run.output
    refused = deployment.refused("-vvv", extra={**more, "openshift_publish": {"method": "none", "url": url}})
    assert refused.message.startswith(
        "openshift_publish.url: Forbidden: the URL must not contain a user or password"
    ), refused.output


def with_passwords_in_urls(inventory: dict[str, Any]) -> None:
    proxy = f"http://user:{PROXY_PASSWORD}@192.168.111.1:3128"
    inventory["all"]["vars"]["openshift_cluster"]["proxy"] = {"http_proxy": proxy, "https_proxy": proxy}


def test_secrets_in_unusual_places(compact: Deployment) -> None:
    # Two nodes with fencing, as a plan with all differences shown ...
    two_nodes = compact.described_as(
        lambda inventory: (without(inventory, "control_plane", ["master-2"]), with_more_secrets(inventory))
    )
    plan = two_nodes.deployed("--check", "--diff", "-vvv")
    assert "fencing" in plan.output and "httpProxy" in plan.output, plan.output
    # ... and where the fencing is a mistake, in the message about it.
    three_nodes = compact.described_as(with_more_secrets)
    refused = three_nodes.refused("--diff", "-vvv")
    assert "fencing" in refused.message, refused.message
