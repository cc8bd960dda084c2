# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test variables that hold a structure as JSON or YAML text, as a survey or the command line passes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.filter.deployment import deployment
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.check import check_variables
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.inventory import Inventory
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.resolved import resolve
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import VARIABLES, as_list
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.texts import is_structure, read_structure
from hypothesis import strategies as st

CANARY = "word-of-a-secret"
HOST = {
    "bmc": {"address": "redfish-virtualmedia://10.0.0.1"},
    "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:01"}],
}
BMC = {"username": "admin", "password": CANARY}
CLUSTER = {"name": "demo", "version": "4.22.0"}
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abcdef", min_size=1, max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


def inventory(host: Any = HOST, **variables: Any) -> Inventory:
    everything = {
        "openshift_cluster": CLUSTER,
        "openshift_base_image": {"path": "base.iso"},
        "openshift_bmc_defaults": BMC,
        **variables,
    }
    hostvars = {"node-1": {**everything, "openshift_host": host}}
    return Inventory({**everything, "groups": {"control_plane": ["node-1"]}, "hostvars": hostvars}, lambda value: value)


def problems(**variables: Any) -> list[str]:
    return [problem.text() for problem in check_variables(inventory(**variables), building=True)]


def part(name: str, **variables: Any) -> Any:
    return deployment(resolve(inventory(**variables), building=True), name)


@pytest.mark.parametrize("name", sorted(name for name, kinds in VARIABLES.items() if kinds in (dict, list)))
def test_every_structure_may_be_a_text(name: str) -> None:
    assert is_structure("{}", VARIABLES[name])
    assert not is_structure({}, VARIABLES[name])


@pytest.mark.parametrize(
    ("name", "value", "parsed"),
    [
        ("openshift_hosts", "[a, b]", True),
        ("openshift_hosts", "- a\n- b", True),
        ("openshift_hosts", "a, b", False),
        ("openshift_confirm", '["demo"]', True),
        ("openshift_work_dir", "[x]", False),
        ("openshift_version", "{}", False),
    ],
)
def test_what_is_parsed(name: str, value: str, parsed: bool) -> None:
    assert is_structure(value, VARIABLES[name]) is parsed


@hypothesis.given(st.lists(JSON) | st.dictionaries(st.text("abcdef", min_size=1), JSON))
def test_json_and_yaml_are_read(value: Any) -> None:
    assert read_structure("x", json.dumps(value)) == (value, [])
    assert read_structure("x", json.dumps(value, indent="\t")) == (value, [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("  \n\t", None),
        ("# only a comment", None),
        ("demo", "demo"),
        ("5", "5"),
        ("true", "true"),
        ("mac: 52:54:00:00:00:01\nversion: 4.22.0", {"mac": "52:54:00:00:00:01", "version": "4.22.0"}),
        ("boot: 3600\nflag: yes", {"boot": 3600, "flag": True}),
    ],
)
def test_texts(text: str, expected: Any) -> None:
    assert read_structure("x", text) == (expected, [])


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f"name: demo\n  password: {CANARY}: x", "line 2, column "),
        (f"a: [1,\npassword: {CANARY}", "line 3, column 1"),
        (f'{{"password": "{CANARY}", }} x', "line 1, column 36: a second document begins"),
        (f"a: 1\nb: !secret {CANARY}", "line 2, column 4"),
        (f"{CANARY}: 1\n{CANARY}: 2", "line 2, column 1"),
        (f'{{"{CANARY}": 1,\n"{CANARY}": 2}}', "line 2, column 1"),
        (f"password: {CANARY}\n---\na: 1", "line 3, column 1: a second document begins"),
        (f"x: &{CANARY}\n  y: *{CANARY}", "line "),
        ("a: .nan", "line 1, column 4"),
        ('["\\ud800"]', "holds a value that no file can hold"),
    ],
)
def test_mistakes_have_a_place_and_no_content(text: str, place: str) -> None:
    value, found = read_structure("openshift_cluster", text)
    assert value is None and found
    assert place in found[0].text() and CANARY not in str(found), found
    assert {problem.path for problem in found} == {"openshift_cluster"}


