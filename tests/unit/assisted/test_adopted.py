# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a deployment that continues with a cluster which another tool created (option ``cluster_id``): the collection
never removes this cluster.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile

HOST = {"inventory_name": "one", "role": "master", "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:01"}]}


@pytest.fixture
def described(tmp_path, pull_secret):
    cluster = {
        "name": "edge",
        "base_domain": "example.com",
        "version": "4.22.0",
        "platform": "none",
        "pull_secret": pull_secret,
        "machine_networks": ["192.0.2.0/24"],
        "ssh_public_keys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFFqxkMhK3Oo0Vb6wiwGPbtNBrNzlP3rl64oT6WvJqp5"],
    }
    return {"work_dir": str(tmp_path / "edge"), "cluster": cluster, "hosts": [HOST]}


@pytest.fixture
def theirs(run_module, described, pull_secret):
    """The id of their cluster, made with another tool."""
    options = {
        "base_dns_domain": "example.com",
        "openshift_version": "4.22.0",
        "arch": "x86_64",
        "high_availability_mode": "None",
        "user_managed_networking": True,
    }
    return run_module("assisted_cluster", name="edge", pull_secret=pull_secret, **options)["cluster"]["id"]


@pytest.fixture
def adopted(run_module, described, theirs):
    """A deployment that went on with it."""
    done = run_module("assisted_deployment", **described, cluster_id=theirs)
    assert not done.get("failed") and done["cluster"]["id"] == theirs, done["msg"]
    return {**described, "cluster_id": theirs}


def section(described):
    return StateFile(Path(described["work_dir"]) / "state.json").section("assisted")


def gone(fake):
    return [path for method, path, _body in fake.writes if method == "DELETE"]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("check", [True, False])
def test_it_is_not_taken_away(fake, run_module, adopted, theirs, check, named):
    assert section(adopted)["adopted"] is True and len(fake.infra_envs) == 1
    if not named:
        del adopted["cluster_id"]
    done = run_module("assisted_deployment", state="absent", check=check, **adopted)
    assert (done["plan"], done["changed"], gone(fake)) == ([], False, [])
    assert done["stays"] == [f"Cluster edge ({theirs}) was not created from this work directory."]


def test_one_that_was_only_named_is_not_taken_away(fake, run_module, described, theirs):
    assert (
        run_module("assisted_deployment", state="absent", cluster_id=theirs, **described)["stays"] and gone(fake) == []
    )


@pytest.mark.parametrize("before", [True, False])
def test_it_is_not_created_again(fake, run_module, described, theirs, before):
    """Also by the run that hears of it first."""
    described["cluster_id"] = theirs
    if before:
        run_module("assisted_deployment", **described)
    done = run_module("assisted_deployment", force=["start_over"], **described)
    assert "This work directory did not create cluster edge" in done["msg"] and (list(fake.clusters), gone(fake)) == (
        [theirs],
        [],
    )


def test_once_its_owner_deleted_it_what_was_made_here_goes(fake, run_module, adopted):
    fake.clusters.clear()
    done = run_module("assisted_deployment", state="absent", **adopted)
    assert (done["plan"], done["stays"], fake.infra_envs) == (["delete infra-env edge"], [], {})


def test_what_is_gone_is_gone_the_second_time_too(fake, run_module, adopted):
    """The state file is the module's last trace; a run that finds nothing leaves none."""
    fake.clusters.clear()
    run_module("assisted_deployment", state="absent", **adopted)
    state = Path(adopted["work_dir"]) / "state.json"
    state.unlink()
    again = run_module("assisted_deployment", state="absent", **adopted)
    assert (again["changed"], again["plan"], again["stays"], state.exists()) == (False, [], [], False), again["msg"]


def test_who_adds_hosts_to_it_gets_its_credentials_first(fake, run_module, described, theirs):
    """Its members are read from its API, which refuses a client without credentials."""
    fake.clusters[theirs]["status"] = "installed"
    fake.files |= {"kubeconfig-noingress": b"clusters: []", "kubeadmin-password": b"admin-password-x"}
    done = run_module("assisted_deployment", purpose="add", cluster_id=theirs, **described)
    assert [line.rpartition("/")[2] for line in done["plan"]] == ["kubeconfig", "kubeadmin-password"]
    assert (Path(described["work_dir"]) / "auth" / "kubeconfig").read_text() == "clusters: []"
    assert "whether it is a Node cannot be checked" in done["stop"] and "  " not in done["stop"]


def test_a_cluster_made_in_its_place_is_ours(fake, run_module, adopted):
    fake.clusters.clear()
    del adopted["cluster_id"]
    run_module("assisted_deployment", **adopted)
    assert "adopted" not in section(adopted)
    assert (
        "delete cluster edge" in run_module("assisted_deployment", state="absent", **adopted)["plan"]
        and fake.clusters == {}
    )
