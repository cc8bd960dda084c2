# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the HTTP client with responses that exceed its limits: each one ends as a fault of the service, in bounded
memory and time.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import json_text
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import Unreachable, UnusableAnswer
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.http import HttpClient
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.http_limits import LARGEST_ERROR
from ansible_collections.zerotouch.openshift.tests.support.hostile import http_json as hostile
from hypothesis import given
from hypothesis import strategies as st

# MiB of memory that a refused answer may cost the test process in addition to its limit.
_SLACK = 8


@contextlib.contextmanager
def at_most(megabytes: float) -> Iterator[None]:
    """The block allocates no more than that at any time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes * (1 << 20)
    finally:
        tracemalloc.stop()


class TestSize:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        "answer", [hostile.gzip_bomb(100), hostile.chained_bomb(100), hostile.endless_body, hostile.endless_members]
    )
    def test_ends_in_bounded_memory(self, answer: Any) -> None:
        with hostile.serving(answer) as server, at_most(8 + _SLACK), pytest.raises(UnusableAnswer) as caught:
            HttpClient("The hub's API", server.url, largest=8 << 20).request("GET", "/")
        assert str(caught.value).startswith("The hub's API answered 200: the body")

    def test_compressed_answers_are_read(self) -> None:
        text = json.dumps({"a": ["x" * 1000] * 5000}).encode()
        two_members = gzip.compress(text[:100_000]) + gzip.compress(text[100_000:]) + b"\0\0"
        for packed in (gzip.compress(text), two_members):
            with hostile.serving(hostile.raw(packed, Content_Encoding="gzip")) as server:
                assert HttpClient("x", server.url).request("GET", "/").body == text

    def test_compressed_answer_that_is_damaged(self) -> None:
        with (
            hostile.serving(hostile.raw(b"no gzip at all", Content_Encoding="gzip")) as server,
            pytest.raises(UnusableAnswer, match="is not gzip"),
        ):
            HttpClient("x", server.url).request("GET", "/")

    def test_the_next_request_after_a_refused_answer(self) -> None:
        with hostile.serving({"/large": hostile.gzip_bomb(20), "*": hostile.document({"fine": True})}) as server:
            client = HttpClient("x", server.url, largest=1 << 20)
            with pytest.raises(UnusableAnswer):
                client.request("GET", "/large")
            assert client.request("GET", "/next").json() == {"fine": True}


class TestTime:
    @pytest.mark.parametrize(
        "answer",
        [hostile.slow_body(0.1), hostile.slow_headers(0.1), hostile.endless_continue],
        ids=["body", "headers", "continue"],
    )
    def test_an_answer_that_never_becomes_complete(self, answer: Any) -> None:
        """It would go on for hours."""
        started = time.monotonic()
        with hostile.serving(answer) as server, pytest.raises(Unreachable) as caught:
            HttpClient("BMC of node-1", server.url, timeout=0.4).request("GET", "/")
        assert caught.value.kind == "slow"
        assert time.monotonic() - started > 1.0

    def test_a_download_may_take_longer(self) -> None:
        def slowly(handler: Any) -> None:
            handler.send_response(200)
            handler.send_header("Content-Length", "15")
            handler.end_headers()
            for _each in range(15):
                handler.wfile.write(b"x")
                handler.wfile.flush()
                time.sleep(0.1)

        with hostile.serving(slowly) as server, HttpClient("x", server.url, timeout=0.3).stream("GET", "/") as answer:
            assert answer.read() == b"x" * 15

    def test_a_stream_with_an_end(self) -> None:
        with hostile.serving(hostile.slow_body(0.05)) as server:
            client = HttpClient("x", server.url, timeout=5)
            with client.stream("GET", "/", within=0.5) as answer, pytest.raises(Unreachable) as caught:
                list(client.pieces(answer, server.url, 1 << 20))
        assert caught.value.kind == "slow"


class TestErrors:
    def test_a_large_error_is_cut(self) -> None:
        """It stays the error that it is, and costs little: each error is searched for secrets."""
        words = "no " * 1_000_000
        with hostile.serving(hostile.raw(words.encode(), status=503)) as server, at_most(12):
            answer = HttpClient("x", server.url, headers={"Authorization": "Bearer a-token-of-16-chr"}).request(
                "GET", "/"
            )
        assert (
            answer.status == 503
            and len(answer.body) < LARGEST_ERROR + 10
            and answer.text().startswith("no no ")
            and answer.text().endswith("…")
        )

    def test_a_small_error_is_complete(self) -> None:
        words = b"no " * 100
        with hostile.serving(hostile.raw(words, status=400)) as server:
            assert HttpClient("x", server.url).request("GET", "/").body == words

    @pytest.mark.parametrize("kept", [4, 12, 20])
    def test_a_cut_leaves_no_part_of_a_credential(self, kept: int) -> None:
        secret = "a-token/of 24 characters"
        body = "." * (LARGEST_ERROR - kept) + secret + "." * 10
        with hostile.serving(hostile.raw(body.encode(), status=400)) as server:
            client = HttpClient("x", server.url)
            client.secrets = frozenset({secret})
            assert secret[:4] not in client.request("GET", "/").text()


class TestJson:
    @pytest.mark.parametrize("body", hostile.ODD_JSON.values(), ids=hostile.ODD_JSON)
    def test_odd_documents(self, body: bytes) -> None:
        with hostile.serving(hostile.raw(body)) as server:
            answer = HttpClient("x", server.url).request("GET", "/")
        with pytest.raises(ValueError):
            answer.json()

    @pytest.mark.parametrize(
        "text",
        [
            '{"face": "\\ud83d\\ude00"}',
            '{"n": 18446744073709551615, "m": -9223372036854775808, "f": 1e300}',
            "[" * 150 + "]" * 150,
            '"\\\\ud800"',
        ],
    )
    def test_what_services_send(self, text: str) -> None:
        assert json_text.parse_remote(text) == json.loads(text)

    @given(
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers(-(1 << 63), (1 << 64) - 1)
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        )
    )
    def test_every_ordinary_document(self, value: Any) -> None:
        for ascii_only in (True, False):
            assert json_text.parse_remote(json.dumps(value, ensure_ascii=ascii_only).encode("utf-8")) == value

    @pytest.mark.parametrize(
        "unit",
        ["{},", "[],", '{"a":0},', "0,", '"\U0001f600",', '{"\U0001f600":0},', "[[[[[0]]]]],", '{"a":{"b":{"c":0}}},'],
        ids=lambda unit: ascii(unit),
    )
    def test_few_bytes_with_many_values(self, unit: str) -> None:
        """64 KB of gzip can be 64 MiB of ``{},``, which are 1.8 GB."""
        body = ("[" + unit * (8_000_000 // len(unit.encode())) + "0]").encode()
        with at_most(1), pytest.raises(ValueError, match="too many values"):
            json_text.parse_remote(body, 64 << 20)

    def test_the_widest_text(self) -> None:
        """One emoji makes each other character of a text take four bytes."""
        for mark in ("\U0001f600", "\\ud83d\\ude00"):
            body = b'["' + mark.encode() + b"a" * (12 << 20) + b'"]'
            with at_most(1), pytest.raises(ValueError, match="too much text"):
                json_text.parse_remote(body, 64 << 20)

    def test_a_full_page_of_a_hub(self) -> None:
        """500 Agents of 20 KiB with a value for each 24 bytes: more than real ones have, and with room for half as many
        again.
        """
        part = ",".join(f'"interface{number}":"fd00::{number}"' for number in range(8))
        agent = '{"parts":[' + ",".join([f"{{{part}}}"] * 115) + "]}"
        page = ("[" + f"{agent}," * 500 + '"\u00fc"]').encode()
        assert len(page) > 10 << 20
        assert len(json_text.parse_remote(page)) == 501
        assert len(json_text.parse_remote(page.replace(b"\xc3\xbc", b"u"), json_text.LARGEST_DOCUMENT * 2 // 3)) == 501

    def test_answers_of_a_small_service_have_a_smaller_limit(self) -> None:
        body = ("[" + "{}," * 300_000 + "0]").encode()
        with hostile.serving(hostile.raw(body)) as server:
            assert len(HttpClient("hub", server.url).request("GET", "/").json()) == 300_001
            with pytest.raises(ValueError, match="too many values"):
                HttpClient("BMC", server.url, largest=8 << 20).request("GET", "/").json()

    @given(st.binary(max_size=60))
    def test_any_bytes(self, data: bytes) -> None:
        parse: Callable[[bytes], Any] = json_text.parse_remote
        try:
            parse(data)
        except ValueError as error:
            assert str(error)
