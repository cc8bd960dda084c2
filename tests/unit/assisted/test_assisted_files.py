# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module assisted_files: it writes files that only the owner can read, leaves unchanged files alone and never
leaves a partial file. It returns no secret and writes no file outside its destination.
"""

from __future__ import annotations

import io
import json
import stat
import tarfile

import pytest


def archive():
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        entry = tarfile.TarInfo("cluster_events.json")
        entry.size = 2
        tar.addfile(entry, io.BytesIO(b"[]"))
    return data.getvalue()


@pytest.fixture
def site(fake):
    fake.clusters["c"] = {"id": "c", "name": "edge", "status": "installed"}
    fake.infra_envs["i"] = {"id": "i", "name": "edge"}
    fake.files = {
        "kubeconfig": b"clusters: []\n",
        "kubeadmin-password": b"abcde-fghij-klmno",
        "discovery.ign": b"{}",
        "logs": archive(),
    }
    fake.manifests[("c", "openshift", "a.yaml")] = b"a: 1\n"
    return fake


def test_check_run_run_again(site, run_module, tmp_path):
    dest = tmp_path / "auth"
    predicted = run_module("assisted_files", cluster_name="edge", dest=str(dest), check=True)
    assert predicted["changed"] and not dest.exists()
    done = run_module("assisted_files", cluster_name="edge", dest=str(dest))
    assert done["plan"] == predicted["plan"] and "abcde-fghij-klmno" not in json.dumps(done)
    for name, content in (("kubeconfig", "clusters: []\n"), ("kubeadmin-password", "abcde-fghij-klmno")):
        assert (dest / name).read_text() == content and stat.S_IMODE((dest / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(dest.stat().st_mode) == 0o700
    assert not run_module("assisted_files", cluster_name="edge", dest=str(dest))["changed"]
    (dest / "kubeconfig").chmod(0o644)
    assert [each["changed"] for each in run_module("assisted_files", cluster_name="edge", dest=str(dest))["files"]] == [
        True,
        False,
    ]


def test_manifests_logs_and_files_of_an_infra_env(site, run_module, tmp_path):
    result = run_module(
        "assisted_files",
        cluster_name="edge",
        infra_env_name="edge",
        dest=str(tmp_path),
        files=["manifests", "logs", "discovery.ign"],
    )
    assert [each["name"] for each in result["files"]] == ["openshift/a.yaml", "logs", "discovery.ign"]
    assert (tmp_path / "manifests" / "openshift" / "a.yaml").read_bytes() == b"a: 1\n"
    with tarfile.open(tmp_path / "logs.tar") as logs:
        assert logs.getnames() == ["cluster_events.json"]
    assert "logs_type=all" in next(path for _method, path, _body, _headers in site.requests if "/logs" in path)
    assert run_module("assisted_files", cluster_name="edge", dest=str(tmp_path), files=["logs"], check=True)["changed"]


def test_what_is_not_there_yet(site, run_module, tmp_path):
    files = ["kubeconfig", "master.ign", "kubeadmin-password"]
    failed = run_module("assisted_files", cluster_name="edge", dest=str(tmp_path), files=files)
    assert (
        failed["failed"]
        and failed["changed"]
        and "master.ign cannot be had" in failed["msg"]
        and "409: not yet" in failed["msg"]
    )
    skipped = run_module("assisted_files", cluster_name="edge", dest=str(tmp_path), files=files, skip_missing=True)
    assert skipped["missing"] == [{"name": "master.ign", "reason": "not yet"}] and len(skipped["files"]) == 2


def test_an_answer_that_is_cut_off_leaves_the_old_file(site, run_module, tmp_path):
    run_module("assisted_files", cluster_name="edge", dest=str(tmp_path), files=["logs"])
    before = (tmp_path / "logs.tar").read_bytes()
    site.faults = [("GET", "/logs", "cut-middle")]
    cut = run_module("assisted_files", cluster_name="edge", dest=str(tmp_path), files=["logs"])
    assert cut["failed"] and "Traceback" not in json.dumps(cut) and (tmp_path / "logs.tar").read_bytes() == before
    site.files["logs"] = b"no archive"
    assert (
        "no whole tar archive"
        in run_module("assisted_files", cluster_name="edge", dest=str(tmp_path), files=["logs"])["msg"]
    )
    assert [path.name for path in tmp_path.iterdir()] == ["logs.tar"]


def test_a_manifest_whose_name_leads_elsewhere_is_not_written(site, run_module, tmp_path):
    site.manifests[("c", "openshift", "../../x.yaml")] = b"x"
    result = run_module("assisted_files", cluster_name="edge", dest=str(tmp_path / "in"), files=["manifests"])
    assert result["failed"] and "no plain file name" in result["msg"] and not list(tmp_path.rglob("x.yaml"))


def test_mistakes(site, run_module, tmp_path):
    assert (
        "discovery.ign belong to one"
        in run_module("assisted_files", cluster_name="edge", dest=str(tmp_path), files=["discovery.ign"])["msg"]
    )
    assert "has edge" in run_module("assisted_files", cluster_name="none", dest=str(tmp_path))["msg"]


def test_check_mode_before_the_files_are_there(site, fake, run_module, tmp_path):
    early = run_module(
        "assisted_files",
        cluster_name="edge",
        dest=str(tmp_path / "a"),
        files=["kubeconfig", "master.ign", "logs"],
        check=True,
        diff=True,
    )
    assert early["plan"] == [f"write {tmp_path}/a/{name}" for name in ("kubeconfig", "master.ign", "logs.tar")]
    assert early["missing"] == [{"name": "master.ign", "reason": "not yet"}] and not (tmp_path / "a").exists()
    fake.clusters.clear()
    nothing = run_module(
        "assisted_files",
        cluster_name="edge",
        dest=str(tmp_path / "a"),
        files=["kubeconfig", "manifests"],
        check=True,
        diff=True,
    )
    assert (
        len(nothing["plan"]) == 2 and "no cluster edge" in json.dumps(nothing["warnings"]) and len(nothing["diff"]) == 2
    )


SECRET_MANIFEST = b"kind: Secret\napiVersion: v1\nmetadata: {name: a}\nstringData: {any: hidden-value-1}\n"
MACHINE_CONFIG = (
    b"kind: MachineConfig\nspec: {config: {storage: {files: [{contents: {source: 'data:,hidden-value-2'}, path: "
    b"/etc/a}]}}}\n"
)


def test_a_diff_shows_what_changes_and_no_secret(site, run_module, tmp_path):
    def fetch(**more):
        return run_module(
            "assisted_files",
            cluster_name="edge",
            dest=str(tmp_path),
            files=["kubeconfig", "manifests"],
            diff=True,
            **more,
        )

    site.manifests[("c", "openshift", "b.yaml")] = SECRET_MANIFEST
    site.manifests[("c", "openshift", "c.yaml")] = MACHINE_CONFIG
    predicted, done = fetch(check=True), fetch()
    assert predicted["diff"] == done["diff"] and not any(
        f"hidden-value-{number}" in json.dumps(done) for number in (1, 2)
    )
    shown = {item["after_header"].rpartition("/")[2]: item for item in done["diff"]}
    assert (shown["a.yaml"]["before"], shown["a.yaml"]["after"]) == ("", "a: 1\n") and shown["kubeconfig"][
        "after"
    ] == "(13 bytes)\n"
    assert "path: /etc/a" in shown["c.yaml"]["after"] and "name: a" in shown["b.yaml"]["after"]
    assert fetch()["diff"] == []
    site.manifests[("c", "openshift", "a.yaml")] = b"a: 2\n"
    (tmp_path / "kubeconfig").chmod(0o644)
    assert [(item["before"], item["after"]) for item in fetch()["diff"]] == [
        ("mode: 0644\n", "mode: 0600\n"),
        ("a: 1\n", "a: 2\n"),
    ]
