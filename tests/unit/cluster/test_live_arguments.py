# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test field live_kernel_arguments (kernel arguments of the live system): which values are rejected, and how a
configuration directory stores it.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.field_values import infra_env_values
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import read_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.live_arguments import argument_problems
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.render import render_files
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Deployment
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variables import read_variables
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem

from .mistakes import good_cluster, good_hosts

OPTION = "live_kernel_arguments"
PATH = f"openshift_cluster.{OPTION}"
ARGUMENTS = ["console=tty0", "console=ttyS0,115200n8"]
SOME_ARGUMENTS = [
    "nomodeset",
    "console=ttyS0,115200n8",
    "ip=[2001:db8::2]::[2001:db8::1]:64:h:eno1:none",
    "rd.net.timeout.carrier=30",
    "-x",
    "fipsy=1",
]


def read(value: Any) -> tuple[Deployment | None, list[Problem]]:
    parsed = read_variables({**good_cluster(), OPTION: value}, good_hosts())
    return parsed.deployment, list(parsed.problems)


def deployed(value: Any) -> Deployment:
    deployment, problems = read(value)
    assert deployment is not None
    assert [problem.text() for problem in problems] == []
    return deployment


@pytest.mark.parametrize("argument", SOME_ARGUMENTS)
def test_arguments(argument: str) -> None:
    assert deployed([argument]).cluster.live_kernel_arguments == (argument,)


def test_an_argument_may_be_repeated() -> None:
    assert deployed(["console=tty0", "console=tty0"]).cluster.live_kernel_arguments == ("console=tty0", "console=tty0")


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("", ["must not be empty"]),
        ("a b", ['"a b"', "white space", "write each argument as an item"]),
        (" quiet", ["white space"]),
        ("a\nb", [r"'a\\nb'", "white space"]),
        ("a\u00a0b", ["white space"]),
        ("a\x00b", [r"'a\\x00b'", "control characters"]),
        ("a\x1b[2J", ["control characters"]),
        ("a\u202eb", ["control characters"]),
        *((f"a{character}b", ["boot loaders would interpret"]) for character in "\"'$\\;&|<>{}"),
        ("#quiet", ["boot loaders would interpret"]),
        ("fips=1", ["fips is set where the image is built", "field fips"]),
        ("fips=0", ["field fips"]),
        ("fips", ["field fips"]),
        ("coreos.live.rootfs_url=http://192.0.2.1/rootfs.img", ["boot_artifacts_base_url"]),
        ("coreos.liveiso=rhcos", ["the base image sets it"]),
        ("initrd=other", ["the boot loader sets it"]),
    ],
)
def test_arguments_that_cannot_be(argument: str, words: list[str]) -> None:
    _deployment, problems = read(["quiet", argument])
    (problem,) = problems
    assert (problem.path, problem.severity, problem.layer) == (f"{PATH}[1]", "error", "ours")
    assert [word for word in words if word.replace("\\\\", "\\") not in problem.text()] == []


@pytest.mark.parametrize(
    ("value", "path"), [("quiet", PATH), ({"quiet": 1}, PATH), ([["quiet"]], f"{PATH}[0]"), ([1], f"{PATH}[0]")]
)
def test_a_value_with_the_wrong_type(value: Any, path: str) -> None:
    assert [problem.path for problem in read(value)[1]] == [path]


def write(directory: Path, deployment: Deployment) -> None:
    for name, text in render_files(deployment).items():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(text)


def test_release_json_keeps_them(tmp_path: Path) -> None:
    deployment = deployed(ARGUMENTS)
    files = render_files(deployment)
    assert json.loads(files.pop("release.json"))[OPTION] == ARGUMENTS
    assert [name for name, text in files.items() if "ttyS0" in text or "kernel" in text.lower()] == []
    write(tmp_path, deployment)
    again = read_directory(tmp_path)
    assert list(again.problems) == []
    assert again.deployment is not None
    assert again.deployment.cluster == deployment.cluster
    assert render_files(again.deployment) == render_files(deployment)


@pytest.mark.parametrize("version", ["", "4.22.0", "4.21.3"])
def test_a_version_beside_the_directory_leaves_them(tmp_path: Path, version: str) -> None:
    write(tmp_path, deployed(ARGUMENTS))
    deployment = read_directory(tmp_path, version=version).deployment
    assert deployment is not None
    assert deployment.cluster.live_kernel_arguments == tuple(ARGUMENTS)


@pytest.mark.parametrize("value", [[], None])
def test_without_them_release_json_is_as_before(value: Any) -> None:
    assert json.loads(render_files(deployed(value))["release.json"]).keys() == {"version", "release_image"}


@pytest.mark.parametrize(
    ("value", "path", "words"),
    [
        ("quiet", OPTION, "a list of texts is expected"),
        ([1], OPTION, "a list of texts is expected"),
        ({"a": 1}, OPTION, "a list of texts is expected"),
        (["quiet", "a b"], f"{OPTION}[1]", "must not contain white space"),
        (["fips=1"], f"{OPTION}[0]", "field fips"),
    ],
)
def test_a_wrong_release_json_is_named(tmp_path: Path, value: Any, path: str, words: str) -> None:
    write(tmp_path, deployed([]))
    file = tmp_path / "release.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), OPTION: value}))
    (problem,) = read_directory(tmp_path).problems
    assert (problem.path, problem.file, problem.severity) == (path, str(file), "error")
    assert words in problem.text()


def test_an_infra_env_gets_them() -> None:
    cluster = deployed(ARGUMENTS).cluster
    assert infra_env_values(cluster)["kernel_arguments"] == [
        {"operation": "append", "value": argument} for argument in ARGUMENTS
    ]
    assert "kernel_arguments" not in infra_env_values(dataclasses.replace(cluster, live_kernel_arguments=()))


def test_a_long_value_is_shortened() -> None:
    (problem,) = argument_problems([("x", "a b" * 100)])
    assert len(problem.value) < 70
