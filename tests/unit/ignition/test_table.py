# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The table of what an image holds, against real configs, the documentation page and upstream's list."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.profile import PROFILES
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Pool
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.table import DIRECTORIES, FILES, OMITTED, UNITS, markdown, row_of

ROOT = Path(__file__).resolve().parents[3]
REFERENCE = ROOT.parent / "shared" / "reference" / "agent-based-installer.md"

Build = Callable[..., LiveIgnition]


def test_every_file_of_a_config_is_in_the_table_with_its_mode(build: Build, build_nodes: Build, everything: dict[str, object]) -> None:
    seen = set()
    for live in (build(**everything), build((), control_plane=Pool(1), compute=Pool(0)), build_nodes(chrony_conf="server ntp iburst\n")):
        for file in live.files:
            row = row_of(file.path)
            assert row is not None, file.path
            assert (file.path, file.mode, file.append) == (file.path, row.mode, row.note == "appended")
            seen.add(row)
        always = [(row.path, row.mode) for row in DIRECTORIES if row.when == "always" or live.file("/etc/assisted/add-nodes.env")]
        assert [(directory.path, directory.mode) for directory in live.directories] == always
    assert seen == set(FILES)


@pytest.mark.parametrize(
    ("version", "modes"),
    [("4.20.1", {"rendezvous-host.env": 0o644}), ("4.14.9", {"rendezvous-host.env": 0o644, "registries.conf": 0o600}), ("4.22.0", {})],
)
def test_files_of_older_releases_differ_only_where_the_table_says(build: Build, version: str, modes: dict[str, int]) -> None:
    differing = {file.path.rsplit("/", 1)[1]: file.mode for file in build(version=version).files if (row := row_of(file.path)) is None or row.mode != file.mode}
    assert differing == modes


def test_the_units_are_those_of_the_table(build: Build, build_nodes: Build) -> None:
    """Each release has those that its row names."""
    rows = {row.name: row.when for row in UNITS}
    for version in (f"{major}.{minor}.0" for major, minor in PROFILES):
        found = {unit.name: unit.enabled for unit in build(version=version).units}
        assert set(found) == {name for name, when in rows.items() if _is_there(when, version)}, version
        assert {name for name, enabled in found.items() if not enabled} == {name for name in found if "enabled" in rows[name] and _is_off(rows[name], version)}
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
    page = (ROOT / "docs" / "ignition-files.md").read_text()
    assert page == markdown(), "docs/ignition-files.md is out of date; its head says how it is made"


# Upstream's list


def _section(start: str, end: str) -> str:
    if not REFERENCE.is_file():
        pytest.skip("the shared reference folder is not beside the checkout")
    text = REFERENCE.read_text()
    return text[text.index(start) : text.index(end, text.index(start))]


def _upstream_files() -> list[tuple[str, set[int]]]:
    """Sample paths and the modes that the reference gives for them."""
    found = []
    for line in _section("## 5. Ignition content", "### 5.1").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| ") or len(cells) < 3 or cells[0] == "path":
            continue
        modes = {int(mode, 8) for mode in re.findall(r"\b0[0-7]{3}\b", f"{cells[0]} {cells[1]}")}
        found += [(path, modes) for path in _paths(cells)]
    return found


def _paths(cells: list[str]) -> list[str]:
    if cells[0].startswith("`/usr/local/bin/*`"):
        return [f"/usr/local/bin/{name}" for name in re.findall(r"[\w-]+\.sh|agent-gather", cells[2])]
    paths: list[str] = []
    for token in re.findall(r"`([^`]+)`", cells[0]):
        if token.startswith(("/", "…/")):
            token = token.replace("<hostname or host-<i>>", "<host>")
        elif paths:
            token = f"{paths[-1].rsplit('/', 1)[0]}/{token}"
        for name in _braces(token):
            path = re.sub(r"<[^>]+>|\*", "x", name)
            if path.startswith("…/"):
                base = "/etc/assisted/hostconfig/x" if path in ("…/root-device-hints.yaml", "…/role") else "/usr/local/share/assisted-service"
                path = path.replace("…", base, 1)
            paths.append(path)
    # These two rows of the reference stand for a directory and for files that have rows of their own here.
    return [path for path in paths if path not in ("/etc/assisted/extra-manifests/", "/etc/assisted/manifests/x")]


def _braces(token: str) -> list[str]:
    match = re.search(r"\{([^}]+)\}", token)
    return [token.replace(match[0], choice) for choice in match[1].split(",")] if match else [token]


def test_every_file_of_upstreams_image_is_here_or_omitted_with_a_reason() -> None:
    upstream = _upstream_files()
    assert len(upstream) > 50
    missing = [path for path, _modes in upstream if row_of(path) is None and path not in OMITTED]
    assert missing == []
    wrong = [(path, modes) for path, modes in upstream if (row := row_of(path)) is not None and row.mode not in modes]
    assert wrong == []


def test_every_file_of_ours_is_one_of_upstreams() -> None:
    upstream = [path for path, _modes in _upstream_files()]
    samples = {row.path: re.sub(r"<[^>]+>", "x", row.path) for row in FILES}
    own = [
        path
        for path, sample in samples.items()
        if sample not in upstream and not path.startswith(("/etc/assisted/manifests/", "/etc/assisted/extra-manifests/"))
    ]
    # The reference has the MAC-keyed fencing file in the text of its row.
    assert own == ["/etc/assisted/hostconfig/<host>/fencing-credentials.yaml"]


def test_every_unit_of_upstream_is_here_or_omitted_with_a_reason() -> None:
    section = _section("### 5.3 systemd units", "Ordering:")
    enabled = re.search(r"Always enabled: (.*?)\. Install adds ([\w-]+); add-nodes adds ([\w-]+) \+ ([\w-]+); static network adds ([\w-]+)", section, re.DOTALL)
    assert enabled is not None
    names = re.sub(r"\([^)]*\)", "", enabled[1]).split(",") + [enabled[number] for number in range(2, 6)]
    known = {row.name for row in UNITS} | set(OMITTED)
    wanted = {f"{name.strip()}.service" for name in names} | {"apply-host-config.service", "load-config-iso@.service", "agent-check-config-image.service"}
    assert wanted - known == set()
    # Those that older releases had instead (reference 12).
    assert {row.name for row in UNITS} - wanted == {"agent-start-ui.service", "create-cluster-and-infraenv.service"}