def test_a_mistake_in_a_text_is_the_only_problem_of_its_variable() -> None:
    found = problems(openshift_cluster=f"name: demo\npull_secret: {{{CANARY}", openshift_timeouts="{boot: soon}")
    assert [text.split(":")[0] for text in found] == ["openshift_cluster", "openshift_timeouts.boot"]
    assert "line 3, column 1" in found[0] and CANARY not in "".join(found)


@pytest.mark.parametrize("dump", [json.dumps, yaml.safe_dump])
def test_texts_resolve_as_structures(dump: Any) -> None:
    structures = {
        "openshift_cluster": CLUSTER,
        "openshift_timeouts": {"boot": 60},
        "openshift_bmc_defaults": BMC,
        "openshift_publish": {"port": 8080},
    }
    as_text = resolve(inventory(dump(HOST), **{name: dump(value) for name, value in structures.items()}), building=True)
    assert as_text == resolve(inventory(**structures), building=True)


def test_a_text_for_all_hosts_is_reported_once() -> None:
    hostvars = {
        name: {"openshift_host": HOST, "openshift_host_defaults": "{", "openshift_bmc_defaults": BMC}
        for name in ("a", "b")
    }
    everything = {
        "openshift_cluster": CLUSTER,
        "openshift_base_image": {"path": "x"},
        "groups": {"workers": ["a", "b"]},
        "hostvars": hostvars,
    }
    found = check_variables(Inventory(everything, lambda value: value), building=False)
    assert len([problem for problem in found if "openshift_host_defaults" in problem.path]) == 1, found


@pytest.mark.parametrize("value", [" ", ",", "\n", " , \n"])
def test_a_blank_answer_names_no_host(value: str) -> None:
    """Hosts leave their cluster only when they are named: roles ask for these names, not for the length of the text."""
    assert as_list(value) == []
    found = resolve(inventory(openshift_hosts=value), building=False)
    assert deployment(found, "chosen_names") == []


def test_roles_do_not_read_the_names_of_hosts_themselves() -> None:
    root = Path(__file__).parents[3]
    readers = [path for path in (root / "roles").glob("*/[vd]*/main.yml") if "openshift_hosts |" in path.read_text()]
    assert readers == []


@pytest.mark.parametrize("value", ["node-1\n", "node-1,\n", "[node-1]", '["node-1"]', "- node-1"])
def test_names_on_lines(value: str) -> None:
    assert deployment(resolve(inventory(openshift_hosts=value), building=False), "chosen_names") == ["node-1"]


def test_bmc_defaults_are_weaker_than_the_inventory() -> None:
    own = {**HOST, "bmc": {**HOST["bmc"], "password": "own"}}
    (machine,) = part("bmc_hosts", host=own, openshift_host_defaults={"bmc": {"username": "root"}})
    assert machine["bmc"] == {"address": HOST["bmc"]["address"], "username": "root", "password": "own"}
    (machine,) = part("bmc_hosts", openshift_bmc_defaults={**BMC, "validate_certs": "False", "ca_cert": ""})
    assert machine["bmc"] == {**HOST["bmc"], **BMC, "validate_certs": "False"}


def test_bmc_defaults_make_no_bmc() -> None:
    (host,) = part("hosts", host={"interfaces": HOST["interfaces"]})
    assert "bmc" not in host


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            {"user": "x"},
            ("openshift_bmc_defaults.user: Unknown field: known: username, password, validate_certs, ca_cert"),
        ),
        ({"address": "x"}, "openshift_bmc_defaults.address: Unknown field"),
        ({}, "openshift_host[node-1].bmc.username: Required value"),
        ({"username": "", "password": ""}, "openshift_host[node-1].bmc.username: Required value"),
        ([1], "openshift_bmc_defaults: Invalid value: must be a mapping"),
        ("word", "openshift_bmc_defaults: Invalid value: must be a mapping"),
    ],
)
def test_mistakes_in_bmc_defaults(value: Any, words: str) -> None:
    found = problems(openshift_bmc_defaults=value)
    assert any(text.startswith(words) for text in found), found


