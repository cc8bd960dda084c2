# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module agent_manifests, called in the test process: the files that it writes, its output, and its rejections."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.modules import agent_manifests

INSTALL_CONFIG = """\
apiVersion: v1
baseDomain: example.com
metadata: {name: kni, namespace: cluster0}
controlPlane: {name: master, replicas: 3}
compute: [{name: worker, replicas: 0}]
networking:
  machineNetwork: [{cidr: 192.168.111.0/24}]
platform:
  baremetal:
    apiVIPs: [192.168.111.5]
    ingressVIPs: [192.168.111.4]
    provisioningNetwork: Disabled
    hosts: []
pullSecret: '{"auths": {"quay.io": {"auth": "Z2VoZWltOmdlaGVpbS0x"}}}'
imageDigestSources:
- source: quay.io/openshift-release-dev/ocp-release
  mirrors: [quay.io/mirror/ocp]
"""
AGENT_CONFIG = """\
apiVersion: v1beta1
kind: AgentConfig
rendezvousIP: 192.168.111.20
hosts:
- hostname: m0
  role: master
  interfaces: [{name: eth0, macAddress: "52:54:00:00:00:01"}]
  bmc: {address: "redfish-virtualmedia+https://192.0.2.1/redfish/v1/Systems/1", username: admin, password: geheim-bmc}
  networkConfig:
    interfaces:
    - {name: eth0, type: ethernet, state: up, ipv4: {enabled: true, dhcp: false, address: [{ip: 192.168.111.20, prefix-length: 24}]}}
    dns-resolver: {config: {server: [192.168.111.1]}}
    routes: {config: [{destination: 0.0.0.0/0, next-hop-address: 192.168.111.1, next-hop-interface: eth0}]}
"""  # noqa: E501
EXTRA = "kind: Secret\napiVersion: v1\nmetadata: {name: s}\nstringData: {a: geheim-extra}\n---\nkind: ConfigMap\n"
SECRETS = ("Z2VoZWltOmdlaGVpbS0x", "geheim-1", "geheim-bmc", "geheim-extra")

FILES = [
    "cluster-manifests/agent-cluster-install.yaml",
    "cluster-manifests/cluster-deployment.yaml",
    "cluster-manifests/cluster-image-set.yaml",
    "cluster-manifests/infraenv.yaml",
    "cluster-manifests/nmstateconfig.yaml",
    "cluster-manifests/pull-secret.yaml",
    "mirror/registries.conf",
    "mirror/ca-bundle.crt",
    "openshift/extra-0.yaml",
    "openshift/extra-1.yaml",
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    directory = tmp_path / "source"
    (directory / "openshift").mkdir(parents=True)
    (directory / "install-config.yaml").write_text(INSTALL_CONFIG)
    (directory / "agent-config.yaml").write_text(AGENT_CONFIG)
    (directory / "openshift" / "extra.yaml").write_text(EXTRA)
    return directory


def opened(source: Path, *, check_mode: bool = False, diff: bool = True, **options: Any) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in agent_manifests.argument_spec().items()}
    params |= {
        "config_dir": str(source),
        "version": "4.22.0",
        **{name: str(value) if isinstance(value, Path) else value for name, value in options.items()},
    }
    return perform(agent_manifests.run, Call(params, check_mode=check_mode, diff=diff))


def contents(directory: Path) -> dict[str, str]:
    return {
        str(path.relative_to(directory)): path.read_text() for path in sorted(directory.rglob("*")) if path.is_file()
    }


def test_the_set_is_written_once(source: Path, tmp_path: Path) -> None:
    dest = tmp_path / "work" / "manifests"
    before = contents(source)
    planned = opened(source, dest=dest, check_mode=True)
    assert not dest.parent.exists()
    made = opened(source, dest=dest)
    assert made["failed"] is False, made
    assert {**made, "invocation": None} == {**planned, "invocation": None}
    assert made["changed"] is True
    assert made["files"] == FILES
    assert sorted(contents(dest)) == sorted([".zerotouch-manifests.json", *FILES])
    assert {stat.S_IMODE(path.stat().st_mode) for path in dest.rglob("*") if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (dest, dest / "mirror")} == {0o700}
    again = opened(source, dest=dest)
    assert (again["changed"], again["changes"], again["diff"]) == (False, [], [])
    assert contents(source) == before


