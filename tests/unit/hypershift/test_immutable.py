# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the message about a changed field of a HostedCluster that cannot be changed."""

from __future__ import annotations

from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster.immutable import settled


def services(address: str, names: tuple[str, ...] = ("APIServer", "Ignition")) -> list[dict[str, Any]]:
    return [
        {"service": name, "servicePublishingStrategy": {"type": "NodePort", "nodePort": {"address": address}}}
        for name in names
    ]


def refused(wanted: dict[str, Any], there: dict[str, Any]) -> list[str]:
    return [problem.text() for problem in settled({"spec": wanted}, {"spec": there})[1]]


def test_of_a_long_field_the_part_that_differs_is_named() -> None:
    """Two lists of services look alike where a message would cut them off."""
    (text,) = refused({"services": services("192.0.2.6")}, {"services": services("192.0.2.5")})
    assert text == (
        "services: Forbidden: 192.0.2.6: spec.services cannot be changed: "
        "spec.services[0].servicePublishingStrategy.nodePort.address is 192.0.2.5, and this is the first that differs"
    )


def test_a_list_of_another_length_is_shown_as_it_is() -> None:
    networks = [{"cidr": "10.0.0.0/16"}]
    (text,) = refused({"networking": {"machineNetwork": []}}, {"networking": {"machineNetwork": networks}})
    assert "spec.networking.machineNetwork cannot be changed: it is [{'cidr': '10.0.0.0/16'}]" in text


def test_another_order_is_said_to_be_one() -> None:
    (text,) = refused(
        {"services": services("192.0.2.5", ("Ignition", "APIServer"))}, {"services": services("192.0.2.5")}
    )
    assert "spec.services[0].service is APIServer" in text and "only their order differs" in text