def test_injected_files_fill_the_cluster(tmp_path: Path) -> None:
    (tmp_path / "pull").write_text('{"auths": {}}\n')
    (tmp_path / "key").write_text("# mine\nssh-ed25519 AAAA one\n\nssh-ed25519 BBBB two\n")
    files = {"openshift_pull_secret_file": str(tmp_path / "pull"), "openshift_ssh_key_file": str(tmp_path / "key")}
    cluster = part("cluster", **files)
    assert cluster == {
        **CLUSTER,
        "pull_secret": '{"auths": {}}',
        "ssh_public_keys": ["ssh-ed25519 AAAA one", "ssh-ed25519 BBBB two"],
    }
    own = {**CLUSTER, "pull_secret": "own", "ssh_public_keys": ["own"]}
    assert part("cluster", openshift_cluster=own, **files) == own
    assert part("cluster", openshift_cluster=json.dumps(CLUSTER), **files) == cluster


@pytest.mark.parametrize("name", ["openshift_pull_secret_file", "openshift_ssh_key_file"])
def test_an_injected_file_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for path, reason in ((tmp_path / "none", "No such file or directory"), (tmp_path / "binary", "it is no text")):
        assert f"{name}: Invalid value: {path}: cannot be read: {reason}" in problems(**{name: str(path)})


@pytest.mark.parametrize("name", ["openshift_status", "openshift_plan_summary"])
def test_what_an_earlier_job_of_a_workflow_has_set_is_no_mistake(name: str) -> None:
    """A controller passes the statistics of a job to the later jobs as variables; openshift_status is near to
    openshift_state.
    """
    without = {"openshift_host": HOST}
    everything = {
        "openshift_cluster": CLUSTER,
        "openshift_base_image": {"path": "x"},
        "openshift_bmc_defaults": BMC,
        name: {},
    }
    hostvars = {"node-1": {**everything, **without}}
    found = check_variables(
        Inventory({**everything, "groups": {"workers": ["node-1"]}, "hostvars": hostvars}, lambda value: value),
        building=False,
    )
    assert [problem for problem in found if name in problem.text()] == []


STATE = {
    "OPENSHIFT_STATE_KUBECONFIG": "/k",
    "OPENSHIFT_STATE_NAMESPACE": "zerotouch",
    "OPENSHIFT_STATE_PASSPHRASE": "a long pass phrase",
}


@pytest.mark.parametrize(
    ("variable", "environment", "expected"),
    [
        ({}, {}, ("directory", "", "", None)),
        ({}, STATE, ("secret", "zerotouch", "a long pass phrase", "/k")),
        ({"namespace": "mine"}, STATE, ("secret", "mine", "a long pass phrase", "/k")),
        (
            {"method": "secret", "host": "https://x", "namespace": "mine"},
            STATE,
            ("secret", "mine", "a long pass phrase", None),
        ),
        ({"method": "http", "url": "https://x/y"}, STATE, ("http", "", "a long pass phrase", None)),
        ({"method": "directory"}, STATE, ("directory", "", "", None)),
        (
            {"method": "http", "url": "https://x/y", "passphrase": "my own pass phrase"},
            STATE,
            ("http", "", "my own pass phrase", None),
        ),
    ],
)
def test_the_state_of_a_credential(
    variable: dict[str, Any], environment: dict[str, str], expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import STATE_ENVIRONMENT, state_options

    for name in STATE_ENVIRONMENT.values():
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    options, found = state_options({"openshift_state": variable}, "/")
    assert found == []
    assert (options.method, options.namespace, options.passphrase, options.connection.get("kubeconfig")) == expected