def own_files(directory: Path) -> dict[str, str]:
    return {name: text for name, text in contents(directory).items() if not name.startswith(".")}


def test_what_was_written_reads_back_as_the_same_set(source: Path, tmp_path: Path) -> None:
    """Written once more from there, also in other programs' line ends, every file has the name and the text it had."""
    (source / "openshift" / "extra-0.yml").write_text("kind: ConfigMap\r\n")
    opened(source, dest=tmp_path / "first")
    again = opened(tmp_path / "first", dest=tmp_path / "first")
    assert (again["failed"], again["changed"], again["changes"]) == (False, False, []), again
    copied = opened(tmp_path / "first", dest=tmp_path / "second")
    assert copied["failed"] is False, copied
    assert own_files(tmp_path / "second") == own_files(tmp_path / "first")
    assert "openshift/extra-0-0.yml" in own_files(tmp_path / "second")


def test_a_manifest_that_is_added_to_the_set_is_split_and_no_other(source: Path, tmp_path: Path) -> None:
    first = tmp_path / "first"
    opened(source, dest=first)
    (first / "openshift" / "more-0.yaml").write_text("kind: ConfigMap\n")
    result = opened(first, dest=tmp_path / "second")
    assert [name for name in result["files"] if name.startswith("openshift/")] == [
        "openshift/extra-0.yaml",
        "openshift/extra-1.yaml",
        "openshift/more-0-0.yaml",
    ]
    (first / "openshift" / "extra-0.yaml").unlink()
    result = opened(first, dest=tmp_path / "third")
    assert [name for name in result["files"] if name.startswith("openshift/")] == [
        "openshift/extra-1-0.yaml",
        "openshift/more-0-0.yaml",
    ]


def test_a_users_own_directory_is_not_added_to(source: Path, tmp_path: Path) -> None:
    result = opened(source, dest=source)
    assert result["failed"] is True
    assert "dest and config_dir are both" in result["msg"]
    assert sorted(path.name for path in source.iterdir()) == ["agent-config.yaml", "install-config.yaml", "openshift"]


def test_a_set_with_line_ends_of_another_system_is_written_once(source: Path, tmp_path: Path) -> None:
    opened(source, dest=tmp_path / "first")
    for path in (tmp_path / "first" / "cluster-manifests").iterdir():
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    (tmp_path / "first" / ".zerotouch-manifests.json").unlink()
    made = opened(tmp_path / "first", dest=tmp_path / "second")
    assert (made["failed"], made["changed"]) == (False, True), made
    again = opened(tmp_path / "first", dest=tmp_path / "second")
    assert (again["failed"], again["changed"]) == (False, False), again


@pytest.mark.parametrize("note", ["[]", "7", "{", "null", '{"../x": "1", "/etc/x": 2, "openshift/x-0.yaml": {}}'])
def test_a_note_that_is_none_of_ours(source: Path, tmp_path: Path, note: str) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / ".zerotouch-manifests.json").write_text(note)
    assert opened(source, dest=tmp_path / "d")["failed"] is False


