# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test encrypting and decrypting the records of a deployment's state, with and without a passphrase."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state import encryption as e
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.errors import (
    StoreUnknown,
    WrongPassphrase,
)
from ansible_collections.zerotouch.openshift.tests.unit.deployment.state.places import CHEAP, PASSPHRASE
from hypothesis import given
from hypothesis import strategies as st

KEYS = e.Keys(PASSPHRASE, CHEAP)
ABOUT = {"format": 1, "cluster": "demo", "lineage": "a", "serial": 7}


@given(st.binary(max_size=500))
def test_what_is_sealed_is_opened(body: bytes) -> None:
    for keys in (KEYS, None):
        header, opened = e.unseal(e.seal(body, ABOUT, keys), keys)
        assert opened == body
        assert ABOUT.items() <= header.items()


def test_a_sealed_record_shows_neither_body_nor_passphrase() -> None:
    sealed = e.seal(b"client-key-data", ABOUT, KEYS)
    assert b"client-key-data" not in sealed and PASSPHRASE.encode() not in sealed
    assert sealed != e.seal(b"client-key-data", ABOUT, KEYS)


@given(st.data())
def test_every_changed_byte_is_found(data: st.DataObject) -> None:
    sealed = bytearray(e.seal(b"state" * 5, ABOUT, KEYS))
    place = data.draw(st.integers(0, len(sealed) - 1))
    sealed[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(StoreUnknown):
        e.unseal(bytes(sealed), KEYS)


@given(st.integers(0, 400))
def test_a_record_that_was_cut_off_is_refused(length: int) -> None:
    sealed = e.seal(b"state" * 5, ABOUT, KEYS)
    with pytest.raises(StoreUnknown):
        e.unseal(sealed[: min(length, len(sealed) - 1)], KEYS)


def changed(sealed: bytes, **fields: Any) -> bytes:
    line, _mark, body = sealed.partition(b"\n")
    return json.dumps({**json.loads(line), **fields}, sort_keys=True, separators=(",", ":")).encode() + b"\n" + body


def test_a_serial_of_another_version_is_found() -> None:
    with pytest.raises(StoreUnknown, match="was changed") as refused:
        e.unseal(changed(e.seal(b"x", ABOUT, KEYS), serial=8), KEYS)
    assert not isinstance(refused.value, WrongPassphrase)


def test_a_wrong_passphrase_has_a_fault_of_its_own() -> None:
    sealed = e.seal(b"x", ABOUT, KEYS)
    with pytest.raises(WrongPassphrase, match="does not open"):
        e.unseal(sealed, e.Keys("another passphrase", CHEAP))
    with pytest.raises(WrongPassphrase, match="is encrypted"):
        e.unseal(sealed, None)


def test_a_record_without_encryption_is_refused_where_a_passphrase_is_set() -> None:
    """Who can write to the store must not be able to plant a state."""
    with pytest.raises(StoreUnknown, match="not encrypted"):
        e.unseal(e.seal(b"x", ABOUT, None), KEYS)


@pytest.mark.parametrize(
    "fields",
    [
        {"n": 1 << 30},
        {"n": 1 << 13},
        {"n": 20000},
        {"n": -(1 << 14)},
        {"n": "16384"},
        {"n": True},
        {"r": 64},
        {"p": 0},
        {"p": 100},
        {"salt": ""},
        {"salt": None},
        {"salt": "Ä"},
        {"nonce": base64.b64encode(bytes(8)).decode()},
        {"check": base64.b64encode(bytes(500)).decode()},
    ],
)
def test_parameters_are_bounded_before_they_are_used(fields: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    sealed = changed(e.seal(b"x", ABOUT, KEYS), **fields)
    monkeypatch.setattr(e, "_scrypt", lambda *arguments: pytest.fail("a key was derived"))
    with pytest.raises(StoreUnknown, match="not accepted"):
        e.unseal(sealed, e.Keys("another passphrase", CHEAP))


def test_the_accepted_parameters_have_a_limit_of_memory() -> None:
    accepted = [
        e.Cost(1 << n, r, p) for n in range(31) for r in range(65) for p in range(20) if e.Cost(1 << n, r, p).accepted()
    ]
    assert e.Cost() in accepted and CHEAP in accepted
    assert max(cost.n * cost.r * 128 for cost in accepted) == 128 << 20


def test_unknown_ciphers_and_other_data_are_refused() -> None:
    for data in (
        b"",
        b"\n",
        b"x" * 5000,
        b"{}\nx",
        b"[]\nx",
        b'{"cipher": "rot13"}\nx',
        b"{" * 3000 + b"\n",
        b"<html>\n</html>",
    ):
        with pytest.raises(StoreUnknown):
            e.unseal(data, KEYS)


def test_a_key_is_derived_once_for_each_salt(monkeypatch: pytest.MonkeyPatch) -> None:
    derived = []
    original = e._scrypt
    monkeypatch.setattr(e, "_scrypt", lambda *arguments: derived.append(arguments) or original(*arguments))
    writer, reader = e.Keys(PASSPHRASE, CHEAP), e.Keys(PASSPHRASE)
    sealed = [e.seal(b"%d" % number, ABOUT, writer) for number in range(3)]
    assert [e.unseal(each, reader)[1] for each in sealed] == [b"0", b"1", b"2"]
    assert e.unseal(e.seal(b"next", ABOUT, reader), writer)[1] == b"next"
    assert len(derived) == 2
    nonces = {json.loads(each.partition(b"\n")[0])["nonce"] for each in sealed}
    assert len(nonces) == 3
