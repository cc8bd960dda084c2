# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test hand-written sets of cluster-manifests: every rule of openshift/installer pkg/asset/agent/manifests, and the
deployment that is read from a set.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    Deployment,
    Proxy,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.cluster_manifests import render_manifests
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.source import (
    configuration_files,
    read_source,
    source_problems,
)
from ansible_collections.zerotouch.openshift.tests.unit.manifests.provided_cases import (
    DEPLOYMENT,
    INFRA_ENV,
    INSTALL,
    NMSTATE,
    REFUSED,
    REGISTRIES,
    RELEASE,
    SECRET,
    TAKEN,
    Change,
    Files,
    agent,
    cluster,
    hosts,
    network_config,
)


@pytest.fixture(scope="module")
def generated() -> Files:
    return dict(render_manifests(Deployment(cluster(), hosts(), "192.168.111.20")).files)


@pytest.fixture
def files(generated: Files) -> Files:
    return dict(generated)


def written(directory: Path, files: Files) -> Path:
    for name, text in files.items():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(text)
    return directory


@pytest.mark.parametrize(
    ("change", "path", "kind", "detail"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_what_the_installer_refuses(
    tmp_path: Path, files: Files, change: Change, path: str, kind: str, detail: str
) -> None:
    change(files)
    parsed = read_source(written(tmp_path, files), version="4.22.0", release_image=RELEASE)
    found = [
        (problem.path, problem.kind, problem.detail)
        for problem in source_problems(parsed)
        if problem.severity == "error" and problem.layer == "installer"
    ]
    assert found == [(path, kind, detail)]


def test_kernel_arguments_of_the_live_system_are_kept_beside_a_set(tmp_path: Path, files: Files) -> None:
    directory = written(tmp_path, files)
    (directory / "release.json").write_text(json.dumps({"version": "4.22.0", "live_kernel_arguments": ["quiet"]}))
    deployment = read_source(directory, release_image=RELEASE).deployment
    assert deployment is not None
    assert deployment.cluster.live_kernel_arguments == ("quiet",)
    assert json.loads(configuration_files(deployment)["release.json"])["live_kernel_arguments"] == ["quiet"]


@pytest.mark.parametrize("change", [row[1] for row in TAKEN], ids=[row[0] for row in TAKEN])
def test_what_the_installer_takes(tmp_path: Path, files: Files, generated: Files, change: Change) -> None:
    change(files)
    parsed = read_source(written(tmp_path, files), version="4.22.0", release_image=RELEASE)
    assert [problem.text() for problem in source_problems(parsed) if problem.severity == "error"] == []
    assert parsed.deployment is not None
    # The directory keeps the text; the live system gets what the installer makes of it.
    kept = configuration_files(parsed.deployment)
    assert {path: kept[path] for path in files} == files
    assert set(kept) == {*files, "release.json"}
    assert set(render_manifests(parsed.deployment).files) == set(generated)


def test_a_set_means_the_cluster_that_it_was_made_of(tmp_path: Path, files: Files) -> None:
    deployment = read_source(written(tmp_path, files), version="4.22.0").deployment
    assert deployment is not None
    expected = dataclasses.replace(
        cluster(), rendezvous_ip="", proxy=Proxy("http://192.168.111.1:3128", "", "a.com,192.168.111.0/24")
    )
    assert json.loads(deployment.cluster.pull_secret) == json.loads(expected.pull_secret)
    assert dataclasses.replace(deployment.cluster, rendezvous_ip="", pull_secret=expected.pull_secret) == expected
    assert deployment.rendezvous_ip == "192.168.111.20"
    assert [(host.name, host.macs, host.network_config, host.listed) for host in deployment.hosts] == [
        (f"ostest-{n}", (f"52:54:00:aa:bb:0{n}",), network_config(n), False) for n in range(3)
    ]
    # Written again, nothing of it changes.
    assert render_manifests(deployment).files == files


def test_the_live_system_gets_what_the_installer_makes_of_it(tmp_path: Path, files: Files, generated: Files) -> None:
    install = yaml.safe_load(files[INSTALL])
    del (
        install["status"],
        install["spec"]["networking"]["networkType"],
        install["spec"]["networking"]["userManagedNetworking"],
    )
    infra_env = yaml.safe_load(files[INFRA_ENV])
    del infra_env["status"], infra_env["spec"]["ipxeScriptType"]
    infra_env["spec"] |= {"cpuArchitecture": "amd64", "sshAuthorizedKey": ""}
    secret = yaml.safe_load(files[SECRET]) | {
        "stringData": {".dockerconfigjson": '{"auths":{"quay.io":{"auth":"YTpi"}}}'}
    }
    for path, document in (
        (INSTALL, install | {"spec": install["spec"] | {"platformType": "baremetal"}}),
        (INFRA_ENV, infra_env),
        (SECRET, secret),
    ):
        files[path] = f"# by the user\n{yaml.safe_dump(document, sort_keys=False)}"
    files[DEPLOYMENT] = f"# by the user\n{files[DEPLOYMENT]}"
    deployment = read_source(written(tmp_path, files), version="4.22.0").deployment
    assert deployment is not None
    made = render_manifests(deployment).files
    assert made[DEPLOYMENT] == files[DEPLOYMENT]
    assert (made[INSTALL], made[SECRET]) == (generated[INSTALL], generated[SECRET])
    expected = yaml.safe_load(generated[INFRA_ENV])
    del expected["spec"]["sshAuthorizedKey"]
    assert yaml.safe_load(made[INFRA_ENV]) == expected


def test_hosts_of_both_files_are_one(tmp_path: Path, files: Files) -> None:
    hint = (
        "hosts: [{hostname: one, role: master, rootDeviceHints: {deviceName: /dev/vda}, interfaces: [{name: x, "
        "macAddress: '52:54:00:AA:BB:01'}]}]\n"
    )
    agent(f"rendezvousIP: 192.168.111.21\n{hint}")(files)
    parsed = read_source(written(tmp_path, files), version="4.22.0")
    assert parsed.deployment is not None
    found = [
        (host.name, host.hostname, host.role, [(nic.name, nic.mac) for nic in host.interfaces], host.listed)
        for host in parsed.deployment.hosts
    ]
    assert found == [
        ("one", "one", "master", [("eth0", "52:54:00:aa:bb:01")], True),
        ("ostest-0", "", "", [("eth0", "52:54:00:aa:bb:00")], False),
        ("ostest-2", "", "", [("eth0", "52:54:00:aa:bb:02")], False),
    ]
    assert parsed.deployment.hosts[0].network_config == network_config(1)
    assert parsed.deployment.rendezvous_ip == "192.168.111.21"


@pytest.mark.parametrize(
    ("registries", "words"),
    [
        ('[[registry]]\nlocationx = "a"\n', "Location key not found in mirror/registries.conf"),
        (
            '[[registry]]\nlocation = "a.b/c"\n',
            (f"mirror/registries.conf should have an entry matching the releaseImage {RELEASE}"),
        ),
    ],
)
def test_mirrors_that_do_not_help_are_warned_of(tmp_path: Path, files: Files, registries: str, words: str) -> None:
    files[REGISTRIES] = registries
    parsed = read_source(written(tmp_path, files), version="4.22.0")
    assert [
        problem.detail
        for problem in source_problems(parsed)
        if problem.severity == "warning" and problem.layer == "installer"
    ] == [words]


def test_without_an_image_no_host_has_to_be_the_rendezvous_host(tmp_path: Path, files: Files) -> None:
    del files[NMSTATE]
    parsed = read_source(written(tmp_path, files), version="4.22.0")
    assert [problem.path for problem in source_problems(parsed) if problem.severity == "error"] == ["rendezvousIP"]
    assert [problem.path for problem in source_problems(parsed, image=False) if problem.severity == "error"] == []