@pytest.mark.parametrize("check_mode", [True, False])
def test_places_that_cannot_be_a_directory(source: Path, tmp_path: Path, check_mode: bool) -> None:
    """Check mode says what the run would."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for place, words in (("file", "is a file"), ("file/below", "is a file"), ("link", "is a link to nothing")):
        result = opened(source, dest=tmp_path / place, check_mode=check_mode)
        assert (
            result["failed"]
            and f"{tmp_path / place} cannot be a directory: " in result["msg"]
            and words in result["msg"]
        )
    assert "is no directory" in opened(tmp_path / "file", check_mode=check_mode)["msg"]
    assert (tmp_path / "file").read_text() == "mine"


def test_objects_and_files_agree(source: Path, tmp_path: Path) -> None:
    result = opened(source, dest=tmp_path / "d")
    kinds = [made["kind"] for made in result["objects"]]
    assert kinds == [
        "AgentClusterInstall",
        "ClusterDeployment",
        "ClusterImageSet",
        "InfraEnv",
        "NMStateConfig",
        "Secret",
    ]
    written = yaml.safe_load((tmp_path / "d" / "cluster-manifests" / "cluster-deployment.yaml").read_text())
    assert result["objects"][1] == written
    overrides = json.loads(
        yaml.safe_load((tmp_path / "d" / FILES[0]).read_text())["metadata"]["annotations"][
            "agent-install.openshift.io/install-config-overrides"
        ]
    )
    assert overrides["platform"]["baremetal"]["hosts"][0]["bmc"]["password"] == "geheim-bmc"


def test_no_secret_comes_out(source: Path, tmp_path: Path) -> None:
    shown = json.dumps(opened(source, dest=tmp_path / "d", diff=True))
    assert [secret for secret in SECRETS if secret in shown] == []
    assert "<hidden>" in shown


def test_without_dest_only_the_result_has_the_manifests(source: Path, tmp_path: Path) -> None:
    result = opened(source)
    assert (result["failed"], result["changed"], result["changes"], result["dest"]) == (False, False, [], "")
    assert result["files"] == FILES
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source"]


def test_what_is_not_in_the_set_any_more_goes(source: Path, tmp_path: Path) -> None:
    dest = tmp_path / "d"
    opened(source, dest=dest)
    (source / "openshift" / "extra.yaml").write_text("kind: ConfigMap\n")
    (source / "agent-config.yaml").write_text(AGENT_CONFIG.replace("m0", "m1"))
    result = opened(source, dest=dest)
    assert {change["path"]: change["action"] for change in result["changes"]} == {
        "cluster-manifests/agent-cluster-install.yaml": "change",
        "openshift/extra-0.yaml": "change",
        "openshift/extra-1.yaml": "remove",
    }
    assert not (dest / "openshift" / "extra-1.yaml").exists()


@pytest.mark.parametrize(
    "path", ["cluster-manifests/infraenv.yaml", "cluster-manifests/own.yaml", "mirror/registries.conf"]
)
def test_a_file_that_another_client_wrote_is_kept(source: Path, tmp_path: Path, path: str) -> None:
    dest = tmp_path / "d"
    opened(source, dest=dest)
    (dest / path).write_text("edited")
    before = contents(dest)
    result = opened(source, dest=dest)
    assert result["failed"] is True
    assert path in result["msg"]
    assert contents(dest) == before


def test_files_that_were_there_first_are_kept(source: Path, tmp_path: Path) -> None:
    dest = tmp_path / "d"
    (dest / "cluster-manifests").mkdir(parents=True)
    (dest / "cluster-manifests" / "infraenv.yaml").write_text("mine")
    result = opened(source, dest=dest)
    assert result["failed"] is True
    assert contents(dest) == {"cluster-manifests/infraenv.yaml": "mine"}


def test_every_problem_of_the_input_is_named(source: Path, tmp_path: Path) -> None:
    (source / "install-config.yaml").write_text(
        INSTALL_CONFIG.replace("baseDomain: example.com", "baseDomain: ''").replace("replicas: 3", "replicas: 0")
    )
    result = opened(source, dest=tmp_path / "d")
    assert result["failed"] is True
    assert {problem["path"] for problem in result["problems"]} >= {"baseDomain", "controlPlane.replicas"}
    assert not (tmp_path / "d").exists()


def test_an_unknown_check_is_named(source: Path) -> None:
    result = opened(source, checks={"no-such-check": "off"})
    assert result["failed"] is True
    assert "no-such-check" in result["msg"]


def test_a_missing_directory(tmp_path: Path) -> None:
    result = opened(tmp_path / "nowhere")
    assert result["failed"] is True
    assert "does not exist" in result["msg"]
