# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A cluster that somebody else made and a deployment goes on with (``cluster_id``): it is never taken away from here."""

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
def theirs(door, described, pull_secret):
    """The id of their cluster, made with another tool."""
    options = {
        "base_dns_domain": "example.com",
        "openshift_version": "4.22.0",
        "arch": "x86_64",
        "high_availability_mode": "None",
        "user_managed_networking": True,
    }
    return door("assisted_cluster", name="edge", pull_secret=pull_secret, **options)["cluster"]["id"]


@pytest.fixture
def adopted(door, described, theirs):
    """A deployment that went on with it."""
    done = door("assisted_deployment", **described, cluster_id=theirs)
    assert not done.get("failed") and done["cluster"]["id"] == theirs, done["msg"]
    return {**described, "cluster_id": theirs}


def section(described):
    return StateFile(Path(described["work_dir"]) / "state.json").section("assisted")


def gone(fake):
    return [path for method, path, _body in fake.writes if method == "DELETE"]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("check", [True, False])
def test_it_is_not_taken_away(fake, door, adopted, theirs, check, named):
    assert section(adopted)["adopted"] is True and len(fake.infra_envs) == 1
    if not named:
        del adopted["cluster_id"]
    done = door("assisted_deployment", state="absent", check=check, **adopted)
    assert (done["plan"], done["changed"], gone(fake)) == ([], False, [])
    assert done["stays"] == [f"Cluster edge ({theirs}) was not made from this work directory."]


def test_one_that_was_only_named_is_not_taken_away(fake, door, described, theirs):
    assert door("assisted_deployment", state="absent", cluster_id=theirs, **described)["stays"] and gone(fake) == []


@pytest.mark.parametrize("before", [True, False])
def test_it_is_not_made_anew(fake, door, described, theirs, before):
    """Also by the run that hears of it first."""
    described["cluster_id"] = theirs
    if before:
        door("assisted_deployment", **described)
    done = door("assisted_deployment", force=["start_over"], **described)
    assert "Cluster edge was not made from here" in done["msg"] and (list(fake.clusters), gone(fake)) == ([theirs], [])


def test_once_its_owner_deleted_it_what_was_made_here_goes(fake, door, adopted):
    fake.clusters.clear()
    done = door("assisted_deployment", state="absent", **adopted)
    assert (done["plan"], done["stays"], fake.infra_envs) == (["delete infra-env edge"], [], {})


def test_what_is_gone_is_gone_the_second_time_too(fake, door, adopted):
    """The state file is the door's last trace; a run that finds nothing leaves none."""
    fake.clusters.clear()
    door("assisted_deployment", state="absent", **adopted)
    state = Path(adopted["work_dir"]) / "state.json"
    state.unlink()
    again = door("assisted_deployment", state="absent", **adopted)
    assert (again["changed"], again["plan"], again["stays"], state.exists()) == (False, [], [], False), again["msg"]


def test_who_adds_hosts_to_it_gets_its_credentials_first(fake, door, described, theirs):
    """Who belongs to it is asked of its API, and without them that answers nobody."""
    fake.clusters[theirs]["status"] = "installed"
    fake.files |= {"kubeconfig-noingress": b"clusters: []", "kubeadmin-password": b"admin-password-x"}
    done = door("assisted_deployment", purpose="add", cluster_id=theirs, **described)
    assert [line.rpartition("/")[2] for line in done["plan"]] == ["kubeconfig", "kubeadmin-password"]
    assert (Path(described["work_dir"]) / "auth" / "kubeconfig").read_text() == "clusters: []"
    assert "whether it is a Node cannot be checked" in done["stop"] and "  " not in done["stop"]


def test_a_cluster_made_in_its_place_is_ours(fake, door, adopted):
    fake.clusters.clear()
    del adopted["cluster_id"]
    door("assisted_deployment", **adopted)
    assert "adopted" not in section(adopted)
    assert "delete cluster edge" in door("assisted_deployment", state="absent", **adopted)["plan"] and fake.clusters == {}
