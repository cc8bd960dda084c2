# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the citations in all text of the repository: each cited page of docs/ and its heading exist, each cited upstream
repository is listed in docs/upstream/README.md, and no text cites a document that users do not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from .test_words import ROOT, texts

# Citations of documents that are not in the repository.
CLOSED = {
    "a numbered reference or design": re.compile(r"\b(?:references?|design),? (?:sections? )?\d", re.IGNORECASE),
    "a reference page": re.compile(r"\breferences? (?:[\w-]+\.md)", re.IGNORECASE),
    "an issue without its repository": re.compile(r"(?<![\w/-] )\bissue \d"),
}
PAGE = re.compile(r"(?<![\w/.-])docs/[a-z0-9/-]+\.md(?:#[a-z0-9_-]+)?")
UPSTREAM = re.compile(
    r"(?<![\w./-])([a-z][a-z0-9-]+/[a-z][a-z0-9._-]+)(?: |\n *(?:# )?)"
    r"`*(?=[a-z][\w.-]*/[\w./-]+|[a-z]\w*\.(?:go|rs|py|yaml)\b)"
)
# What stands before a path without being a repository: "and/or", a folder of this repository.
OWN = frozenset(path.name for path in ROOT.iterdir())


def headings(text: str) -> set[str]:
    """Anchors of a page, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def places(pattern: re.Pattern[str]) -> Iterator[tuple[str, int, re.Match[str]]]:
    for name, text in texts().items():
        if name != "tests/unit/architecture/test_citations.py" and not name.startswith("changelogs/"):
            yield from ((name, text.count("\n", 0, match.start()) + 1, match) for match in pattern.finditer(text))


@pytest.mark.parametrize("kind", CLOSED)
def test_no_citation_of_a_document_that_users_do_not_have(kind: str) -> None:
    assert [f"{name}:{line}: {match[0]}" for name, line, match in places(CLOSED[kind])] == []


def test_pages_and_headings_exist() -> None:
    missing = []
    for name, line, match in places(PAGE):
        page, _hash, heading = match[0].partition("#")
        text = texts().get(page)
        if not (ROOT / page).parent.is_dir():  # docs/hive-integration of an upstream repository
            continue
        if text is None or (heading and heading not in headings(text)):
            missing.append(f"{name}:{line}: {match[0]}")
    assert missing == []


def test_repositories_are_listed() -> None:
    """The table of docs/upstream/README.md names each repository that the code cites, and none that it does not."""
    table = texts()["docs/upstream/README.md"]
    listed = set(re.findall(r"[a-z0-9-]+/[a-z0-9._-]+", " ".join(re.findall(r"^\| (.+?) \|", table, re.MULTILINE)[1:])))
    cited: dict[str, str] = {}
    for name, line, match in places(UPSTREAM):
        owner = match[1].split("/")[0]
        if owner not in OWN and not name.startswith("docs/upstream/README"):
            cited.setdefault(match[1], f"{name}:{line}")
    assert {repository: place for repository, place in cited.items() if repository not in listed} == {}
    assert listed - set(cited) == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see openshift/installer pkg/asset/agent/image/ignition.go.", ["openshift/installer"]),
        ("openstack/sushy `sushy/exceptions.py`", ["openstack/sushy"]),
        ("and/or something", []),
        ("openshift/installer and pkg/asset", []),
    ],
)
def test_upstream_paths_are_found(text: str, found: list[str]) -> None:
    assert [match[1] for match in UPSTREAM.finditer(text)] == found


def test_headings_of_a_page() -> None:
    assert headings("# A `B_c`, d: e\ntext\n## X-y\n") == {"a-b_c-d-e", "x-y"}
