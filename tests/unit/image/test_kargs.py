# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test changing the text of kernel arguments, and encoding it for its area in an image."""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.image import kargs


@pytest.mark.parametrize(
    ("operation", "text", "words", "expected"),
    [
        (kargs.append, "a b", ["fips=1"], "a b fips=1"),
        (kargs.append, "", ["a", " b "], "a b"),
        (kargs.append, "a", ["a"], "a a"),
        (kargs.append, "a", [], "a"),
        (kargs.delete, "a b c", ["b"], "a c"),
        (kargs.delete, "a b=1 c", ["b"], "a b=1 c"),
        (kargs.delete, "a", ["a"], ""),
    ],
)
def test_operations(operation, text: str, words: list[str], expected: str) -> None:
    assert operation(text, words) == expected


def test_area_round_trip() -> None:
    area = kargs.encode_area("a b", 10, "#", "\n")
    assert area == b"a b\n######"
    assert kargs.decode_area(area, "#", "\n") == "a b"
    assert kargs.encode_area("a b", 6, "\0", "\0") == b"a b\0\0\0"


def test_area_keeps_space_for_the_end_character() -> None:
    assert kargs.encode_area("a" * 9, 10, "#", "\n") == b"a" * 9 + b"\n"
    with pytest.raises(ZeroTouchError, match="11 bytes, the area has 10"):
        kargs.encode_area("a" * 10, 10, "#", "\n")
