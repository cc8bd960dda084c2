# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The documentation is correct: generated pages are current, links have targets, variables exist in the code."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import VARIABLES

from .test_citations import headings

ROOT = Path(__file__).parents[3]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "lab/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
_SPEC = importlib.util.spec_from_file_location("generate_docs", ROOT / "tests" / "generate_docs.py")
generate_docs = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(generate_docs)


@pytest.mark.parametrize("path", generate_docs.pages(), ids=lambda path: path.name)
def test_generated_pages_are_current(path: Path) -> None:
    assert path.read_text() == generate_docs.pages()[path], "run: PYTHONPATH=.build python tests/generate_docs.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """To a file that exists, and to a heading that it has."""
    links = re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text())
    assert [
        (target, heading)
        for target, heading in links
        if not (page.parent / target).exists()
        or (heading and heading not in headings((page.parent / target if target else page).read_text()))
    ] == []


def test_the_index_lists_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    of_upstream = {page for page in pages if page.startswith("upstream/")}
    linked = {target for target in re.findall(r"\]\(([^)#:]+\.md)\)", index) if not target.startswith("../")}
    assert linked == pages - of_upstream - {"README.md"} | {"upstream/README.md"}


@pytest.mark.parametrize("page", PAGES[3:], ids=lambda page: page.relative_to(ROOT / "docs").as_posix())
def test_every_page_begins_with_what_the_reader_can_do(page: Path) -> None:
    paragraphs = re.sub(r"<!--.*?-->", "", page.read_text(), flags=re.DOTALL).split("\n\n")
    first = next(text for text in paragraphs[1:] if text.strip())
    assert re.match(r"\s*After (reading|following) this page ", first), first


def test_the_readme_is_for_galaxy_too() -> None:
    """Galaxy shows it without the files beside it: all links are absolute, to files that exist here.

    It is short, and has the sections of certified content.
    """
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 120
    assert re.findall(r"\]\((?!https://)", text) == []
    own = re.findall(
        r"https://(?:github|raw\.githubusercontent)\.com/zerotouch-openshift/zerotouch\.openshift/(?:blob/)?main/(\S+)",
        text,
    )
    assert len(own) > 15 and [path for path in own if not (ROOT / path).exists()] == []
    assert set(re.findall(r"\]\[(\w+)\]", text)) == set(re.findall(r"^\[(\w+)\]: ", text, re.MULTILINE))
    headings = set(re.findall(r"^## (.+)$", text, re.MULTILINE))
    assert {"Description", "Requirements", "Installation", "Use Cases", "Testing"} <= headings


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_linked_names_exist(page: Path) -> None:
    """A link whose text is a name in code leads to a file that defines it."""
    links = re.findall(r"\[`(\w+)`\]\(([^)#:]+\.py)\)", page.read_text())
    assert [
        link
        for link in links
        if not re.search(rf"^(?:def|class) {link[0]}\b", (page.parent / link[1]).read_text(), re.MULTILINE)
    ] == []


def test_the_architecture_page_has_the_questions_of_a_maintainer() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    questions = [
        "Where is the boot order decided",
        "What happens on a rerun",
        *(f"How do I add a {what}" for what in ("field", "BMC vendor", "boot method", "module")),
    ]
    assert set(questions) <= set(headings)
    packages = {
        path.name
        for path in (ROOT / "plugins" / "module_utils").iterdir()
        if path.is_dir() and path.name != "__pycache__"
    }
    assert packages == set(re.findall(r"^\| [\d.]+ \| (\w+) \|", text, re.MULTILINE))


def test_every_variable_is_documented_and_nothing_else() -> None:
    text = (ROOT / "docs" / "reference" / "variables.md").read_text()
    named = set(re.findall(r"`(openshift_[a-z_]+)`", text))
    assert named == set(VARIABLES) | {"openshift_host"}


def test_roles_document_only_variables_that_exist() -> None:
    for spec in (ROOT / "roles").glob("*/meta/argument_specs.yml"):
        named = set(re.findall(r"^      (openshift_[a-z_]+):", spec.read_text(), re.MULTILINE))
        assert named <= set(VARIABLES), spec


@pytest.mark.parametrize("role", sorted(path.name for path in (ROOT / "roles").iterdir()))
def test_every_role_has_a_page_with_all_its_variables(role: str) -> None:
    """Galaxy takes no collection with a role that has none."""
    page = (ROOT / "roles" / role / "README.md").read_text()
    spec = yaml.safe_load((ROOT / "roles" / role / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]
    assert page.startswith(f"# {role}\n")
    assert set(spec.get("options") or {}) == set(re.findall(r"^\| `([a-z_]+)` \|", page, re.MULTILINE))
