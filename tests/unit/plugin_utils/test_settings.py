# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading the settings of a deployment from variables: defaults, paths, limits, and mistakes."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import (
    LIMITS,
    PHASES,
    as_list,
    check_settings,
    read_settings,
)

GOOD: dict[str, Any] = {
    "openshift_cluster": {"name": "demo", "version": "4.22.0"},
    "openshift_base_image": {"path": "base.iso"},
}


def test_defaults_and_relative_paths() -> None:
    settings = read_settings(GOOD, "/home/user/site")
    assert (settings.work_dir, settings.config_dir) == (
        "/home/user/site/clusters/demo",
        "/home/user/site/clusters/demo/config",
    )
    assert settings.base_image == {"path": "/home/user/site/base.iso"}
    assert settings.publish == {"method": "serve", "mode": "0640", "listen": "0.0.0.0", "port": 0}
    assert (settings.version, settings.method, settings.force) == ("4.22.0", "agent", [])


def test_a_directory_of_files_names_the_cluster() -> None:
    settings = read_settings(
        {
            "openshift_config_dir": "kni22/",
            "openshift_version": "4.22.0",
            "openshift_base_image": {"url": "http://x/y.iso"},
        },
        "/srv",
    )
    assert (settings.source_dir, settings.name, settings.work_dir) == ("/srv/kni22", "kni22", "/srv/clusters/kni22")


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        pytest.param(
            {"openshift_workdir": "x"}, "openshift_workdir", "did you mean openshift_work_dir", id="mistyped name"
        ),
        pytest.param({"openshift_cluster": "demo"}, "openshift_cluster", "must be a mapping", id="wrong type"),
        pytest.param({"openshift_cluster": None}, "openshift_cluster", "describe the cluster", id="no cluster"),
        pytest.param(
            {"openshift_cluster": {"version": "4.22.0"}}, "openshift_cluster.name", "needs a name", id="no name"
        ),
        pytest.param({"openshift_config_dir": "x"}, "openshift_config_dir", "give one", id="both inputs"),
        pytest.param({"openshift_base_image": None}, "openshift_base_image", "CoreOS live ISO", id="no base image"),
        pytest.param(
            {"openshift_base_image": {"pth": "x"}}, "openshift_base_image.pth", "did you mean path", id="unknown key"
        ),
        pytest.param(
            {"openshift_base_image": {"release": "4.22"}},
            "openshift_base_image.release",
            "supported values: auto",
            id="a release by number",
        ),
        pytest.param(
            {"openshift_base_image": {"release": "auto", "path": "x"}},
            "openshift_base_image.path",
            "give release or path",
            id="two images",
        ),
        pytest.param(
            {"openshift_base_image": {"path": "x", "stream_url": "https://m/x"}},
            "openshift_base_image.stream_url",
            "release: auto",
            id="no look-up",
        ),
        pytest.param(
            {"openshift_install_method": "capi", "openshift_release_image": "quay.io/r@sha256:0"},
            "openshift_release_image",
            "by its version",
            id="image of capi",
        ),
        pytest.param(
            {"openshift_capi": {"namespace": "x"}},
            "openshift_capi.namespace",
            "comes from openshift_cluster",
            id="capi, an option of ours",
        ),
        pytest.param(
            {"openshift_capi": {"metal": {}}}, "openshift_capi.metal", "did you mean metal3", id="capi, unknown"
        ),
        pytest.param(
            {"openshift_capi": {"machine_deployments": [{"name": "w", "hosts": "worker-0"}]}},
            "openshift_capi.machine_deployments[0].hosts",
            "must be a list of hosts",
            id="capi, hosts of a pool",
        ),
        pytest.param(
            {"openshift_install_method": "agnet"},
            "openshift_install_method",
            "did you mean agent",
            id="method mistyped",
        ),
        pytest.param(
            {"openshift_force": "rebuild"}, "openshift_force", "did you mean rebuild_image", id="force mistyped"
        ),
        pytest.param(
            {"openshift_publish": {"method": "ftp"}},
            "openshift_publish.method",
            "serve, directory, upload, none",
            id="publish method",
        ),
        pytest.param(
            {"openshift_timeouts": {"bot": 5}}, "openshift_timeouts.bot", "did you mean boot", id="unknown phase"
        ),
        pytest.param(
            {"openshift_timeouts": {"boot": "soon"}},
            "openshift_timeouts.boot",
            "number of seconds",
            id="limit no number",
        ),
        pytest.param(
            {"openshift_groups": {"masters": "x"}},
            "openshift_groups.masters",
            "known: control_plane",
            id="unknown group",
        ),
        pytest.param(
            {"openshift_groups": {"workers": ["x"]}}, "openshift_groups.workers", "name of a group", id="group no name"
        ),
        pytest.param({"openshift_groups": []}, "openshift_groups", "must be a mapping, not a list", id="groups a list"),
        pytest.param(
            {"openshift_timeouts": {"boot": float("nan")}},
            "openshift_timeouts.boot",
            "number of seconds",
            id="limit not a number at all",
        ),
        pytest.param(
            {"openshift_timeouts": {"boot": True}}, "openshift_timeouts.boot", "number of seconds", id="limit a truth"
        ),
        pytest.param({"openshift_publish": {"mode": 0o777}}, "openshift_publish.mode", "lets others write", id="mode"),
        pytest.param(
            {"openshift_publish": {"tls": {"certificate": "x.crt"}}},
            "openshift_publish.tls.certificate",
            "/x.crt does not exist",
            id="certificate",
        ),
        pytest.param(
            {"openshift_publish": {"listen": "192.0.2.77"}},
            "openshift_publish.listen",
            "not an address of this machine",
            id="listen",
        ),
        pytest.param({"openshift_ca_cert": "nowhere.pem"}, "openshift_ca_cert", "/nowhere.pem does not exist", id="CA"),
        pytest.param(
            {"openshift_connect_to": {"a:b:c": "d"}},
            "openshift_connect_to[a:b:c]",
            "is not host[:port]",
            id="connect_to",
        ),
        pytest.param(
            {"openshift_base_image": {"path": "x", "version": 4.22}},
            "openshift_base_image.version",
            "in quotes",
            id="version a number",
        ),
        pytest.param(
            {"openshift_cluster": {"name": "../other"}},
            "openshift_cluster.name",
            "must be a name",
            id="a name that leads elsewhere",
        ),
        pytest.param(
            {"openshift_cluster": {"name": ["x"]}}, "openshift_cluster.name", "must be a name", id="name a list"
        ),
        pytest.param({"openshift_destroy_purge": "maybe"}, "openshift_destroy_purge", "true or false", id="purge"),
    ],
)
def test_mistakes(change: dict[str, Any], path: str, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_settings({**GOOD, **change}, "/")
    assert [problem.path for problem in caught.value.problems] == [path]
    assert words in caught.value.problems[0].text()


def test_all_mistakes_at_once() -> None:
    variables = {
        "openshift_cluster": {"version": "4.22.0"},
        "openshift_force": 7,
        "openshift_timeouts": {"boot": "soon"},
        "openshift_publish": {"port": -1},
    }
    assert [problem.path for problem in check_settings(variables, "/")] == [
        "openshift_force",
        "openshift_cluster.name",
        "openshift_base_image",
        "openshift_timeouts.boot",
        "openshift_publish.port",
    ]


def test_destroy_needs_no_base_image() -> None:
    assert read_settings({"openshift_cluster": {"name": "demo"}}, "/", building=False).name == "demo"


@pytest.mark.parametrize(("value", "expected"), [("a, b", ["a", "b"]), (["a"], ["a"]), ("", []), ("a", ["a"])])
def test_lists_from_the_command_line(value: Any, expected: list[str]) -> None:
    assert as_list(value) == expected


def test_a_password_in_the_url_of_the_image_is_refused_and_not_shown() -> None:
    variables = {
        "openshift_cluster": {"name": "a"},
        "openshift_base_image": {"path": "x"},
        "openshift_publish": {"method": "none", "url": "http://u:secret-word@h/a.iso"},
    }
    with pytest.raises(
        InvalidInput,
        match=(r"^openshift_publish.url: Forbidden: the URL must not contain a user or password"),
    ) as caught:
        read_settings(variables, "/")
    assert "secret-word" not in str(caught.value)


@pytest.mark.parametrize(
    ("provided", "path", "words"),
    [
        pytest.param(
            {"openshift_assisted": None}, "openshift_assisted.service_url", "ASSISTED_SERVICE_URL", id="no service"
        ),
        pytest.param({"openshift_assisted": "http://a"}, "openshift_assisted", "must be a mapping", id="mistyped"),
        pytest.param(
            {"openshift_assisted": {"service_url": "a.example.com"}},
            "openshift_assisted.service_url",
            "is not of the form",
            id="no URL",
        ),
        pytest.param(
            {"openshift_assisted": {"service_url": "https://[fd00::1"}},
            "openshift_assisted.service_url",
            "is not of the form",
            id="half an IPv6 address",
        ),
        pytest.param(
            {"openshift_assisted": {"service_url": "http://a", "retries": float("inf")}},
            "openshift_assisted.retries",
            "from -2^63 to 2^63",
            id="infinity",
        ),
        pytest.param(
            {"openshift_assisted": {"servce_url": "http://a"}},
            "openshift_assisted.servce_url",
            "did you mean service_url",
            id="mistyped key",
        ),
        pytest.param(
            {"openshift_assisted": {"service_url": "http://a", "image": "publsh"}},
            "openshift_assisted.image",
            "did you mean publish",
            id="image",
        ),
        pytest.param(
            {"openshift_assisted": {"service_url": "http://a", "image": 5}},
            "openshift_assisted.image",
            "must be a string",
            id="image mistyped",
        ),
        pytest.param(
            {"openshift_assisted": {"service_url": "http://a", "cluster_id": 5}},
            "openshift_assisted.cluster_id",
            "must be a string",
            id="id",
        ),
        pytest.param(
            {"openshift_assisted": {"service_url": "http://a", "auth": "sso"}},
            "openshift_assisted.auth",
            "supported values",
            id="auth",
        ),
        pytest.param(
            {"openshift_assisted": {"service_url": "http://a", "retries": "x"}},
            "openshift_assisted.retries",
            "int",
            id="type",
        ),
        pytest.param(
            {"openshift_infra_env": {"kernel_argument": []}},
            "openshift_infra_env.kernel_argument",
            "did you mean kernel_arguments",
            id="infra-env",
        ),
        pytest.param(
            {"openshift_infra_env": {"cluster": "x"}},
            "openshift_infra_env.cluster",
            "is set by the collection",
            id="ours",
        ),
    ],
)
def test_the_service_of_method_assisted(
    monkeypatch: pytest.MonkeyPatch, provided: dict[str, Any], path: str, words: str
) -> None:
    monkeypatch.delenv("ASSISTED_SERVICE_URL", raising=False)
    good = {
        **GOOD,
        "openshift_install_method": "assisted",
        "openshift_assisted": {"service_url": "http://192.0.2.1:8090"},
    }
    assert check_settings(good, "/srv") == []
    (problem,) = check_settings({**good, **provided}, "/srv")
    assert problem.path == path and words in problem.text()


def test_where_the_service_is_may_is_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTED_SERVICE_URL", "http://192.0.2.1:8090")
    assert check_settings({**GOOD, "openshift_install_method": "assisted"}, "/srv") == []


def test_limits_of_waits_follow_their_phase() -> None:
    assert read_settings(GOOD, "/srv").limits["installation"] == 7200.0
    limits = read_settings({**GOOD, "openshift_timeouts": {"install": 5}}, "/srv").limits
    assert {name for name, limit in limits.items() if limit == 5.0} == {
        name for name, (phase, _default) in LIMITS.items() if phase == "install"
    }
    assert {phase for phase, _default in LIMITS.values()} <= set(PHASES)
