# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the plan of playbook destroy_cluster for each deployment method."""

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


# Files of a work directory: those that this collection created, and those that stay.
CREATED = (
    "images/agent.x86_64.iso",
    "images/node.aarch64.iso",
    "images/agentconfig.noarch.iso",
    "images/demo-discovery.iso",
    "images/rack.iso",
    "images/.rack.iso.partial",
    "images/.rack.iso.partial.json",
    "images/.agent.x86_64.iso.8f2k.part",
    "boot-artifacts/agent.s390x-initrd.img",
    "boot-artifacts/node.x86_64-rootfs.img",
    "boot-artifacts/agent.x86_64.ipxe",
    "replaced/1/state.json",
)
OF_USER = (
    "images/rhcos-live.x86_64.iso",
    "images/agent.iso",
    "boot-artifacts/menu.ipxe",
    "replaced/disk.txt",
    "config/install-config.yaml",
)


def filled(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)


def left(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_symlink() or not path.is_dir()}


def destroyed(provided: RemovalOrder) -> set[str]:
    """The files that are left in the work directory."""
    plan, root = planned(provided), provided.work_dir.root
    remove_files(root, [Path(path) for path in plan.paths], Clock())
    return left(root) if root.is_dir() else set()


def test_files_of_the_user_stay(tmp_path: Path) -> None:
    root = tmp_path / "demo"
    filled(root, *CREATED, *OF_USER, "state.json", "site.yml", "report.html")
    provided = order(tmp_path, "hub", infra_env="rack")
    names = "boot-artifacts/menu.ipxe, config, images/agent.iso, images/rhcos-live.x86_64.iso, replaced/disk.txt"
    assert f"Files that this collection did not create are still in {root}: {names}." in planned(provided).summary
    assert destroyed(provided) == {*OF_USER, "site.yml", "report.html"}


def test_directories_without_files_of_the_user_are_removed(tmp_path: Path) -> None:
    root = tmp_path / "demo"
    filled(root, *CREATED, "config/release.json", "config/install-config.yaml", "config/openshift/a.yaml", "site.yml")
    filled(root, "images/other.iso", "images/.other.iso.source.json")  # of an InfraEnv with an earlier name
    plan = planned(order(tmp_path, infra_env="rack"))
    assert "did not create" not in plan.summary
    assert destroyed(order(tmp_path, infra_env="rack")) == {"site.yml"}
    assert [path.name for path in root.iterdir()] == ["site.yml"]


@pytest.mark.parametrize(
    ("keep", "kept"),
    [
        ("images/agent.x86_64.iso", "images/agent.x86_64.iso"),
        ("config", "config"),
        ("config/sub/site", "config"),
        ("link/agent.x86_64.iso", "images/agent.x86_64.iso"),
    ],
)
def test_paths_that_the_variables_name_stay(tmp_path: Path, keep: str, kept: str) -> None:
    """The base image, and the directory with the user's own configuration."""
    root = tmp_path / "demo"
    filled(root, "images/agent.x86_64.iso", "config/release.json", "config/sub/site/install-config.yaml")
    (root / "link").symlink_to("images")
    provided = order(tmp_path, keep=(root / keep,))
    assert planned(provided).summary.endswith(f"are still in {root}: {kept}.")
    with pytest.raises(ZeroTouchError, match="contains files that this collection did not create"):
        check_order(order(tmp_path, purge=True, keep=(root / keep,)))
    assert any(name.startswith(kept) for name in destroyed(provided))


def test_a_purge_stops_for_files_of_the_user_in_directories_of_the_deployment(tmp_path: Path) -> None:
    filled(tmp_path / "demo", "images/agent.x86_64.iso", "images/mine.iso", "auth/mine", "state.json")
    with pytest.raises(ZeroTouchError, match=r"did not create: images/mine\.iso\. Move them"):
        check_order(order(tmp_path, purge=True))


def test_a_link_to_a_directory_of_the_user(tmp_path: Path) -> None:
    """A link is removed only if it leads to nothing of the user; where it leads to, nothing is."""
    root = tmp_path / "demo"
    filled(tmp_path, "site/install-config.yaml", "disk/agent.x86_64.iso")
    root.mkdir()
    (root / "config").symlink_to(tmp_path / "site")
    (root / "images").symlink_to(tmp_path / "disk")
    destroyed(order(tmp_path))
    assert [path.name for path in root.iterdir()] == ["config"]
    assert left(tmp_path) == {"demo/config", "site/install-config.yaml", "disk/agent.x86_64.iso"}


def test_a_purge_of_a_work_directory_that_is_a_link(tmp_path: Path) -> None:
    filled(tmp_path, "disk/state.json", "disk/auth/kubeconfig", "disk/images/agent.x86_64.iso")
    (tmp_path / "demo").symlink_to("disk")
    assert remove_files(tmp_path / "demo", [tmp_path / "demo"], Clock()) == [tmp_path / "demo"]
    assert [path.name for path in tmp_path.rglob("*")] == ["disk"]


@pytest.mark.parametrize("path", ["demo/../other", "demo/..", "demo/link/x", "demo/link/../other/x", "demofile"])
def test_nothing_outside_of_the_work_directory_is_removed(tmp_path: Path, path: str) -> None:
    filled(tmp_path, "other/x", "demo/state.json", "demofile")
    (tmp_path / "demo" / "link").symlink_to(tmp_path / "other")
    with pytest.raises(ZeroTouchError, match="is not in the work directory"):
        remove_files(tmp_path / "demo", [Path(f"{tmp_path}/demo/state.json"), Path(f"{tmp_path}/{path}")], Clock())
    assert left(tmp_path) == {"other/x", "demo/state.json", "demofile", "demo/link"}


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
