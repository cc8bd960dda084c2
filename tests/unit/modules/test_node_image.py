# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module node_image, called in the test process: it builds an image from a list of hosts and the facts of a
running cluster.
"""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent import node_image as use_case
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.node_image import (
    NodeImageRequest,
    apply_node_image,
    plan_node_image,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import (
    WorkDir,
    known_secrets,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets, make_secrets
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.live import read_live_image
from ansible_collections.zerotouch.openshift.plugins.modules import node_image
from ansible_collections.zerotouch.openshift.tests.support import live_image as synthetic

NODES = """\
hosts:
- hostname: extra-0
  rootDeviceHints: {deviceName: /dev/sda}
  interfaces: [{name: eth0, macAddress: "52:54:00:00:00:01"}]
  networkConfig:
    interfaces:
    - {name: eth0, type: ethernet, state: up, ipv4: {enabled: true, dhcp: false, address: [{ip: 192.168.111.90, prefix-length: 24}]}}
- interfaces: [{name: eth0, macAddress: "52:54:00:00:00:02"}]
"""  # noqa: E501
FACTS: dict[str, Any] = {
    "id": "11111111-2222-3333-4444-555555555555",
    "api_dns_name": "api.kni.example.com",
    "version": "4.22.3",
    "release_image": "quay.io/openshift-release-dev/ocp-release:4.22.3-x86_64",
    "platform": "baremetal",
    "pull_secret": '{"auths": {"quay.io": {"auth": "bGFiOmdlaGVpbQ=="}}}',
}
NOW = datetime.datetime(2026, 11, 21, 10, tzinfo=datetime.UTC)


@pytest.fixture(scope="session")
def drawn() -> BuildSecrets:
    return make_secrets()


@pytest.fixture(autouse=True)
def drawn_once(monkeypatch: pytest.MonkeyPatch, drawn: BuildSecrets) -> None:
    """Five RSA keys take longer than everything else here."""
    monkeypatch.setattr(use_case, "make_secrets", lambda: drawn)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    made: Path = synthetic.make_iso(tmp_path / "rhcos.iso", ignition=262144)
    return made


@pytest.fixture
def source(tmp_path: Path) -> Path:
    directory = tmp_path / "nodes"
    directory.mkdir()
    (directory / "nodes-config.yaml").write_text(NODES)
    return directory


def facts(**changes: Any) -> dict[str, Any]:
    """The option with its defaults, as Ansible fills them in."""
    options = node_image.argument_spec()["running_cluster"]["options"]
    return {**{name: option.get("default") for name, option in options.items()}, **FACTS, **changes}


def call_of(
    source: Path, base: Path, *, check_mode: bool = False, cluster: dict[str, Any] | None = None, **options: Any
) -> Call:
    params = {name: spec.get("default") for name, spec in node_image.argument_spec().items()}
    provided = {
        "config_dir": str(source),
        "work_dir": str(source.parent / "work"),
        "base_image": {"path": str(base)},
        "running_cluster": cluster or facts(),
    }
    return Call({**params, **provided, **options}, check_mode=check_mode, diff=True)


def opened(source: Path, base: Path, **options: Any) -> dict[str, Any]:
    call = call_of(source, base, **options)
    return {**perform(node_image.run, call), "warnings": call.warnings}


def files_of(image: str) -> set[str]:
    document = json.loads(read_live_image(Path(image)).ignition or b"{}")
    return {file["path"] for file in document["storage"]["files"]}


@pytest.mark.slow
def test_hosts_and_facts_become_an_image(source: Path, base: Path) -> None:
    planned = opened(source, base, check_mode=True)
    work = source.parent / "work"
    assert planned["changed"] and not work.exists()
    done = opened(source, base)
    assert not done["failed"], done
    assert done["path"] == planned["path"] == str(work / "images" / "node.x86_64.iso")
    assert done["plan"][0].startswith("create tokens that are valid until 2")
    assert {"/etc/assisted/add-nodes.env", "/etc/assisted/clusterconfig/import-cluster-config.json"} <= files_of(
        done["path"]
    )
    assert "/etc/assisted/network/host0/eth0.nmconnection" in files_of(done["path"])
    assert not (work / "auth").exists()
    assert (work / "state.json").stat().st_mode & 0o777 == 0o600


def test_a_second_run_changes_nothing(source: Path, base: Path) -> None:
    first = opened(source, base)
    again = opened(source, base)
    assert (again["changed"], again["plan"]) == (False, [])
    assert again["expires_at"] == first["expires_at"]
    assert again["sha256"] == first["sha256"]
    (source / "nodes-config.yaml").write_text(NODES.replace("extra-0", "extra-9"))
    assert opened(source, base)["changed"]


def request(call: Call) -> NodeImageRequest:
    return node_image._request(call)


def test_tokens_are_drawn_again_when_less_than_a_day_is_left(source: Path, base: Path) -> None:
    provided = request(call_of(source, base))
    first = plan_node_image(provided, now=NOW)
    apply_node_image(first)
    later = plan_node_image(provided, now=NOW + datetime.timedelta(hours=23))
    assert (later.tokens, later.image_changed) == (first.tokens, False)
    too_late = plan_node_image(provided, now=NOW + datetime.timedelta(hours=25))
    assert too_late.new_tokens and too_late.image_changed
    assert too_late.tokens.expires == "2026-11-24T11:00:00Z"


def test_no_secret_shows(source: Path, base: Path) -> None:
    shown = json.dumps(opened(source, base))
    work_dir = WorkDir(source.parent / "work")
    kept = known_secrets(work_dir)
    tokens = work_dir.state.section("node_image")["tokens"]
    assert {tokens["agent_token"], tokens["user_token"], tokens["watcher_token"]} <= kept
    assert not [secret for secret in (*kept, "bGFiOmdlaGVpbQ==") if secret in shown]


def test_a_clusters_own_state_stays_as_it_is(source: Path, base: Path) -> None:
    state = WorkDir(source.parent / "work").state
    with state.edit() as document:
        document["install"] = {"phase": "installed"}
    opened(source, base)
    assert state.section("install") == {"phase": "installed"}
    assert set(state.read()) == {"format", "install", "node_image"}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("hosts: []\n", "hosts"),
        (NODES + "sshKey: none\n", "sshKey"),
        (NODES.replace("52:54:00:00:00:02", "52:54:00:00:00:01"), "hosts[1].interfaces[0].macAddress"),
        (NODES.replace("/dev/sda", "sda"), "hosts[0].rootDeviceHints.deviceName"),
        ("[]", ""),
    ],
)
def test_mistakes_in_the_file_are_named(source: Path, base: Path, text: str, path: str) -> None:
    (source / "nodes-config.yaml").write_text(text)
    done = opened(source, base)
    assert done["failed"]
    assert path in [problem["path"] for problem in done["problems"]]
    assert {Path(problem["file"]).name for problem in done["problems"]} == {"nodes-config.yaml"}
    assert not (source.parent / "work" / "images").exists()


@pytest.mark.slow
def test_keys_that_are_unknown_are_passed_over_with_a_warning(source: Path, base: Path) -> None:
    (source / "nodes-config.yaml").write_text(NODES + "minimalISO: true\n")
    done = opened(source, base)
    assert not done["failed"], done
    assert "minimalISO: Ignored" in done["warnings"][0]


def test_what_the_file_says_wins_over_the_cluster(source: Path, base: Path) -> None:
    (source / "nodes-config.yaml").write_text(NODES + "cpuArchitecture: arm64\n")
    assert "is for x86_64" in opened(source, base)["msg"]


@pytest.mark.parametrize(
    ("node", "detail"),
    [
        (
            {"name": "extra-0", "addresses": []},
            ("hostname conflict found. The configured hostname extra-0 is already used in the cluster"),
        ),
        (
            {"name": "m0", "addresses": ["192.168.111.90"]},
            "address conflict found. The configured address 192.168.111.90 is already used by the cluster node m0",
        ),
    ],
)
def test_names_and_addresses_of_nodes_are_taken(source: Path, base: Path, node: dict[str, Any], detail: str) -> None:
    done = opened(source, base, cluster=facts(nodes=[node]))
    assert [problem["detail"] for problem in done["problems"]] == [detail]


@pytest.mark.parametrize(
    ("changes", "path"), [({"api_dns_name": "kni"}, "api_dns_name"), ({"version": "4.15.1"}, "version")]
)
def test_a_cluster_that_cannot_be_joined_is_refused(
    source: Path, base: Path, changes: dict[str, Any], path: str
) -> None:
    done = opened(source, base, cluster=facts(**changes))
    assert [problem["path"] for problem in done["problems"]] == [f"running_cluster.{path}"]


def test_a_cluster_in_fips_mode_boots_its_nodes_so(source: Path, base: Path) -> None:
    plan = plan_node_image(request(call_of(source, base, cluster=facts(fips=True))), now=NOW)
    assert plan.product is not None
    assert "fips=1" in str(plan.product.image)


def test_the_files_of_a_network_boot(source: Path, base: Path) -> None:
    config = source / "nodes-config.yaml"
    config.write_text(f"bootArtifactsBaseURL: http://boot.example.com/day-2/\n{config.read_text()}")
    done = opened(source, base, kind="pxe")
    assert not done["failed"], done
    names = ["node.x86_64-initrd.img", "node.x86_64-vmlinuz", "node.x86_64-rootfs.img", "node.x86_64.ipxe"]
    assert [Path(one["path"]).name for one in done["boot_artifacts"]] == names
    script = (source.parent / "work" / "boot-artifacts" / names[3]).read_text()
    assert (
        f"kernel http://boot.example.com/day-2/{names[1]} initrd=initrd "
        f"coreos.live.rootfs_url=http://boot.example.com/day-2/{names[2]} "
    ) in script
    assert done["kernel_arguments"].endswith(f"coreos.live.rootfs_url={done['rootfs_url']}")
    assert not opened(source, base, kind="pxe")["changed"]
