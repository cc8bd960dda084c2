# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test reading unusual configuration files: line ends and byte order marks of other programs, directories and links
instead of files, and extreme JSON.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.checked import all_problems
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import read_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import json_text
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import errors
from ansible_collections.zerotouch.openshift.tests.unit.cluster.test_files import AGENT_CONFIG, INSTALL_CONFIG


def written(
    directory: Path, *, install: bytes | None = INSTALL_CONFIG.encode(), agent: bytes | None = AGENT_CONFIG.encode()
) -> Path:
    """Write install-config.yaml and agent-config.yaml; None creates a directory in place of the file."""
    for name, content in (("install-config.yaml", install), ("agent-config.yaml", agent)):
        if content is None:
            (directory / name).mkdir()
        else:
            (directory / name).write_bytes(content)
    return directory


def reported(directory: Path) -> list[tuple[str, str, str]]:
    """(file, layer, detail) of every error of reading."""
    problems = read_directory(directory, version="4.22.0").problems
    return [(Path(problem.file).name, problem.layer, problem.detail) for problem in errors(problems)]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be-mark", "crlf", "cr"])
def test_texts_of_other_systems_say_the_same(tmp_path: Path, encoding: str) -> None:
    def text(content: str) -> bytes:
        if encoding == "utf-16-be-mark":
            return b"\xfe\xff" + content.encode("utf-16-be")
        if encoding in ("crlf", "cr"):
            return content.replace("\n", {"crlf": "\r\n", "cr": "\r"}[encoding]).encode()
        return content.encode(encoding)

    other = read_directory(written(tmp_path, install=text(INSTALL_CONFIG), agent=text(AGENT_CONFIG)), version="4.22.0")
    usual = read_directory(written(tmp_path), version="4.22.0")
    assert (other.deployment, errors(other.problems)) == (usual.deployment, [])


def test_directories_in_place_of_files(tmp_path: Path) -> None:
    for name, files in (("a", {"install": None}), ("b", {"agent": None})):
        (tmp_path / name).mkdir()
        file = {"a": "install-config.yaml", "b": "agent-config.yaml"}[name]
        assert reported(written(tmp_path / name, **files)) == [(file, "installer", "cannot be read: Is a directory")]


def test_extra_manifests_that_cannot_be_read(tmp_path: Path) -> None:
    """The installer fails at them; what was left out in silence would be missed in the cluster only."""
    extra = written(tmp_path) / "openshift"
    extra.mkdir()
    (extra / "a.yaml").symlink_to(tmp_path / "nowhere")
    (extra / "b.yaml").mkdir()
    os.mkfifo(extra / "c.yml")
    (extra / "d.yaml").write_text("kind: A\nkind: B\n")
    (extra / "e.txt").symlink_to(tmp_path / "nowhere")
    assert reported(tmp_path) == [
        ("a.yaml", "installer", "cannot be read: No such file or directory"),
        ("b.yaml", "installer", "cannot be read: Is a directory"),
        ("c.yml", "installer", "cannot be read: it is no file"),
        ("d.yaml", "ours", "the key is defined twice, first on line 1"),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "nested too deeply"),
        ('{"auths": ' + "[" * 300 + "]" * 300 + "}", "nested too deeply"),
        ('{"auths": ' + "9" * 5000 + "}", "json: cannot unmarshal number into Go struct field imagePullSecret.auths"),
        ('{"auths": NaN}', "NaN is not JSON"),
    ],
)
def test_pull_secrets_beyond_reason(tmp_path: Path, text: str, words: str) -> None:
    install = INSTALL_CONFIG[: INSTALL_CONFIG.index("pullSecret")] + f"pullSecret: '{text}'\n"
    parsed = read_directory(written(tmp_path, install=install.encode()), version="4.22.0")
    (problem,) = [problem for problem in all_problems(parsed) if problem.path == "pullSecret"]
    assert (problem.kind, problem.severity) == ("Invalid value", "error")
    assert words in problem.detail


@pytest.mark.parametrize("text", ["[" * 100_000, "{", '{"version": NaN}', "[]", "7"])
def test_any_release_json(tmp_path: Path, text: str) -> None:
    (written(tmp_path) / "release.json").write_text(text)
    assert read_directory(tmp_path, version="4.22.0").deployment


def test_json_that_is_read() -> None:
    assert json_text.parse('{"a": [1, 2.5, null, true]}') == {"a": [1, 2.5, None, True]}
    assert json_text.parse("[" * 199 + "]" * 199)


@pytest.mark.parametrize("other", ["vsphere: {}", "aws: {region: x}", "nutanix: {}", "none: {}"])
def test_two_platforms_at_once(tmp_path: Path, other: str) -> None:
    """Only one of them gets the installer's defaults."""
    hosts = "    hosts: [{name: a, bootMACAddress: '52:54:00:00:00:01'}]\n"
    install = INSTALL_CONFIG.replace("  baremetal:\n", f"  {other}\n  baremetal:\n{hosts}")
    found = all_problems(read_directory(written(tmp_path, install=install.encode()), version="4.22.0"))
    first, second = sorted([other.split(":")[0], "baremetal"])
    assert [problem.detail for problem in found if problem.path == "platform" and problem.kind == "Invalid value"] == [
        f'must only specify a single type of platform; cannot use both "{first}" and "{second}"'
    ]
