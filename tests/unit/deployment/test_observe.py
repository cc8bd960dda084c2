# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test observing a deployment against real servers: whether the assisted-service and the API belong to this deployment,
and the result if only a part of them answers.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.inputs import BASE_IMAGE
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import (
    DeploymentIdentity,
    WorkDir,
    hosts_of_deployment,
    hosts_of_state,
    identity,
    inventory_host,
    known_secrets,
    read_deployment,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.observe import (
    Observer,
    read_operator,
    view_image,
)


def look(stage):
    work_dir = WorkDir(stage.root)
    state = stage.state.read()
    who = identity(state, read_deployment(work_dir.config))
    observer = Observer(work_dir, state, who, connect_to=ConnectTo.of(stage.connect_to), timeout=5)
    try:
        return observer.observe(state, view_image(work_dir, state)), observer
    finally:
        observer.close()


def test_nothing_at_all(stage):
    seen, _observer = look(stage)
    assert (seen.phase, seen.image.built, seen.service.answers, seen.api.answers) == ("", False, False, False)


def test_nothing_answers(stage):
    stage.build()
    seen, _observer = look(stage)
    assert (seen.phase, seen.image.matches, seen.rendezvous_ip) == ("built", True, "192.168.111.20")
    assert not seen.service.answers and "192.168.111.20:8090" in seen.service.detail
    assert not seen.api.answers and "api.demo.example.com" in seen.api.detail


def test_our_service_with_hosts(stage, staging):
    stage.build()
    service = stage.serve()
    service.cluster = {"id": "c1", "name": "demo", "status": "insufficient", "progress": {"total_percentage": 7}}
    service.hosts = [staging.service_host(0), staging.service_host(1, "insufficient")]
    seen, observer = look(stage)
    assert seen.service.ours and seen.service.cluster.status == "insufficient"
    assert [(host.name, host.status, host.macs) for host in seen.service.hosts] == [
        ("node-0", "known", ("52:54:00:00:00:00",)),
        ("node-1", "insufficient", ("52:54:00:00:00:01",)),
    ]
    assert observer.documents["hosts"][0]["inventory"]["hostname"] == "node-0"


def test_our_service_before_it_has_any_data(stage):
    stage.build()
    stage.serve().infra_env = ""
    seen, _observer = look(stage)
    assert seen.service.ours and seen.service.cluster is None and seen.service.hosts == ()


@pytest.mark.parametrize("what", ["another infra-env", "another token"])
def test_other_tools_service(stage, what):
    stage.build()
    service = stage.serve()
    if what == "another infra-env":
        service.infra_env = "00000000-0000-4000-8000-00000000ffff"
    else:
        stage.state.update("secrets", {"watcher_token": "of another build"})
    seen, _observer = look(stage)
    assert seen.service.answers and not seen.service.ours
    assert ("ffff" if what == "another infra-env" else "unauthenticated") in seen.service.detail


def test_our_api(stage):
    stage.build()
    stage.installed()
    seen, observer = look(stage)
    assert seen.api.ours and seen.api.complete and seen.api.bootstrap_complete
    assert [(node.name, node.ready) for node in seen.api.nodes] == [("node-0", True), ("node-1", True)]
    assert seen.api.operators[0].progressing.age > 3600
    assert set(observer.documents) >= {"nodes", "cluster_version", "cluster_operators"}


def test_an_api_early_in_bootstrap(stage):
    stage.build()
    api = stage.installed()
    for path in list(api.routes):
        if "openshift" in path[1] or "configmaps" in path[1]:
            del api.routes[path]
    seen, _observer = look(stage)
    assert seen.api.ours and not seen.api.bootstrap_complete
    assert seen.api.cluster_version is None and seen.api.operators == ()


def test_an_api_with_a_certificate_of_other_signers(stage):
    stage.build()
    stage.run_api(authority=stage.kube.Authority("other"))
    seen, _observer = look(stage)
    assert seen.api.answers and not seen.api.ours
    assert "TLS" in seen.api.detail


def test_an_api_that_refuses_our_client_certificate_in_the_handshake(stage):
    stage.build()
    stage.run_api(client_ca=stage.kube.Authority("other"))
    stage.installed()
    seen, _observer = look(stage)
    assert seen.api.answers and not seen.api.ours


@pytest.mark.parametrize(("status", "answers"), [(401, True), (403, True), (404, True), (503, False), (429, False)])
def test_an_api_that_refuses_us(stage, status, answers):
    stage.build()
    api = stage.installed()
    api.routes["GET", "/api/v1/nodes"] = api.status(status, "no", "Because")
    seen, _observer = look(stage)
    assert (seen.api.answers, seen.api.ours) == (answers, False)


def test_an_api_that_fails_half_way_is_still_ours(stage):
    stage.build()
    api = stage.installed()
    api.routes["GET", "/apis/config.openshift.io/v1/clusteroperators"] = api.status(500, "etcd is moving", "")
    seen, _observer = look(stage)
    assert seen.api.ours and not seen.api.complete and "etcd is moving" in seen.api.detail


def test_without_a_kubeconfig_whatever_answers_is_other_tools(stage):
    stage.configure()
    stage.installed()
    seen, _observer = look(stage)
    assert seen.api.answers and not seen.api.ours


def test_the_image_and_its_input(stage):
    stage.build()
    work_dir = WorkDir(stage.root)
    (work_dir.config / "openshift").mkdir()
    (work_dir.config / "openshift" / "extra.yaml").write_text("kind: ConfigMap")
    (work_dir.config / ".x.part").write_text("left by a killed run")
    (work_dir.config / "agent-config.yaml").write_text("kind: AgentConfig")
    view = view_image(work_dir, stage.state.read())
    assert {path.partition(": ")[0] for path in view.differing} == {
        "agent-config.yaml",
        "openshift/extra.yaml",
    } and not view.matches
    (stage.root / "images" / "agent.x86_64.iso").write_bytes(b"cut")
    assert view_image(work_dir, stage.state.read()).exists
    (stage.root / "images" / "agent.x86_64.iso").write_bytes(b"longer")
    assert not view_image(work_dir, stage.state.read()).exists


def test_another_base_image(stage, tmp_path):
    stage.build()
    base = tmp_path / "base.iso"
    base.write_bytes(b"base")
    stage.state.update("image", {"base": {"path": str(base), "size": 4, "mtime_ns": base.stat().st_mtime_ns}})
    assert view_image(WorkDir(stage.root), stage.state.read()).matches
    base.write_bytes(b"newer")
    assert view_image(WorkDir(stage.root), stage.state.read()).differing == (BASE_IMAGE,)
    base.unlink()
    assert view_image(WorkDir(stage.root), stage.state.read()).matches


FIVES = "5" * 64
BASE = hashlib.sha256(b"xxxx").hexdigest()


@pytest.mark.parametrize(
    ("content", "image", "of_base", "kept", "differing"),
    [
        pytest.param(
            b"xxxx",
            {"sha256": FIVES},
            "",
            False,
            (),
            id=("the next job has a copy, and builds an image that is compared with the first one"),
        ),
        pytest.param(b"xxxx", {"recipe": FIVES}, "", False, (), id="the same by what the image was made of"),
        pytest.param(b"xxxxx", {"sha256": FIVES}, BASE, False, (BASE_IMAGE,), id="another size"),
        pytest.param(b"xxxx", {}, "", False, (BASE_IMAGE,), id="there is nothing to compare with"),
        pytest.param(
            b"xxxx",
            {"sha256": FIVES},
            BASE,
            True,
            (),
            id=("the image is still there, and the base has the recorded digest"),
        ),
        pytest.param(
            b"xxxy",
            {"sha256": FIVES},
            BASE,
            True,
            (BASE_IMAGE,),
            id=("the image is still there, and the base has another one"),
        ),
        pytest.param(
            b"xxxx",
            {"sha256": FIVES},
            "",
            True,
            (BASE_IMAGE,),
            id=("the image is still there, and no digest of the base is recorded"),
        ),
    ],
)
def test_a_base_image_with_another_time(stage, tmp_path, content, image, of_base, kept, differing):
    stage.build()
    base = tmp_path / "base.iso"
    base.write_bytes(content)
    described = {"path": str(base), "size": 4, "mtime_ns": 1, "sha256": of_base}
    stage.state.update("image", {"sha256": "", **image, "base": described})
    if not kept:
        Path(stage.state.read()["image"]["path"]).unlink()
    assert view_image(WorkDir(stage.root), stage.state.read()).differing == differing


def test_hosts_of_configuration_and_state(stage):
    stage.build()
    deployment = read_deployment(WorkDir(stage.root).config)
    of_files = hosts_of_deployment(deployment)
    assert [(host.name, host.macs, host.addresses) for host in of_files] == [
        ("node-0", ("52:54:00:00:00:00",), ("192.168.111.20",)),
        ("node-1", ("52:54:00:00:00:01",), ("192.168.111.21",)),
    ]
    assert [host.name for host in hosts_of_state(stage.state.read())] == ["node-0", "node-1"]
    assert of_files[0].has_address("192.168.111.20") and not of_files[1].has_address("192.168.111.20")
    assert inventory_host({"name": "a", "mac_addresses": ["52-54-00-AA-00-01"]}).macs == ("52:54:00:aa:00:01",)


@pytest.mark.parametrize(
    ("address", "url"), [("192.168.1.2", "http://192.168.1.2:8090"), ("fd00:0::2", "http://[fd00::2]:8090"), ("", "")]
)
def test_where_the_service_is(address, url):
    assert DeploymentIdentity(rendezvous_ip=address).service_url == url


def test_secrets_of_the_state_file(stage):
    stage.build()
    found = known_secrets(WorkDir(stage.root))
    assert {"watcher-token-of-this-deployment", "signer-private-key", "aaaaa-bbbbb-ccccc-ddddd"} <= found
    assert "5f6e2d0c-0000-4000-8000-000000000001" not in found


def test_an_operator_without_times():
    operator = read_operator(
        {"metadata": {"name": "dns"}, "status": {"conditions": [{"type": "Progressing", "status": "False"}]}}
    )
    assert (operator.progressing.status, operator.progressing.age, operator.available.status) == ("False", -1.0, "")
