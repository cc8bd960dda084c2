# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module agent_config, called in the test process: which files it writes, what it prints, and what it rejects."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.doc_fragments import connect_to
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import lock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.configuration_changes import (
    differing_paths,
)
from ansible_collections.zerotouch.openshift.plugins.modules import agent_config
from ansible_collections.zerotouch.openshift.tests.unit.cluster import mistakes

KNI22 = Path(__file__).parents[1] / "data" / "kni22"
SECRETS = ("geheim-1", "geheim-2", "geheim-3", base64.b64encode(b"user:geheim-1").decode())


def call(dest: Path, *, check_mode: bool = False, **options: Any) -> Call:
    params = {name: spec.get("default") for name, spec in agent_config.argument_spec().items()}
    if "config_dir" not in options:
        params |= {"cluster": mistakes.good_cluster(), "hosts": mistakes.good_hosts()}
    return Call({**params, "dest": str(dest), **options}, check_mode=check_mode, diff=True)


def opened(dest: Path, **options: Any) -> dict[str, Any]:
    return perform(agent_config.run, call(dest, **options))


def snapshot(directory: Path) -> dict[str, tuple[str, int, int]]:
    return {
        str(path.relative_to(directory)): (path.read_text(), stat.S_IMODE(path.stat().st_mode), path.stat().st_mtime_ns)
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def test_directory_is_made_once(tmp_path: Path) -> None:
    dest = tmp_path / "work" / "config"
    planned = opened(dest, check_mode=True)
    assert not dest.parent.exists()
    first = opened(dest)
    assert first == {**planned, "invocation": first["invocation"]}
    assert first["changed"] and not first["failed"]
    assert sorted(snapshot(dest)) == ["agent-config.yaml", "install-config.yaml", "release.json"]
    assert {mode for _text, mode, _time in snapshot(dest).values()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (dest, dest.parent)} == {0o700}
    before = snapshot(dest)
    again = opened(dest)
    assert (again["changed"], again["changes"], again["diff"]) == (False, [], [])
    assert snapshot(dest) == before


def test_what_another_run_works_with_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another inventory on the same work directory: its files are not written until the run that is at work has
    ended.
    """
    work = tmp_path / "work"
    dest, other = work / "config", {**mistakes.good_cluster(), "api_vips": ["192.0.2.8"]}
    opened(dest, work_dir=str(work))
    before = snapshot(dest)
    monkeypatch.setattr(lock.one_run.__wrapped__, "__defaults__", (0.0,))
    with lock.one_run(work, "install_wait", SystemClock()):
        refused = opened(dest, work_dir=str(work), cluster=other)
        assert opened(dest, work_dir=str(work), cluster=other, check_mode=True)["changed"], (
            "check mode writes nothing and waits for no lock"
        )
    assert refused["failed"] and f"Another run uses {work}: install_wait, process {os.getpid()}" in refused["msg"]
    assert snapshot(dest) == before
    later = opened(dest, work_dir=str(work), cluster=other)
    assert [(later["failed"], change["path"]) for change in later["changes"]] == [(False, "install-config.yaml")]


def test_what_is_written_is_compared_with_what_the_run_before_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While this run waits for its turn, the one before may have written just this."""
    work = tmp_path / "work"

    @contextlib.contextmanager
    def turn(*_arguments: object) -> Iterator[None]:
        opened(work / "config")
        yield

    monkeypatch.setattr(agent_config, "one_run", turn)
    result = opened(work / "config", work_dir=str(work))
    assert (result["failed"], result["changed"], result["changes"], result["diff"]) == (False, False, [], [])


def test_mistakes_make_no_work_directory(tmp_path: Path) -> None:
    assert opened(tmp_path / "work" / "config", work_dir=str(tmp_path / "work"), hosts=[])["failed"]
    assert not (tmp_path / "work").exists()


def test_result(tmp_path: Path) -> None:
    result = opened(tmp_path / "config", check_mode=True)
    assert {
        key: result[key]
        for key in (
            "cluster_name",
            "api_url",
            "version",
            "release_image",
            "rendezvous_ip",
            "replicas",
            "files",
            "dest",
            "problems",
        )
    } == {
        "cluster_name": "demo",
        "api_url": "https://api.demo.example.com:6443",
        "version": "4.22.0",
        "release_image": mistakes.good_cluster()["release_image"],
        "rendezvous_ip": "192.0.2.11",
        "replicas": {"master": 3, "arbiter": 0, "worker": 2},
        "files": ["install-config.yaml", "agent-config.yaml", "release.json"],
        "dest": str(tmp_path / "config"),
        "problems": [],
    }
    assert result["hosts"][0] == {
        "name": "node-1",
        "hostname": "node-1",
        "role": "master",
        "macs": ["52:54:00:00:01:01"],
        "static_ips": ["192.0.2.11"],
    }
    assert [host["name"] for host in result["hosts"]] == ["node-1", "node-2", "node-3", "worker-1", "worker-2"]


def test_every_returned_key_is_documented(tmp_path: Path) -> None:
    documented = yaml.safe_load(agent_config.RETURN)
    result = opened(tmp_path / "config")
    assert set(result) - {"changed", "failed", "diff", "invocation"} == set(documented)
    assert set(result["hosts"][0]) == set(documented["hosts"]["contains"])
    options = (
        yaml.safe_load(agent_config.DOCUMENTATION)["options"]
        | yaml.safe_load(connect_to.ModuleDocFragment.DOCUMENTATION)["options"]
    )
    assert set(options) == set(agent_config.argument_spec())
    bad = opened(tmp_path / "other", cluster={**mistakes.good_cluster(), "colour": "blue"})
    assert set(bad["problems"][0]) == set(documented["problems"]["contains"])


def test_change_names_fields_and_shows_no_secret(tmp_path: Path) -> None:
    dest = tmp_path / "config"
    opened(dest)
    cluster = mistakes.good_cluster()
    cluster["ntp_sources"] = ["192.0.2.2"]
    cluster["pull_secret"] = cluster["pull_secret"].replace(
        "dXNlcjpnZWhlaW0tMQ==", base64.b64encode(b"user:geheim-9").decode()
    )
    cluster["extra_manifests"] = [
        {"name": "secret.yaml", "content": {"kind": "Secret", "stringData": {"a": "geheim-8"}}}
    ]
    result = opened(dest, cluster=cluster)
    assert {change["path"]: (change["action"], change["reason"]) for change in result["changes"]} == {
        "install-config.yaml": ("change", "pullSecret"),
        "agent-config.yaml": ("change", "additionalNTPSources[0]"),
        "openshift/secret.yaml": ("create", "there is no such file"),
    }
    text = json.dumps(result)
    for secret in (*SECRETS, "geheim-8", "geheim-9", base64.b64encode(b"user:geheim-9").decode()):
        assert secret not in text
    assert "192.0.2.2" in json.dumps(result["diff"])
    assert "geheim-8" in (dest / "openshift" / "secret.yaml").read_text()
    removed = opened(dest)
    gone = "the manifest is not part of the configuration any more"
    assert {"path": "openshift/secret.yaml", "action": "remove", "reason": gone, "form_only": False} in removed[
        "changes"
    ]
    assert not (dest / "openshift").exists()


def test_a_change_of_form_is_reported_from_one_of_content(tmp_path: Path) -> None:
    dest = tmp_path / "config"
    opened(dest)
    text = (dest / "agent-config.yaml").read_text()
    (dest / "agent-config.yaml").write_text(f"# by the user\n{text}")
    changes = opened(dest)["changes"]
    assert changes == [
        {
            "path": "agent-config.yaml",
            "action": "change",
            "reason": "only its format changes, not its content",
            "form_only": True,
        }
    ]


def test_two_at_once_write_the_same_files(tmp_path: Path) -> None:
    """Neither takes what the other one is writing for a leftover of a killed run."""
    for attempt in range(5):
        dest = tmp_path / f"config{attempt}"
        with ThreadPoolExecutor(max_workers=4) as pool:
            results = [future.result() for future in [pool.submit(opened, dest) for _each in range(4)]]
        assert not [result for result in results if result["failed"]], results
        assert not list(dest.glob(".*"))


def test_mode_is_put_right(tmp_path: Path) -> None:
    dest = tmp_path / "config"
    opened(dest)
    (dest / "install-config.yaml").chmod(0o644)
    assert opened(dest)["changes"] == [
        {"path": "install-config.yaml", "action": "change", "reason": "mode is 0644, not 0600", "form_only": True}
    ]
    assert not opened(dest)["changed"]


def test_leftovers_of_a_killed_run_go(tmp_path: Path) -> None:
    dest = tmp_path / "config"
    opened(dest)
    (dest / "install-config.yaml").unlink()
    (dest / ".install-config.yaml.abc.part").write_text("half")
    assert opened(dest)["changes"] == [
        {"path": "install-config.yaml", "action": "create", "reason": "there is no such file", "form_only": False}
    ]
    assert sorted(snapshot(dest)) == ["agent-config.yaml", "install-config.yaml", "release.json"]


def test_nothing_is_written_if_anything_is_wrong(tmp_path: Path) -> None:
    cluster = {**mistakes.good_cluster(), "api_vip": "192.0.2.5", "ingress_vips": ["192.0.3.6"]}
    hosts = mistakes.good_hosts()
    hosts[1]["interfaces"] = []
    result = opened(tmp_path / "config", cluster=cluster, hosts=hosts)
    assert result["failed"] and not result["changed"]
    found = {problem["path"] for problem in result["problems"] if problem["severity"] == "error"}
    assert found == {"openshift_cluster.api_vip", "openshift_cluster.ingress_vips", "openshift_host[node-2].interfaces"}
    assert len(result["msg"].splitlines()) == 3
    assert not (tmp_path / "config").exists()
    assert not any(secret in json.dumps(result) for secret in SECRETS)


def test_checks_set_severities(tmp_path: Path) -> None:
    hosts = mistakes.good_hosts()
    del hosts[0]["network_config"]["dns-resolver"]
    warned = call(tmp_path / "a", hosts=hosts)
    result = perform(agent_config.run, warned)
    assert [(problem["check"], problem["severity"]) for problem in result["problems"]] == [("dns-missing", "warning")]
    assert len(warned.warnings) == 1
    refused = opened(tmp_path / "b", hosts=hosts, checks={"dns-missing": "error"})
    assert refused["failed"]
    # The bare word off is false to YAML.
    for off in ("off", False, "False"):
        assert opened(tmp_path / "c", hosts=hosts, checks={"dns-missing": off})["problems"] == []
    unknown = opened(tmp_path / "d", checks={"dns-mising": "warn"})
    assert unknown["failed"] and "dns-missing" in unknown["msg"]


def test_own_files_are_read_and_never_changed(tmp_path: Path) -> None:
    source, dest = tmp_path / "mine", tmp_path / "config"
    opened(source)
    (source / "release.json").unlink()
    before = snapshot(source)
    result = opened(dest, config_dir=str(source), version="4.22.0")
    assert not result["failed"], result["msg"]
    assert snapshot(source) == before
    assert {name: text for name, (text, _mode, _time) in snapshot(dest).items() if name in before} == {
        name: text for name, (text, _m, _t) in before.items()
    }
    for target in (source, source / "." / "x" / ".."):
        (source / "x").mkdir(exist_ok=True)
        refused = opened(target, config_dir=str(source), version="4.22.0")
        assert refused["failed"] and "does not change your files" in refused["msg"]
    refused = opened(source)
    assert refused["failed"] and "did not write" in refused["msg"]
    (tmp_path / "file").write_text("x")
    for below in ("file", "file/below"):
        assert (
            f"{tmp_path / below} cannot be a directory: {tmp_path / 'file'} is a file"
            in opened(tmp_path / below)["msg"]
        )
    assert (
        "there is no such directory (name the directory that holds install-config.yaml"
        in opened(tmp_path / "x", cluster=None, config_dir=str(tmp_path / "none"))["msg"]
    )
    assert snapshot(source) == before


def test_version_is_needed_with_own_files(tmp_path: Path) -> None:
    opened(tmp_path / "mine")
    (tmp_path / "mine" / "release.json").unlink()
    result = opened(tmp_path / "config", config_dir=str(tmp_path / "mine"))
    assert [problem["path"] for problem in result["problems"]] == ["openshift_version"]


def test_kni22(tmp_path: Path) -> None:
    failed = opened(tmp_path / "config", config_dir=str(KNI22), version="4.22.0")
    assert failed["failed"]
    assert failed["msg"].startswith(f"{KNI22}/install-config.yaml:38: pullSecret: Syntax error")
    assert len(failed["msg"].splitlines()) == 1
    corrected = tmp_path / "corrected"
    corrected.mkdir()
    (corrected / "install-config.yaml").write_text(
        (KNI22 / "install-config.yaml").read_text().replace("''{", "'{").replace("}''", "}'")
    )
    (corrected / "agent-config.yaml").write_text((KNI22 / "agent-config.yaml").read_text())
    result = opened(
        tmp_path / "config", config_dir=str(corrected), version="4.22.0", checks={"release-not-pinned": "off"}
    )
    assert not result["failed"], result["msg"]
    assert result["rendezvous_ip"] == "192.168.0.116"
    checks = {problem["check"] for problem in result["problems"]}
    assert checks == {
        "layout-upgraded",
        "deprecated-field",
        "hosts-defined-twice",
        "certificate-expired",
        "prefix-mismatch",
    }
    assert all(problem["line"] for problem in result["problems"] if problem["file"])


@pytest.mark.parametrize(
    ("before", "after", "paths"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, ["a"]),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, ["a.b[1]"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a"]),
        ({"a": 1, "b": 2}, {"b": 2, "c": 3}, ["a", "c"]),
        (None, {"a": 1}, [""]),
    ],
)
def test_differing_paths(before: Any, after: Any, paths: list[str]) -> None:
    assert list(differing_paths(before, after)) == paths
