# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the names that HyperShift generates for its objects."""

from __future__ import annotations

import re
from typing import Any

import pytest
from ztlab.hub.hypershift import naming


@pytest.mark.parametrize(
    ("selector", "wanted"),
    [
        (None, "pool-52df983b"),
        ({}, "pool-c880c958"),
        ({"matchLabels": {"size": "large"}}, "pool-f8d26e22"),
        ({"matchLabels": {"size": "large"}, "matchExpressions": []}, "pool-f8d26e22"),
    ],
)
def test_templates_are_named_by_the_hash_of_their_spec(selector: dict[str, Any] | None, wanted: str) -> None:
    assert naming.template_name("pool", selector) == wanted


def test_the_order_of_labels_does_not_count() -> None:
    one = naming.template_name("pool", {"matchLabels": {"a": "1", "b": "2"}})
    assert one == naming.template_name("pool", {"matchLabels": {"b": "2", "a": "1"}})
    assert one != naming.template_name("pool", {"matchLabels": {"a": "1", "b": "3"}})


def test_long_names_are_cut_and_hashed() -> None:
    assert naming.short_name("base", "suffix", 43) == "base-suffix"
    cut = naming.short_name("a" * 60, "pool", 43)
    assert len(cut) == 43 and cut.endswith(f"-{naming.fnv32a(b'a' * 60)}-pool")
    without_base = naming.short_name("cluster", "p" * 40, 43)
    assert without_base == f"cluster-{naming.fnv32a(('cluster-' + 'p' * 40).encode())}"


def test_control_plane_namespace() -> None:
    assert naming.control_plane_namespace("clusters", "a.b") == "clusters-a-b"


def test_infra_ids() -> None:
    assert re.fullmatch(r"my-cluster-with-long-[a-z0-9]{5}", naming.infra_id("my..cluster__with-long-name"))
    assert naming.infra_id("a") != naming.infra_id("a")
