# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the names that HyperShift generates: the collection computes the same ones as HyperShift's code."""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.names import (
    control_plane_namespace,
    fnv1a,
    pool_key,
    shortened,
    template_name,
)


def test_fnv() -> None:
    """The published test vectors of FNV-1a, 32 bit."""
    assert [fnv1a(text) for text in ("", "a", "foobar")] == ["811c9dc5", "e40c292c", "bf9cf968"]


@pytest.mark.parametrize(
    ("selector", "digits"),
    [
        (None, "52df983b"),
        ({}, "c880c958"),
        ({"matchLabels": {"size": "large"}}, "f8d26e22"),
        ({"matchLabels": {}, "matchExpressions": []}, "c880c958"),
    ],
    ids=str,
)
def test_template_names_are_those_of_the_reference(selector: dict[str, object] | None, digits: str) -> None:
    assert template_name("pool", selector) == f"pool-{digits}"


def test_the_order_of_labels_does_not_matter_and_that_of_expressions_does() -> None:
    one, other = ({"matchLabels": dict(pairs)} for pairs in ((("a", "1"), ("b", "2")), (("b", "2"), ("a", "1"))))
    assert template_name("pool", one) == template_name("pool", other)
    expressions = [{"key": "zone", "operator": "In", "values": ["a", "b"]}, {"key": "gpu", "operator": "Exists"}]
    assert template_name("pool", {"matchExpressions": expressions}) != template_name(
        "pool", {"matchExpressions": expressions[::-1]}
    )


def test_long_names_are_cut_and_stay_different() -> None:
    assert shortened("base", "suffix", 43) == "base-suffix"
    base = "b" * 60
    assert shortened(base, "pool", 43) == f"{'b' * 29}-{fnv1a(base)}-pool"
    assert len(shortened(base, "pool", 43)) == 43
    suffix = "s" * 40
    assert shortened(base, suffix, 43) == f"{'b' * 34}-{fnv1a(base + '-' + suffix)}"
    assert len(template_name("p" * 253, {})) == 253


def test_where_a_control_plane_lives() -> None:
    assert control_plane_namespace("clusters", "my.cluster") == "clusters-my-cluster"
    assert pool_key("clusters", "edge") == "clusters/edge"
