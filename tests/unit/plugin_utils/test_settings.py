# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Settings and hosts from variables: tables."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import (
    DEFAULT_GROUPS,
    as_list,
    bmc_hosts,
    inventory_hosts,
    merge,
    read_settings,
)

GOOD: dict[str, Any] = {"openshift_cluster": {"name": "demo", "version": "4.22.0"}, "openshift_base_image": {"path": "base.iso"}}


def test_defaults_and_relative_paths() -> None:
    settings = read_settings(GOOD, "/home/user/site")
    assert (settings.work_dir, settings.config_dir) == ("/home/user/site/clusters/demo", "/home/user/site/clusters/demo/config")
    assert settings.base_image == {"path": "/home/user/site/base.iso"}
    assert settings.publish == {"method": "serve", "mode": "0640"}
    assert (settings.version, settings.method, settings.force) == ("4.22.0", "agent", [])


def test_a_directory_of_files_names_the_cluster() -> None:
    settings = read_settings({"openshift_config_dir": "kni22/", "openshift_version": "4.22.0", "openshift_base_image": {"url": "http://x/y.iso"}}, "/srv")
    assert (settings.source_dir, settings.name, settings.work_dir) == ("/srv/kni22", "kni22", "/srv/clusters/kni22")


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        pytest.param({"openshift_workdir": "x"}, "openshift_workdir", "did you mean openshift_work_dir", id="mistyped name"),
        pytest.param({"openshift_cluster": "demo"}, "openshift_cluster", "must be a mapping", id="wrong type"),
        pytest.param({"openshift_cluster": None}, "openshift_cluster", "describe the cluster", id="no cluster"),
        pytest.param({"openshift_cluster": {"version": "4.22.0"}}, "openshift_cluster.name", "needs a name", id="no name"),
        pytest.param({"openshift_config_dir": "x"}, "openshift_config_dir", "give one", id="both inputs"),
        pytest.param({"openshift_base_image": None}, "openshift_base_image", "CoreOS live ISO", id="no base image"),
        pytest.param({"openshift_base_image": {"pth": "x"}}, "openshift_base_image.pth", "did you mean path", id="unknown key"),
        pytest.param({"openshift_install_method": "capi"}, "openshift_install_method", "method capi is not part of this version", id="method not built"),
        pytest.param({"openshift_install_method": "agnet"}, "openshift_install_method", "did you mean agent", id="method mistyped"),
        pytest.param({"openshift_force": "rebuild"}, "openshift_force", "did you mean rebuild_image", id="force mistyped"),
        pytest.param({"openshift_publish": {"method": "ftp"}}, "openshift_publish.method", "serve, directory, none", id="publish method"),
        pytest.param({"openshift_timeouts": {"bot": 5}}, "openshift_timeouts.bot", "did you mean boot", id="unknown phase"),
        pytest.param({"openshift_timeouts": {"boot": "soon"}}, "openshift_timeouts.boot", "number of seconds", id="limit no number"),
        pytest.param({"openshift_groups": {"masters": "x"}}, "openshift_groups.masters", "known: control_plane", id="unknown group"),
    ],
)
def test_mistakes(change: dict[str, Any], path: str, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_settings({**GOOD, **change}, "/")
    assert [problem.path for problem in caught.value.problems] == [path]
    assert words in caught.value.problems[0].text()


def test_destroy_needs_no_base_image() -> None:
    assert read_settings({"openshift_cluster": {"name": "demo"}}, "/", building=False).name == "demo"


@pytest.mark.parametrize(("value", "expected"), [("a, b", ["a", "b"]), (["a"], ["a"]), ("", []), ("a", ["a"])])
def test_lists_from_the_command_line(value: Any, expected: list[str]) -> None:
    assert as_list(value) == expected


def test_hosts_in_order_with_defaults_below() -> None:
    groups = {"workers": ["w"], "control_plane": ["b", "a"]}
    defaults = {"bmc": {"username": "admin", "ca_cert": "ca.pem"}}
    hostvars = {
        "a": {"openshift_host": {"bmc": {"address": "x"}}, "openshift_host_defaults": defaults},
        "b": {
            "openshift_host": {"bmc": {"address": "y", "username": "root"}, "interfaces": [{"mac_address": "52:54:00:00:00:01"}]},
            "openshift_host_defaults": defaults,
        },
        "w": {"openshift_host": {"hostname": "w.example"}},
    }
    hosts = inventory_hosts(groups, hostvars, DEFAULT_GROUPS, "/srv")
    assert [(host["inventory_name"], host["role"]) for host in hosts] == [("b", "master"), ("a", "master"), ("w", "worker")]
    assert bmc_hosts(hosts) == [
        {"name": "b", "bmc": {"address": "y", "username": "root", "ca_cert": "/srv/ca.pem"}, "mac_addresses": ["52:54:00:00:00:01"]},
        {"name": "a", "bmc": {"address": "x", "username": "admin", "ca_cert": "/srv/ca.pem"}, "mac_addresses": []},
    ]


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ({"boot": {"method": "pxe"}}, "boot method pxe is not part of this version"),
        ({"boot": {"method": "bcm"}}, "did you mean bmc"),
        ({"boot": {"method": "bmc"}}, "needs a BMC address"),
        ("node", "must be a mapping"),
    ],
)
def test_host_mistakes(host: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        inventory_hosts({"workers": ["w"]}, {"w": {"openshift_host": host}}, DEFAULT_GROUPS, "/")


def test_merge_is_deep_for_mappings_only() -> None:
    assert merge({"a": {"x": 1, "y": [1]}, "b": 1}, {"a": {"y": [2]}}) == {"a": {"x": 1, "y": [2]}, "b": 1}


def test_a_password_in_the_url_of_the_image_is_refused_and_not_shown() -> None:
    variables = {
        "openshift_cluster": {"name": "a"},
        "openshift_base_image": {"path": "x"},
        "openshift_publish": {"method": "none", "url": "http://u:secret-word@h/a.iso"},
    }
    with pytest.raises(InvalidInput, match=r"^openshift_publish.url: Forbidden: a user or password in the URL would be shown") as caught:
        read_settings(variables, "/")
    assert "secret-word" not in str(caught.value)
