# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test option ``openshift_state``: which values are accepted, and that all mistakes are reported at once."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import DIRECT
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import errors, warnings
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.methods import (
    default_name,
    kube_client,
    open_store,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.options import (
    KEYS,
    METHODS,
    StateOptions,
    read_options,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS
from ansible_collections.zerotouch.openshift.tests.unit.deployment.state.places import Clock
from hypothesis import given
from hypothesis import strategies as st

LONG = "correct horse battery"
SECRET = {"method": "secret", "kubeconfig": "/k", "namespace": "lab"}
HTTP = {"method": "http", "url": "https://files.example.com/states/demo", "passphrase": LONG}


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        ({}, StateOptions()),
        ({"method": "directory", "ephemeral": True}, StateOptions(ephemeral=True)),
        (SECRET, StateOptions("secret", connection={"kubeconfig": "/k"}, namespace="lab")),
        (
            {
                **SECRET,
                "name": "a.b",
                "passphrase": LONG,
                "context": "hub",
                "ca_cert": "/ca",
                "validate_certs": False,
                "kubeconfig": {"users": []},
            },
            StateOptions(
                "secret",
                passphrase=LONG,
                connection={"kubeconfig": {"users": []}, "context": "hub", "ca_cert": "/ca", "validate_certs": False},
                namespace="lab",
                name="a.b",
            ),
        ),
        (HTTP, StateOptions("http", passphrase=LONG, url=HTTP["url"])),
        (
            {**HTTP, "headers": {"Authorization": "Bearer x"}, "ca_cert": "/ca", "validate_certs": False},
            StateOptions(
                "http",
                passphrase=LONG,
                url=HTTP["url"],
                headers={"Authorization": "Bearer x"},
                ca_cert="/ca",
                validate_certs=False,
            ),
        ),
        ({**HTTP, "headers": None, "ca_cert": None}, StateOptions("http", passphrase=LONG, url=HTTP["url"])),
    ],
)
def test_accepted(variable: dict[str, Any], expected: StateOptions) -> None:
    assert read_options(variable, {}) == (expected, [])


@pytest.mark.parametrize(
    ("variable", "paths"),
    [
        ("directory", [""]),
        ([], [""]),
        ({"method": "s3"}, ["method"]),
        ({"method": ["secret"]}, ["method"]),
        ({"methods": "secret"}, ["methods"]),
        ({"passphrase": LONG}, ["passphrase"]),
        ({"method": "directory", "url": "x", "ephemeral": "yes"}, ["url", "ephemeral"]),
        ({"method": "secret"}, ["kubeconfig", "namespace"]),
        ({**SECRET, "ephemeral": True}, ["ephemeral"]),
        ({**SECRET, "namespace": "Lab", "name": "A B", "passphrase": "short"}, ["passphrase", "namespace", "name"]),
        ({**SECRET, "kubeconfig": 7, "namespace": 7}, ["kubeconfig", "namespace"]),
        ({**SECRET, "name": "x" * 254}, ["name"]),
        ({"method": "http"}, ["passphrase", "url"]),
        ({**HTTP, "passphrase": 123456789012}, ["passphrase"]),
        (
            {**HTTP, "passphrase": "short", "headers": {"If-Match": "x", "a b": "x", "X-A": "a\r\nb"}},
            ["passphrase", "headers", "headers", "headers.X-A"],
        ),
        ({**HTTP, "headers": {"X-A": 5}}, ["headers.X-A"]),
        ({**HTTP, "headers": "X-A: 5"}, ["headers"]),
        ({**HTTP, "namespace": "lab", "ulr": "x"}, ["namespace", "ulr"]),
        *(
            ({**HTTP, "url": url}, ["url"])
            for url in (
                "ftp://x/y",
                "files.example.com/x",
                "https:///x",
                "https://[::1",
                "https://x:0/y",
                "https://u:p@x/y",
                "https://x",
                "https://x/",
                "https://x/y?token=1",
                "https://x/y#z",
                "https://x/ y",
                "https://x/ä",
                "https://x/\ny",
            )
        ),
    ],
)
def test_refused(variable: Any, paths: list[str]) -> None:
    _options, problems = read_options(variable, {})
    assert [problem.path.removeprefix("openshift_state").removeprefix(".") for problem in errors(problems)] == paths
    assert all(problem.detail for problem in problems)
    text = " ".join(problem.text() for problem in problems)
    assert LONG not in text and "short" not in text and "u:p" not in text and "token=1" not in text


def test_a_mistyped_key_names_the_nearest_one_and_a_foreign_key_its_method() -> None:
    problems = {problem.path: problem for problem in read_options({**HTTP, "header": {}, "kubeconfig": "/k"}, {})[1]}
    assert problems["openshift_state.header"].hint == "did you mean headers?"
    assert problems["openshift_state.kubeconfig"].detail == "is an option of method secret, not of method http"


def test_plain_http_with_headers_is_a_warning() -> None:
    found = read_options({**HTTP, "url": "http://x/y", "headers": {"Authorization": "Bearer x"}}, {})[1]
    assert [problem.path for problem in warnings(found)] == ["openshift_state.url"] and not errors(found)
    assert read_options({**HTTP, "url": "http://x/y"}, {})[1] == []


@pytest.mark.parametrize(
    "environment",
    [{"K8S_AUTH_KUBECONFIG": "/k"}, {"K8S_AUTH_HOST": "https://x"}, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}],
)
def test_a_connection_may_come_from_the_environment(environment: dict[str, str]) -> None:
    assert read_options({"method": "secret", "namespace": "lab"}, environment)[1] == []


_KEYS = st.sampled_from(sorted({key for keys in KEYS.values() for key in keys} | {"other"}))
_LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from(METHODS)
_VALUES = st.recursive(_LEAVES, lambda inner: st.dictionaries(st.text(max_size=5), inner), max_leaves=4)


@given(st.dictionaries(_KEYS, _VALUES, max_size=6))
def test_whatever_is_variableends_as_problems(variable: dict[str, Any]) -> None:
    options, problems = read_options(variable, {})
    assert isinstance(options, StateOptions)
    if not errors(problems) and options.method == "http":
        assert options.passphrase


def test_connection_options_are_those_of_the_modules() -> None:
    own = {"method", "passphrase", "namespace", "name"}
    assert set(KEYS["secret"]) - own <= set(CONNECTION_OPTIONS)


def test_variables_of_the_environment_do_not_lead_to_another_cluster() -> None:
    """K8S_AUTH_HOST may be the hub's, while openshift_state names the cluster with the Secret."""
    kubeconfig = {
        "clusters": [{"name": "c", "cluster": {"server": "https://state.example.com"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    environment = {"K8S_AUTH_HOST": "https://hub.example.com", "K8S_AUTH_API_KEY": "hub-token"}
    assert kube_client({"kubeconfig": kubeconfig}, environment, DIRECT, Clock()).server == "https://state.example.com"
    assert kube_client({}, environment, DIRECT, Clock()).server == "https://hub.example.com"


def test_stores_are_opened_without_a_request() -> None:
    clock = Clock()
    assert open_store(StateOptions(), cluster="demo", clock=clock) is None
    http = open_store(read_options(HTTP, {})[0], cluster="demo", clock=clock)
    assert http is not None and http.name == HTTP["url"]
    with pytest.raises(ZeroTouchError, match="/k"):
        open_store(read_options(SECRET, {})[0], cluster="demo", clock=clock)
    assert default_name("demo") == "zerotouch-openshift-demo"
