# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the table of the files and units in an image: it agrees with built Ignition configs and with the documentation
page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.profile import PROFILES
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Pool
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.table import (
    DIRECTORIES,
    FILES,
    OMITTED,
    UNITS,
    markdown,
    row_of,
)

ROOT = Path(__file__).resolve().parents[3]

Build = Callable[..., LiveIgnition]


def test_every_file_of_a_config_is_in_the_table_with_its_mode(
    build: Build, build_nodes: Build, everything: dict[str, object]
) -> None:
    seen = set()
    for live in (
        build(**everything),
        build((), control_plane=Pool(1), compute=Pool(0)),
        build_nodes(chrony_conf="server ntp iburst\n"),
    ):
        for file in live.files:
            row = row_of(file.path)
            assert row is not None, file.path
            assert (file.path, file.mode, file.append) == (file.path, row.mode, row.note == "appended")
            seen.add(row)
        always = [
            (row.path, row.mode)
            for row in DIRECTORIES
            if row.when == "always" or live.file("/etc/assisted/add-nodes.env")
        ]
        assert [(directory.path, directory.mode) for directory in live.directories] == always
    assert seen == set(FILES)


@pytest.mark.parametrize(
    ("version", "modes"),
    [
        ("4.20.1", {"rendezvous-host.env": 0o644}),
        ("4.14.9", {"rendezvous-host.env": 0o644, "registries.conf": 0o600}),
        ("4.22.0", {}),
    ],
)
def test_files_of_older_releases_differ_only_where_the_table_says(
    build: Build, version: str, modes: dict[str, int]
) -> None:
    differing = {
        file.path.rsplit("/", 1)[1]: file.mode
        for file in build(version=version).files
        if (row := row_of(file.path)) is None or row.mode != file.mode
    }
    assert differing == modes


def test_the_units_are_those_of_the_table(build: Build, build_nodes: Build) -> None:
    """Each release has those that its row names."""
    rows = {row.name: row.when for row in UNITS}
    for version in (f"{major}.{minor}.0" for major, minor in PROFILES):
        found = {unit.name: unit.enabled for unit in build(version=version).units}
        assert set(found) == {name for name, when in rows.items() if _is_there(when, version)}, version
        assert {name for name, enabled in found.items() if not enabled} == {
            name for name in found if "enabled" in rows[name] and _is_off(rows[name], version)
        }
    install, nodes = ({unit.name for unit in live.units if unit.enabled} for live in (build(), build_nodes()))
    assert install - nodes == {"start-cluster-installation.service"}
    assert nodes - install == {"agent-add-node.service", "agent-auth-token-status.service"}
    assert "pre-network-manager-config.service" not in {unit.name for unit in build(()).units if unit.enabled}


def _minor(version: str) -> int:
    """5.0 is counted as the release after 4.23."""
    major, minor, _patch = version.split(".")
    return int(minor) + 24 * (int(major) - 4)


def _is_there(when: str, version: str) -> bool:
    release = _minor(version)
    if when == "4.14":
        return release == 14
    if when.startswith("4.19 and 4.20"):
        return release in (19, 20)
    since = re.search(r"4\.(\d+) and later", when)
    return since is None or release >= int(since[1])


def _is_off(when: str, version: str) -> bool:
    since = re.search(r"enabled from 4\.(\d+) on", when)
    if since:
        return _minor(version) < int(since[1])
    return "where a host has" not in when and "where a cluster" not in when


def test_what_is_omitted_is_absent(build: Build, everything: dict[str, object]) -> None:
    live = build(**everything)
    present = {file.path for file in live.files} | {unit.name for unit in live.units}
    assert present & set(OMITTED) == set()
    assert all(reason.strip() for reason in OMITTED.values())


def test_the_page_is_generated() -> None:
    page = (ROOT / "docs" / "reference" / "ignition-files.md").read_text()
    assert page == markdown(), "docs/reference/ignition-files.md is out of date; its head says how it is made"
