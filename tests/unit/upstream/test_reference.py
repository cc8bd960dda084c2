# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the table of an image's files and units: each file and unit of upstream's image is in it, or is left out with a
reason.
"""

from __future__ import annotations

import re

from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.table import FILES, OMITTED, UNITS, row_of
from ansible_collections.zerotouch.openshift.tests.support import upstream

REFERENCE = upstream.required("reference/agent-based-installer.md")


def _section(start: str, end: str) -> str:
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
                base = (
                    "/etc/assisted/hostconfig/x"
                    if path in ("…/root-device-hints.yaml", "…/role")
                    else "/usr/local/share/assisted-service"
                )
                path = path.replace("…", base, 1)
            paths.append(path)
    # These two rows of upstream's list are a directory and for files that have rows of their own here.
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
        if sample not in upstream
        and not path.startswith(("/etc/assisted/manifests/", "/etc/assisted/extra-manifests/"))
    ]
    # The reference has the MAC-keyed fencing file in the text of its row.
    assert own == ["/etc/assisted/hostconfig/<host>/fencing-credentials.yaml"]


def test_every_unit_of_upstream_is_here_or_omitted_with_a_reason() -> None:
    section = _section("### 5.3 systemd units", "Ordering:")
    enabled = re.search(
        (
            r"Always enabled: (.*?)\. Install adds ([\w-]+); add-nodes adds ([\w-]+) \+ ([\w-]+); static network adds "
            r"([\w-]+)"
        ),
        section,
        re.DOTALL,
    )
    assert enabled is not None
    names = re.sub(r"\([^)]*\)", "", enabled[1]).split(",") + [enabled[number] for number in range(2, 6)]
    known = {row.name for row in UNITS} | set(OMITTED)
    wanted = {f"{name.strip()}.service" for name in names} | {
        "apply-host-config.service",
        "load-config-iso@.service",
        "agent-check-config-image.service",
    }
    assert wanted - known == set()
    # Those that older releases had instead (docs/upstream/releases.md).
    assert {row.name for row in UNITS} - wanted == {"agent-start-ui.service", "create-cluster-and-infraenv.service"}
