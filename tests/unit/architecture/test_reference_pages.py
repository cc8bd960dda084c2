# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the generated reference pages: every configuration field and option has a description, and every description has
a field.
"""

from __future__ import annotations

import re

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster import later_fields
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.checks import CHECKS
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.shapes import Field, Record, record
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.variable_fields import CLUSTER, HOST
from ansible_collections.zerotouch.openshift.tests.docs import checks_page, field_meanings, field_pages
from ansible_collections.zerotouch.openshift.tests.docs.sentences import sentences


def test_every_field_has_a_meaning_and_nothing_else() -> None:
    assert field_pages.problems() == []


def test_a_field_without_a_meaning_is_found() -> None:
    title, shape, meanings = field_pages.upstream_sections()[0]
    wider = Record({**shape.fields, "newField": Field(next(iter(shape.fields.values())).shape)})
    assert "newField" in [path for path, _type in field_pages.leaves(wider) if path not in meanings], title


def test_releases_are_those_of_the_rules() -> None:
    """A field that a release does not know is refused with the release it came with: the page says the same one."""
    pools = {
        f"{pool}.{path}": meaning
        for pool in ("controlPlane", "arbiter", "compute[]")
        for path, meaning in field_meanings.POOL.items()
    }
    platforms = {
        f"platform.{name}.{path}": meaning
        for name, table in field_meanings.PLATFORMS.items()
        for path, meaning in table.items()
    }
    known = {**field_meanings.INSTALL_CONFIG, **field_meanings.AGENT_CONFIG, **pools, **platforms}
    for path, since in {**later_fields._INSTALL_CONFIG, **later_fields._AGENT_CONFIG}.items():
        said = {meaning.since for name, meaning in known.items() if name == path}
        assert said <= {f"{since[0]}.{since[1]}"}, path


def test_every_option_is_on_the_page() -> None:
    page = field_pages.fields_page()
    named = set(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE))
    assert {*CLUSTER.fields, *HOST.fields} <= named
    assert {"control_plane.fencing.credentials[].mac_address", "image_digest_sources[].mirrors", "boot.method"} <= named


def test_no_option_is_without_words() -> None:
    rows = [line for line in field_pages.fields_page().splitlines() if line.startswith("| `")]
    assert [row for row in rows if row.rstrip(" |").endswith("–") or re.search(r"\|\s*\|$", row)] == []


def test_lists_of_records_have_a_row_of_their_own() -> None:
    shape = record({"a": field_pages.ListOf(record({"b": field_pages.Scalar("integer")}))})
    assert list(field_pages.leaves(shape)) == [("a", "list"), ("a[].b", "whole number")]


def test_every_check_is_in_one_group() -> None:
    grouped = [name for names in checks_page.GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(CHECKS)


def test_phrases_become_sentences() -> None:
    """The first letter of a name stays as it is."""
    assert sentences("nmstate ignores it", "", "remove `mtu`; see mtu.") == "nmstate ignores it. Remove `mtu`; see mtu."
    assert sentences("`mtu` is too large", "networkConfig has it?") == "`mtu` is too large. networkConfig has it?"
