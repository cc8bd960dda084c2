# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the connection mapping (``openshift_connect_to``): which entry applies to a host and port, and which texts are
valid endpoints.
"""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import (
    DIRECT,
    ConnectTo,
    split_endpoint,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "endpoint"),
    [
        ("host", ("host", None)),
        ("host:1", ("host", 1)),
        ("Host.Example.COM.:443", ("host.example.com", 443)),
        ("*.apps.demo.example.com", ("*.apps.demo.example.com", None)),
        ("192.0.2.1:65535", ("192.0.2.1", 65535)),
        ("[2001:DB8::1]:80", ("2001:db8::1", 80)),
        ("[2001:db8:0:0:0:0:0:1]", ("2001:db8::1", None)),
        ("2001:db8::1", ("2001:db8::1", None)),
        ("::", ("::", None)),
    ],
)
def test_endpoints(text: str, endpoint: tuple[str, int | None]) -> None:
    assert split_endpoint(text) == endpoint


@pytest.mark.parametrize(
    "text",
    ["", ":", ":80", "host:", "host:x", "host:0", "host:65536", "host:123456", "a:b:c", "[::1", "::1]:80", "[]:80"],
)
def test_no_endpoints(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not host\[:port\]|is out of range"):
        split_endpoint(text)


MAPPING = {
    "api.demo.example.com:6443": "127.0.0.1:1",
    "api.demo.example.com": "127.0.0.1:2",
    "*.apps.demo.example.com": "127.0.0.1",
    "*.demo.example.com:443": "127.0.0.1:4",
    "*.demo.example.com": "127.0.0.1:5",
    "192.0.2.10": "[::1]:6",
    "[2001:db8::1]:8090": "lab.example.com:7",
}


@pytest.mark.parametrize(
    ("host", "port", "target"),
    [
        ("api.demo.example.com", 6443, ("127.0.0.1", 1)),  # name and port before name
        ("api.demo.example.com", 22623, ("127.0.0.1", 2)),  # name before wildcard
        ("API.demo.example.com.", 6443, ("127.0.0.1", 1)),
        # the nearest wildcard; no port given: the port stays
        ("console.apps.demo.example.com", 443, ("127.0.0.1", 443)),
        ("a.b.apps.demo.example.com", 443, ("127.0.0.1", 443)),
        ("x.demo.example.com", 443, ("127.0.0.1", 4)),
        ("x.demo.example.com", 80, ("127.0.0.1", 5)),
        ("192.0.2.10", 8090, ("::1", 6)),
        ("[2001:db8:0::1]", 8090, ("lab.example.com", 7)),
        ("2001:db8::1", 8090, ("lab.example.com", 7)),
        ("2001:db8::1", 8091, None),
        ("demo.example.com", 443, None),  # a wildcard does not mean the domain itself
        ("192.0.2.11", 443, None),
    ],
)
def test_lookup(host: str, port: int, target: tuple[str, int] | None) -> None:
    mapping = ConnectTo.of(MAPPING)
    assert mapping.lookup(host, port) == target
    assert mapping.resolve(host, port) == (target or (host, port))


def test_every_wrong_entry_is_reported() -> None:
    parsed, problems = ConnectTo.parse({"a:0": "b", "c": "d:e:f", "good": "127.0.0.1"})
    assert sorted(problem.path for problem in problems) == ["openshift_connect_to[a:0]", "openshift_connect_to[c]"]
    assert parsed.lookup("good", 1) == ("127.0.0.1", 1)
    with pytest.raises(InvalidInput) as caught:
        ConnectTo.of({"a:0": "b", "c": "d:e:f"})
    assert len(caught.value.problems) == 2


@given(st.text(max_size=30), st.integers(1, 65535))
def test_nothing_mapped_nothing_changed(host: str, port: int) -> None:
    assert DIRECT.resolve(host, port) == (host, port)


@given(st.text(max_size=40))
def test_any_text_is_an_endpoint_or_a_reason(text: str) -> None:
    try:
        host, port = split_endpoint(text)
    except ValueError:
        return
    assert host and (port is None or 0 < port < 65536)
    again = f"[{host}]" if ":" in host else host
    assert split_endpoint(again if port is None else f"{again}:{port}") == (host, port)
