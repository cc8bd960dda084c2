# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test recovering a work directory with deleted files. The state file and the other files restore each other, and a
cluster that may be running never gets new keys.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.render import render_files
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent import build as building
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.base_image import (
    BaseImage,
    BaseImageSource,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.build import (
    BuildPlan,
    BuildRequest,
    apply_build,
    complete_plan,
    read_input,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.build_result import describe
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.plan import Question, answer
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.gather import decide as judge_hosts
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.options import Touch
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.recovery import recover, restore
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import (
    WorkDir,
    hosts_of_deployment,
    read_deployment,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.stop_reason import message_of
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import (
    BuildSecrets,
    issued_by,
    make_secrets,
)
from ansible_collections.zerotouch.openshift.tests.support import live_image as synthetic
from ansible_collections.zerotouch.openshift.tests.unit.cluster.reading import from_variables

CLUSTER: dict[str, Any] = {
    "name": "sno",
    "base_domain": "example.com",
    "version": "4.22.0",
    "machine_networks": ["192.168.126.0/24"],
    "rendezvous_ip": "192.168.126.10",
    "pull_secret": json.dumps({"auths": {"quay.io": {"auth": base64.b64encode(b"lab:geheim-pull").decode()}}}),
}
HOST: dict[str, Any] = {
    "inventory_name": "sno-0",
    "role": "master",
    "interfaces": [{"name": "enp1s0", "mac_address": "52:54:00:5a:00:10"}],
    "root_device_hints": {"deviceName": "/dev/sda"},
}
NOWHERE = ConnectTo.of({"192.168.126.10": "127.0.0.1:1", "api.sno.example.com": "127.0.0.1:1"})


def plan_build(request: BuildRequest) -> BuildPlan:
    return complete_plan(read_input(request))


@pytest.fixture(scope="module")
def drawn() -> list[BuildSecrets]:
    return [make_secrets(), make_secrets()]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic.make_iso(tmp_path_factory.mktemp("base") / "rhcos-live-iso.x86_64.iso", ignition=262144)


@pytest.fixture
def request_for(tmp_path: Path, base: Path, drawn: list[BuildSecrets], monkeypatch: pytest.MonkeyPatch) -> Any:
    hat = iter(drawn)
    monkeypatch.setattr(building, "make_secrets", lambda: next(hat))
    work = tmp_path / "work"

    def make(**changes: Any) -> BuildRequest:
        return BuildRequest(
            work / "config",
            work,
            BaseImage(path=str(base)),
            BaseImageSource(SystemClock(), tmp_path / "cache"),
            **changes,
        )

    return make


@pytest.fixture
def work_dir(tmp_path: Path, request_for: Any) -> WorkDir:
    """Everything is built; the cluster may be anywhere."""
    deployment, _problems = from_variables(CLUSTER, [HOST])
    for name, text in render_files(deployment).items():
        path = tmp_path / "work" / "config" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    apply_build(plan_build(request_for()))
    return WorkDir(tmp_path / "work")


def look(work_dir: WorkDir) -> Any:
    return recover(work_dir, read_deployment(work_dir.config))


def test_nothing_is_missing(work_dir: WorkDir) -> None:
    recovered = look(work_dir)
    assert not recovered.needed and not recovered.lost and not recovered.notes
    assert recovered.state == work_dir.state.read()


def test_state_that_was_deleted_is_found_in_image_and_auth(work_dir: WorkDir) -> None:
    before = work_dir.state.read()
    work_dir.state.path.unlink()
    recovered = look(work_dir)
    assert recovered.lost == ("secrets", "install") and recovered.regained == ("cluster", "secrets")
    assert recovered.state["secrets"] == before["secrets"] and recovered.state["cluster"] == before["cluster"]
    assert not work_dir.state.path.exists(), "looking wrote something"
    restore(work_dir, recovered)
    assert work_dir.state.section("secrets") == before["secrets"]
    assert any("does not exist" in note for note in recovered.notes)


@pytest.mark.parametrize("part", [field for field in BuildSecrets.__dataclass_fields__ if field != "infra_env_id"])
def test_any_part_of_the_secrets(work_dir: WorkDir, part: str) -> None:
    before = work_dir.state.section("secrets")
    work_dir.state.update("secrets", {part: None})
    assert look(work_dir).state["secrets"] == before


def test_auth_that_was_deleted_is_written_again(work_dir: WorkDir) -> None:
    texts = {path: path.read_text() for path in (work_dir.kubeconfig, work_dir.kubeadmin_password)}
    for path in texts:
        path.unlink()
    recovered = look(work_dir)
    restore(work_dir, recovered)
    assert {path: path.read_text() for path in texts} == texts
    assert {path.stat().st_mode & 0o777 for path in texts} == {0o600}
    assert len(recovered.notes) == 2 and all("was missing" in note for note in recovered.notes)


@pytest.mark.parametrize("content", ["", "{", "apiVersion: v1"])
def test_a_kubeconfig_that_is_none_any_more(work_dir: WorkDir, content: str) -> None:
    text = work_dir.kubeconfig.read_text()
    work_dir.kubeconfig.write_text(content)
    restore(work_dir, look(work_dir))
    assert work_dir.kubeconfig.read_text() == text


def test_both_state_and_kubeconfig_are_gone(work_dir: WorkDir) -> None:
    """The administrator gets another certificate of the same signer."""
    before = work_dir.state.read()["secrets"]
    work_dir.state.path.unlink()
    work_dir.kubeconfig.unlink()
    recovered = look(work_dir)
    restore(work_dir, recovered)
    after = work_dir.state.section("secrets")
    assert {**after, "admin_kubeconfig": None} == {**before, "admin_kubeconfig": None}
    assert issued_by(after["admin_kubeconfig"]["crt"], before["signers"])
    user = yaml.safe_load(work_dir.kubeconfig.read_text())["users"][0]["user"]
    assert base64.b64decode(user["client-certificate-data"]).decode() == after["admin_kubeconfig"]["crt"]


def test_a_kubeconfig_of_another_tool_is_not_believed(work_dir: WorkDir, drawn: list[BuildSecrets]) -> None:
    assert issued_by(drawn[0].admin_kubeconfig.crt, work_dir.state.section("secrets")["signers"])
    assert not issued_by(drawn[1].admin_kubeconfig.crt, work_dir.state.section("secrets")["signers"])
    assert not issued_by("no certificate", work_dir.state.section("secrets")["signers"])


def test_a_build_goes_on_with_what_was_found(work_dir: WorkDir, request_for: Any) -> None:
    before, image = work_dir.state.section("secrets"), (work_dir.root / "images" / "agent.x86_64.iso").read_bytes()
    work_dir.state.path.unlink()
    plan = plan_build(request_for())
    assert not plan.new_secrets and plan.warnings
    apply_build(plan)
    assert work_dir.state.section("secrets") == before
    assert (work_dir.root / "images" / "agent.x86_64.iso").read_bytes() == image
    assert not describe(plan_build(request_for()))["changed"]


def test_no_new_secrets_over_those_of_a_cluster_that_may_run(work_dir: WorkDir, request_for: Any) -> None:
    (work_dir.root / "images" / "agent.x86_64.iso").write_bytes(b"not an image any more")
    work_dir.state.path.unlink()
    with pytest.raises(ZeroTouchError, match=r"has no tokens and keys of this cluster.*start_over"):
        plan_build(request_for())


def stop(work_dir: WorkDir, name: str) -> str:
    """What the safety table says to a boot of a machine that is off."""
    touch = Touch(
        cluster="sno",
        work_dir=work_dir.root,
        hosts=hosts_of_deployment(read_deployment(work_dir.config)),
        connect_to=NOWHERE,
    )
    return message_of(judge_hosts("boot", touch, (), SystemClock(), [name])[0].stop)


def test_unknown_what_became_of_the_image(work_dir: WorkDir) -> None:
    work_dir.state.path.unlink()
    decided = answer(Question(work_dir, connect_to=NOWHERE)).decision
    assert decided.state == "unknown" and decided.notes
    assert "state.json lacks records of this deployment" in stop(work_dir, "sno-0")
    over = answer(Question(work_dir, connect_to=NOWHERE, force=["start_over"])).decision
    assert over.boot == ("sno-0",) and over.build


def test_a_section_that_was_taken_away(work_dir: WorkDir) -> None:
    with work_dir.state.edit() as document:
        del document["install"]
    assert "state.json lacks records of this deployment (install)" in stop(work_dir, "sno-0")
    with work_dir.state.edit() as document:
        document["install"] = {"phase": "built"}
        del document["cluster"]
    assert answer(Question(work_dir, connect_to=NOWHERE)).decision.boot == ("sno-0",)


def test_to_start_over_is_another_cluster(work_dir: WorkDir, request_for: Any) -> None:
    before, files = (
        work_dir.state.section("secrets"),
        [work_dir.kubeconfig.read_text(), work_dir.kubeadmin_password.read_text()],
    )
    work_dir.state.update("install", {"phase": "installed", "cluster_id": "x"})
    plan = plan_build(request_for(new_secrets=True))
    assert plan.new_secrets and any("the former ones are given up" in step for step in plan.steps)
    apply_build(plan)
    after = work_dir.state.section("secrets")
    same = [name for name in before if before[name] == after[name]]
    assert same == []
    assert work_dir.state.section("install") == {"phase": "built"}
    kept = sorted((work_dir.root / "auth").glob("*.until-*"))
    assert [path.read_text() for path in kept] == [files[1], files[0]]
    assert work_dir.kubeadmin_password.read_text() == after["kubeadmin_password"]
    assert not describe(plan_build(request_for()))["changed"]


def test_to_start_over_and_be_killed(work_dir: WorkDir, request_for: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old image must not be booted with the new secrets recorded."""

    def killed(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(building, "make_product", killed)
        apply_build(plan_build(request_for(new_secrets=True)))
    decided = answer(Question(work_dir, connect_to=NOWHERE)).decision
    assert decided.build and decided.boot == ("sno-0",)
    plan = plan_build(request_for())
    assert plan.changed and not plan.new_secrets


def test_after_destroy_the_next_cluster_is_another_one(work_dir: WorkDir, request_for: Any) -> None:
    """What destroy_cluster leaves: auth/ and logs."""
    password = work_dir.kubeadmin_password.read_text()
    (work_dir.root / "images" / "agent.x86_64.iso").unlink()
    work_dir.state.path.unlink()
    plan = plan_build(request_for())
    assert plan.new_secrets and not plan.warnings
    apply_build(plan)
    assert [path.read_text() for path in (work_dir.root / "auth").glob("kubeadmin-password.until-*")] == [password]
