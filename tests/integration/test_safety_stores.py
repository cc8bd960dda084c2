# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test rows 3, 6 and 14 of the safety table (docs/reference/safety.md) with the state in each store: an unreadable
store never counts as empty, and an empty store was really read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from .job import as_jobs
from .lab import SLOW, Deployment, kill_all
from .stores import NAMESPACE, Stores
from .test_killed import after
from .test_state_store import away

STORES = ("directory", "secret", "http")
CONFIRM = {"openshift_confirm": "sno"}
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    made = Stores(tmp_path)
    yield made
    made.stop()


def variables_of(store: str, stores: Stores, **changes: Any) -> dict[str, Any]:
    return {} if store == "directory" else {"openshift_state": stores.options(store, **changes)}


def away_from(store: str, stores: Stores) -> dict[str, Any]:
    """The store cannot be reached."""
    if store == "http":
        return variables_of(store, stores, url=f"{NOWHERE}/states/demo")
    kubeconfig = yaml.safe_load(stores.api.kubeconfig.read_text())
    kubeconfig["clusters"][0]["cluster"]["server"] = NOWHERE
    return variables_of(store, stores, kubeconfig=kubeconfig)


def damage_record(store: str, stores: Stores) -> None:
    """The last bytes of the stored record are lost."""
    if store == "http":
        stores.server.document = (stores.server.document or b"")[:-40]
        return
    path = f"/api/v1/namespaces/{NAMESPACE}/secrets/zerotouch-openshift-sno"
    secret = stores.api.client.get(path)
    stores.api.client.merge_patch(path, {"data": {"state": secret["data"]["state"][:-80]}})


def booted(sno: Deployment, variables: Mapping[str, Any]) -> None:
    """A deployment whose run was killed after the boot."""
    sno.interrupted(
        after(r"^sno-0: powered on")(sno),
        lambda process: (sno.lab.change_speed(SLOW), kill_all(process)),
        extra=variables,
    )


def unknown(sno: Deployment, variables: Mapping[str, Any], words: str) -> None:
    """Neither a deployment nor its end touches a machine, whatever may be forced about unknown machines; nothing looks
    as if there were no record.
    """
    for playbook, further in (("deploy_cluster", {"openshift_force": ["take_over"]}), ("destroy_cluster", CONFIRM)):
        run = sno.stopped(playbook, extra={**variables, **further})
        assert words in run.output and "no record contains it" not in run.output, run.output


@pytest.mark.parametrize("store", STORES)
def test_row_14_a_store_that_was_read_and_is_empty(store: str, sno: Deployment, stores: Stores) -> None:
    """The machine is off, so it is booted; the store was asked."""
    run = sno.deployed("--check", extra=variables_of(store, stores))
    assert "would boot sno-0" in run.output, run.output
    if store == "http":
        assert "GET" in stores.server.methods()


@pytest.mark.long
@pytest.mark.parametrize("lost", [False, True], ids=["work directory", "empty directory"])
@pytest.mark.parametrize("store", ["secret", "http"])
def test_row_6_a_store_that_cannot_be_read(store: str, lost: bool, sno: Deployment, stores: Stores) -> None:
    booted(sno, variables_of(store, stores))
    if lost:
        away(sno)
    unknown(sno, away_from(store, stores), "cannot be read")
    unknown(sno, variables_of(store, stores, passphrase="another canary-passphrase"), "passphrase")
    damage_record(store, stores)
    unknown(sno, variables_of(store, stores), "The record is damaged" if store == "http" else "cannot be read")


@pytest.mark.parametrize(
    "damage",
    [lambda path: path.write_text("{"), lambda path: (path.unlink(), path.mkdir())],
    ids=["damaged", "a directory"],
)
def test_row_6_a_directory_that_cannot_be_read(damage: Callable[[Path], object], sno: Deployment) -> None:
    booted(sno, {})
    damage(sno.work_dir / "state.json")
    run = sno.stopped(extra={"openshift_force": ["take_over"]})
    assert "state.json" in run.output and "no record contains it" not in run.output, run.output


@pytest.mark.long
@pytest.mark.parametrize("store", STORES)
def test_row_3_a_machine_that_the_state_of_another_cluster_records(store: str, sno: Deployment, stores: Stores) -> None:
    """Its work directory is beside this one; the store of this cluster was read and is empty.

    No override reaches the row.
    """
    booted(sno, variables_of(store, stores))

    def renamed(inventory: dict[str, Any]) -> None:
        inventory["all"]["vars"]["openshift_cluster"]["name"] = "other"

    other = sno.described_as(renamed).beside("other")
    own = (
        variables_of(store, stores)
        if store != "http"
        else variables_of(store, stores, url=f"{stores.server.url}-other")
    )
    for force in ([], ["take_over"], ["start_over"]):
        run = other.stopped(extra={**own, "openshift_force": force, "openshift_confirm": "other"})
        assert "sno-0" in run.message and "cluster" in run.message and str(sno.work_dir) in run.message, run.output


@pytest.mark.long
@pytest.mark.parametrize("store", ["secret", "http"])
def test_the_record_of_another_cluster_is_no_record_of_this_one(store: str, sno: Deployment, stores: Stores) -> None:
    """The same place for two clusters: neither restored nor replaced."""
    booted(sno, variables_of(store, stores))
    away(sno)

    def renamed(inventory: dict[str, Any]) -> None:
        inventory["all"]["vars"]["openshift_cluster"]["name"] = "other"

    place = {"name": "zerotouch-openshift-sno"} if store == "secret" else {}
    run = sno.described_as(renamed).stopped(
        extra={**variables_of(store, stores, **place), "openshift_force": ["take_over"]}
    )
    assert "sno" in run.message and not (sno.work_dir / "state.json").exists(), run.output


@pytest.mark.long
@pytest.mark.parametrize("store", ["secret", "http"])
def test_a_job_with_an_empty_directory(store: str, sno: Deployment, stores: Stores) -> None:
    """Row 6 in a container: a wrong passphrase touches no machine of the job before."""
    job = as_jobs(sno)
    run = job.run("deploy_cluster", "--check", extra=variables_of(store, stores))
    assert run.ok and "would boot sno-0" in run.output, run.output
    booted(sno, variables_of(store, stores))
    run = job.stopped(
        extra={**variables_of(store, stores, passphrase="another canary-passphrase"), "openshift_force": ["take_over"]}
    )
    assert "passphrase" in run.message, run.output
