# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test two runs that create a cluster or InfraEnv with the same name at the same time. They end with one object, or
with an error that names both.
"""

from __future__ import annotations

import concurrent.futures
import threading
import time
from types import SimpleNamespace

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.cluster import run as cluster
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.cluster.desired import read_requested
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.infra_env import run as infra_env
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.infra_env.plan import DesiredServiceInfraEnv
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    InvalidInput,
    PartialFailure,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.store_link import (
    DIRECTORY,
    StoreLink,
    StoreLost,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.find import Known, find
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.assisted.objects import Maker
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import WorkDir

IMPORT = {"api_vip_dnsname": "api.old.example.com", "openshift_cluster_id": "6f1f9c2e-6a0f-4d0e-9a3c-0c3c5f6d7e8f"}


def at_the_same_time(reach, listing, work):
    """Two runs whose first look is over before either of them creates anything; what each of them returns or raises."""
    barrier = threading.Barrier(2, timeout=10)

    def one(number):
        service, first = reach(), []
        # Real, since the one waits for what the other is doing, however busy the machine is.
        service.clock = SimpleNamespace(now=time.monotonic, sleep=lambda seconds: time.sleep(0.02))
        look = getattr(service, listing)

        def together(*arguments):
            found = look(*arguments)
            if not first:
                first.append(True)
                barrier.wait()
            return found

        setattr(service, listing, together)
        try:
            return work(service, number)
        except ZeroTouchError as error:
            return error

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(one, range(2)))


def make_cluster(pull_secret, **more):
    def work(service, number):
        options = {
            "name": "edge",
            "openshift_version": "4.22",
            "pull_secret": pull_secret,
            **{key: value[number] for key, value in more.items()},
        }
        return cluster.make_present(service, read_requested(options), check_mode=False)

    return work


def test_one_cluster_stays_and_has_what_both_want(fake, reach, pull_secret):
    overrides = {"install_config_overrides": ["{}", None], "ssh_public_keys": [None, ["ssh-ed25519 AAAA"]]}
    done = at_the_same_time(reach, "clusters", make_cluster(pull_secret, **overrides))
    (left,) = fake.clusters.values()
    assert [item.value["cluster"]["id"] for item in done] == [left["id"]] * 2 and left["ssh_public_key"]
    assert all(item.value["changed"] for item in done)
    assert sum("Another run created cluster edge" in "".join(item.warnings) for item in done) == 1


def test_a_setting_of_one_run_that_the_cluster_cannot_get_is_reported(fake, reach, pull_secret):
    done = at_the_same_time(reach, "clusters", make_cluster(pull_secret, arch=["x86_64", "aarch64"]))
    assert len(fake.clusters) == 1 and sum(isinstance(item, InvalidInput) for item in done) == 1


def test_a_cluster_is_imported_once(fake, reach):
    def work(service, _number):
        return cluster.make_present(service, read_requested({"name": "old", "existing": IMPORT}), check_mode=False)

    done = at_the_same_time(reach, "clusters", work)
    assert len(fake.clusters) == 1 and {item.value["cluster"]["id"] for item in done} == set(fake.clusters)


def test_one_infra_env_stays(fake, reach, pull_secret):
    def work(service, number):
        options = {"name": "site", "pull_secret": pull_secret, "ntp_sources": [["192.0.2.1"], None][number]}
        return infra_env.make_present(service, options, check_mode=False)

    done = at_the_same_time(reach, "infra_envs", work)
    (left,) = fake.infra_envs.values()
    assert [item.value["infra_env"]["id"] for item in done] == [left["id"]] * 2 and left["ntp_sources"] == "192.0.2.1"


def test_the_oldest_waits_for_the_other_to_go_and_names_it_if_it_stays(fake, reach, clock, pull_secret):
    """A second one of another tool is not deleted."""
    service, seen = reach(), []

    def clusters_with_hosts():
        seen.append(True)
        fake.clusters["z"] = {"id": "z", "name": "edge", "created_at": "2026-12-01T00:00:00Z"}
        return list(fake.clusters.values())

    service.clusters_with_hosts = clusters_with_hosts
    with pytest.raises(
        PartialFailure, match=r"There are two clusters of one name: .* and z, made at the same time"
    ) as caught:
        make_cluster(pull_secret)(service, 0)
    assert caught.value.result["done"] == ["create cluster edge (it does not exist)"] and len(fake.clusters) == 2
    assert clock.time == 15 and len(seen) == 31


def test_what_is_used_already_is_not_taken_back(fake, reach, pull_secret):
    service = reach()
    create = service.create_infra_env

    def together(body):
        fake.infra_envs["a"] = {"id": "a", "name": "site", "created_at": "2026-01-01T00:00:00Z"}
        made = create(body)
        fake.add_host(made["id"], "node-1", "52:54:00:00:00:01")
        return made

    service.create_infra_env = together
    with pytest.raises(
        PartialFailure,
        match=(
            r"two InfraEnvs of one name: .*, created by this run, and a, older .* used "
            r"already: host"
        ),
    ):
        infra_env.make_present(service, {"name": "site", "pull_secret": pull_secret}, check_mode=False)
    assert len(fake.infra_envs) == 2


def deploy(directory, pull_secret):
    """A deployment from one of two work directories."""

    def work(service, number):
        work_dir = WorkDir(directory / str(number))
        requested = read_requested({"name": "edge", "openshift_version": "4.22", "pull_secret": pull_secret})
        found = find(service, Known.of(work_dir), "edge")
        return Maker(service, work_dir, False).present(
            found, requested, DesiredServiceInfraEnv("edge", {}, pull_secret=pull_secret)
        )

    return work


def test_two_deployments_of_one_cluster_end_with_one_image(fake, reach, pull_secret, tmp_path):
    fake.infra_envs["a"] = {"id": "a", "name": "edge", "cluster_id": "another", "created_at": "2026-01-01T00:00:00Z"}
    done = at_the_same_time(reach, "clusters", deploy(tmp_path, pull_secret))
    (left,) = fake.clusters
    assert {item.cluster_id for item in done} == {left}
    assert [(item["id"], item["cluster_id"]) for item in fake.infra_envs.values()] == [
        ("a", "another"),
        (done[0].infra_env_id, left),
    ]
    assert done[1].infra_env_id == done[0].infra_env_id
    assert [Known.of(WorkDir(tmp_path / name)).infra_env_id for name in "01"] == [done[0].infra_env_id] * 2
    assert all(
        any(f"Another run created {word} edge" in text for item in done for text in item.warnings)
        for word in ("cluster", "InfraEnv")
    )


def test_a_cluster_that_appears_between_two_looks_is_reported(fake, reach, pull_secret, tmp_path):
    service = reach()
    look = service.infra_envs

    def meanwhile(*arguments):
        if not fake.clusters:
            make_cluster(pull_secret)(reach(), 0)
        return look(*arguments)

    service.infra_envs = meanwhile
    done = deploy(tmp_path, pull_secret)(service, 0)
    assert [done.cluster_id] == list(fake.clusters)
    assert done.warnings == [
        f"Another run created cluster edge at the same time. Its cluster {done.cluster_id} is used."
    ]


def test_the_record_of_the_creation_is_stored_before_it(fake, reach, pull_secret, tmp_path, monkeypatch):
    """A job may be killed between the creation and the moment at which the id is stored."""
    stored = []

    def save(link):
        stored.append((Known.of(WorkDir(tmp_path / "0")).making, len(fake.clusters)))

    monkeypatch.setattr(StoreLink, "save", save)
    deploy(tmp_path, pull_secret)(reach(), 0)
    assert (stored, len(fake.clusters)) == ([(True, 0)], 1)


def test_nothing_is_created_if_the_state_cannot_be_stored(fake, reach, pull_secret, tmp_path):
    (tmp_path / "0" / DIRECTORY).mkdir(parents=True, mode=0o700)
    with pytest.raises(StoreLost, match="no process of this run stores it"):
        deploy(tmp_path, pull_secret)(reach(), 0)
    assert not fake.clusters and not fake.infra_envs


@pytest.mark.parametrize("lost", ["clusters", "infra-envs"])
def test_a_deployment_whose_answer_was_lost_is_gone_on_with(fake, reach, pull_secret, tmp_path, lost):
    work, service = deploy(tmp_path, pull_secret), reach()
    fake.faults.append(("POST", lost, "cut-late"))
    with pytest.raises(ZeroTouchError, match="It is not known whether the service has executed the request"):
        work(service, 0)
    again = work(service, 0)
    assert ([again.cluster_id], [again.infra_env_id]) == (list(fake.clusters), list(fake.infra_envs))


def test_the_image_that_was_lost_after_the_former_one_went_is_found(fake, reach, pull_secret, tmp_path):
    work, service = deploy(tmp_path, pull_secret), reach()
    work(service, 0)
    fake.infra_envs.clear()
    fake.faults.append(("POST", "infra-envs", "cut-late"))
    with pytest.raises(PartialFailure):
        work(service, 0)
    assert [work(service, 0).infra_env_id] == list(fake.infra_envs)


def test_of_several_none_is_chosen_and_the_id_is(fake, run_module, pull_secret):
    for number in (1, 2):
        identity = f"00000000-0000-4000-8000-00000000000{number}"
        fake.clusters[identity] = {
            "id": identity,
            "name": "old",
            "kind": "AddHostsCluster",
            "status": "adding-hosts",
            **IMPORT,
        }
    refused = run_module("assisted_cluster", name="other", existing=IMPORT)
    assert (
        "There are 2 clusters with the openshift_cluster_id 6f1f9c2e" in refused["msg"]
        and "000000000001 (adding-hosts)" in refused["msg"]
    )
    assert not run_module("assisted_cluster", name=identity, existing=IMPORT).get("failed")
    by_name = run_module("assisted_cluster", name="old", tags=["a"])
    assert "There are 2 clusters of the name old" in by_name["msg"] and identity in by_name["msg"]
    assert run_module("assisted_cluster", name=identity, tags=["a"])["cluster"]["id"] == identity
    for name, words in (
        ("assisted_cluster", "no cluster with the id"),
        ("assisted_infra_env", "no InfraEnv with the id"),
    ):
        assert words in run_module(name, name="00000000-0000-4000-8000-000000000009", pull_secret=pull_secret)["msg"]
