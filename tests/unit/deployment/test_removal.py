# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The plan of destroy_cluster, for each method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.store_link import StoreLost
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.removal import (
    Removal,
    RemovalOrder,
    check_order,
    foreign_files,
    plan_removal,
    remove_files,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.decision import Judgement, Verdict
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import Touch
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import WorkDir
from ansible_collections.zerotouch.openshift.plugins.modules import deployment_files
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock

FILES = ("images", "boot-artifacts", "config", "state.json", ".state.lock", "rendezvousIP", "replaced")
BMC_HOSTS = ("a", "b", "c", "d")


def order(tmp_path: Path, method: str = "agent", *, confirm: str = "demo", **more: Any) -> RemovalOrder:
    return RemovalOrder(
        Touch(method=method, cluster="demo", work_dir=tmp_path / "demo", confirm=frozenset([confirm])), **more
    )


def planned(provided: RemovalOrder, *, forced: str = "", check_mode: bool = False) -> Removal:
    outcomes = {"a": "act", "b": "through", "c": "leave", "d": "fail", "manual": "act"}
    verdicts = tuple(
        Verdict(name, "7", outcome, "reason", forced=forced if outcome == "act" else "")
        for name, outcome in outcomes.items()
    )
    return plan_removal(provided, Judgement(verdicts), BMC_HOSTS, ["c is not changed: reason."], check_mode=check_mode)


@pytest.mark.parametrize(
    ("method", "forced", "steps", "power_off"),
    [
        ("agent", "", [], ("a", "b")),
        ("agent", "start_over", [], ("a", "b")),
        ("assisted", "", ["assisted"], ("a", "b")),
        ("hub", "", ["hub"], ("a", "b")),
        ("hosted", "", ["hosted"], ()),
        ("hub", "abandon_hub", [], ("a", "b")),
        ("hosted", "abandon_hub", [], ("a", "b")),
    ],
)
def test_what_each_method_removes(
    tmp_path: Path, method: str, forced: str, steps: list[str], power_off: tuple[str, ...]
) -> None:
    plan = planned(order(tmp_path, method), forced=forced)
    assert [name for name in ("hub", "hosted", "assisted", "infra_env") if getattr(plan, name)] == steps
    assert (plan.power_off, plan.keep_objects) == (power_off, ("c",))


@pytest.mark.parametrize(
    ("method", "more", "removed"),
    [
        ("hub", {"infra_env": "demo", "hub_cluster": "demo"}, False),
        ("hub", {"infra_env": "demo", "hub_cluster": "demo", "purge": True}, True),
        ("hub", {"infra_env": "demo", "hub_cluster": "demo", "early": True}, True),
        ("hub", {"infra_env": "rack", "hub_cluster": "demo", "purge": True}, False),
        ("hub", {"infra_env": "rack", "hub_cluster": "demo", "early": True}, False),
        ("hosted", {"infra_env": "demo", "hub_cluster": "", "purge": True}, False),
        ("agent", {"infra_env": "demo", "hub_cluster": "demo", "purge": True}, False),
    ],
)
def test_an_infra_env_is_removed_only_with_its_own_cluster(
    tmp_path: Path, method: str, more: dict[str, Any], removed: bool
) -> None:
    plan = planned(order(tmp_path, method, namespace="edge", **more))
    assert plan.infra_env is removed
    assert ("are still Agents of InfraEnv edge/" in plan.summary) is (method in ("hub", "hosted") and not removed)
    assert planned(order(tmp_path, method, namespace="edge", **more), forced="abandon_hub").infra_env is False


def test_files(tmp_path: Path) -> None:
    root = tmp_path / "demo"
    assert planned(order(tmp_path)).paths == tuple(str(root / name) for name in FILES)
    assert planned(order(tmp_path, purge=True)).paths == (str(root),)


def test_the_summary(tmp_path: Path) -> None:
    text = (
        "demo is destroyed. c is not changed: reason. The disks of its machines are not wiped: booted from "
        "disk, they start the cluster again."
    )
    assert planned(order(tmp_path)).summary == text
    (tmp_path / "demo").mkdir()
    assert planned(order(tmp_path)).summary == f"{text} Credentials, logs and the report are still in {tmp_path}/demo."
    assert planned(order(tmp_path, purge=True), check_mode=True).summary == text.replace(
        "is destroyed", "would be destroyed"
    )
    hosted = planned(order(tmp_path, "hosted", namespace="n", infra_env="i", purge=True)).summary
    assert hosted == (
        "demo is destroyed. Its hosts are still Agents of InfraEnv n/i. c is not changed: reason. The disks of "
        "its machines are not wiped."
    )


@pytest.mark.parametrize(
    ("method", "effect"),
    [
        ("agent", "powers off its machines"),
        ("assisted", "deletes it from the assisted-service and powers off its machines"),
        ("hub", "deletes it from the hub and powers off its machines"),
        ("hosted", "deletes it from the hub, and its machines become free Agents"),
    ],
)
def test_the_confirmation(tmp_path: Path, method: str, effect: str) -> None:
    with pytest.raises(ZeroTouchError) as caught:
        check_order(order(tmp_path, method, confirm="other"))
    assert str(caught.value) == f"Nothing was done. Destroying demo {effect}: confirm with -e openshift_confirm=demo"
    check_order(order(tmp_path, method))


def test_a_purge_removes_nothing_of_another_origin(tmp_path: Path) -> None:
    root = tmp_path / "demo"
    assert foreign_files(WorkDir(root)) == []
    root.mkdir()
    for name in (*FILES, "auth", "logs", "report.html", "report.json", ".deploy.lock", ".image.iso.part"):
        (root / name).touch()
    check_order(order(tmp_path, purge=True))
    for name in ("thesis.odt", "block", ".hidden"):
        (root / name).touch()
    with pytest.raises(
        ZeroTouchError,
        match=(
            r"contains files that this collection did not create: \.hidden, block, thesis\.odt\. Move them, or "
            r"remove openshift_destroy_purge\."
        ),
    ):
        check_order(order(tmp_path, purge=True))
    check_order(order(tmp_path))


def test_a_work_directory_is_required() -> None:
    with pytest.raises(ZeroTouchError, match=r"touch\.work_dir is missing"):
        check_order(RemovalOrder(Touch(cluster="demo", confirm=frozenset(["demo"])), purge=True))


def test_files_are_removed_and_nothing_else(tmp_path: Path) -> None:
    work_dir = tmp_path / "demo"
    (work_dir / "images").mkdir(parents=True)
    for name in ("images/agent.iso", "state.json", "report.html"):
        (work_dir / name).touch()
    wanted = [work_dir / name for name in FILES]
    there = [work_dir / "images", work_dir / "state.json"]
    (work_dir / ".state.json.abc.part").touch()  # of a run that was killed
    assert remove_files(work_dir, wanted, Clock(), check_mode=True) == there and (work_dir / "state.json").exists()
    assert remove_files(work_dir, wanted, Clock()) == there
    assert [path.name for path in work_dir.iterdir()] == ["report.html"]
    assert remove_files(work_dir, wanted, Clock()) == []
    with pytest.raises(ZeroTouchError, match="is not in the work directory"):
        remove_files(work_dir, [tmp_path / "other"], Clock())
    assert remove_files(work_dir, [work_dir], Clock()) == [work_dir] and not work_dir.exists()


def test_files_stay_if_the_store_does_not_answer(tmp_path: Path) -> None:
    (tmp_path / ".store").mkdir()
    (tmp_path / "state.json").touch()
    with pytest.raises(StoreLost):
        remove_files(tmp_path, [tmp_path / "state.json"], Clock())
    assert (tmp_path / "state.json").exists()


@pytest.mark.parametrize("check_mode", [True, False])
def test_module_deployment_files(tmp_path: Path, check_mode: bool) -> None:
    (tmp_path / "state.json").touch()
    params = {
        "work_dir": str(tmp_path),
        "paths": [str(tmp_path / "state.json"), str(tmp_path / "images")],
        "state": "absent",
    }
    result = perform(deployment_files.run, Call(params, check_mode=check_mode))
    assert (result["changed"], result["paths"]) == (True, [str(tmp_path / "state.json")])
    assert (tmp_path / "state.json").exists() is check_mode
