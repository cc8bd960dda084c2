# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the retry policies of retry_policies.py: pauses, limits, and the failures after which each repeats a request."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import retry_policies
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    RemoteError,
    Unreachable,
    UnusableAnswer,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.retry import (
    Answers,
    Attempts,
    Backoff,
    RetryPolicy,
    retry,
)

KINDS = ("dns", "refused", "timeout", "slow", "tls", "proxy", "broken")
STATUSES = (400, 401, 404, 408, 409, 412, 429, 500, 501, 502, 503, 504)


class FakeClock:
    def __init__(self) -> None:
        self.slept: list[float] = []

    def now(self) -> float:
        return sum(self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def busy(retry_after: float | None = None) -> RemoteError:
    error = RemoteError("The service", 503, "busy")
    error.retry_after = retry_after
    return error


def failing(times: int, error: Callable[[], Exception] = busy) -> Callable[[], str]:
    left = [times]

    def call() -> str:
        if left[0]:
            left[0] -= 1
            raise error()
        return "done"

    return call


def policy(attempts: int, backoff: Backoff, longest_retry_after: float = 0.0) -> RetryPolicy:
    return RetryPolicy(
        attempts, backoff, (Answers({503}),), frozenset({"timeout"}), longest_retry_after=longest_retry_after
    )


@pytest.mark.parametrize(
    ("failures", "attempts", "backoff", "slept"),
    [
        (0, 3, Backoff(1), []),
        (2, 3, Backoff(1), [1, 1]),
        (3, 4, Backoff(1, 2), [1, 2, 4]),
        (5, 6, Backoff(10, 3, largest=60), [10, 30, 60, 60, 60]),
    ],
)
def test_pauses(failures: int, attempts: int, backoff: Backoff, slept: list[float]) -> None:
    clock = FakeClock()
    assert retry(failing(failures), policy(attempts, backoff), clock) == "done"
    assert clock.slept == slept


def test_attempts_used_up() -> None:
    clock = FakeClock()
    with pytest.raises(RemoteError, match="busy"):
        retry(failing(3), policy(3, Backoff(1)), clock)
    assert len(clock.slept) == 2


@pytest.mark.parametrize(
    "error",
    [ValueError("x"), RemoteError("S", 404, "x"), Unreachable("x", "dns"), UnusableAnswer("S", 503, "too large")],
)
def test_other_failures_are_raised_at_once(error: Exception) -> None:
    clock = FakeClock()

    def fails() -> Exception:
        return error

    with pytest.raises(type(error)) as raised:
        retry(failing(1, fails), policy(9, Backoff(1)), clock)
    assert raised.value is error
    assert clock.slept == []


def test_a_call_that_must_not_be_repeated_any_more() -> None:
    clock = FakeClock()
    with pytest.raises(RemoteError):
        retry(failing(1), policy(9, Backoff(1)), clock, allowed=lambda: False)
    assert clock.slept == []


@pytest.mark.parametrize(
    ("asked", "longest", "slept"),
    [(None, 30.0, 2.0), (7.5, 30.0, 7.5), (600.0, 30.0, 30.0), (0.0, 30.0, 0.0), (7.5, 0.0, 2.0)],
    ids=["none", "obeyed", "bounded", "zero", "ignored"],
)
def test_retry_after(asked: float | None, longest: float, slept: float) -> None:
    clock = FakeClock()
    assert retry(failing(1, lambda: busy(asked)), policy(3, Backoff(2), longest), clock) == "done"
    assert clock.slept == [slept]


class TestPatience:
    """A service that has answered may be away for some seconds; these failures are not counted as attempts."""

    POLICY = RetryPolicy(
        2, Backoff(5.0), (Answers({503}),), frozenset({"timeout"}), away=frozenset({"refused"}), patience=3.0
    )

    def outlasted(self, *, answered: bool) -> list[float]:
        clock = FakeClock()
        attempts = Attempts(self.POLICY, clock, answered=answered)
        with pytest.raises(Unreachable):
            for _failure in range(20):
                attempts.wait(Unreachable("away", "refused"))
        return clock.slept

    def test_after_an_answer(self) -> None:
        assert self.outlasted(answered=True) == [1.0, 1.0, 1.0]

    def test_without_an_answer(self) -> None:
        assert self.outlasted(answered=False) == []

    def test_attempts_are_left_afterwards(self) -> None:
        clock = FakeClock()
        attempts = Attempts(self.POLICY, clock, answered=True)
        attempts.wait(Unreachable("away", "refused"))
        attempts.wait(busy())
        with pytest.raises(RemoteError):
            attempts.wait(busy())
        assert clock.slept == [1.0, 5.0]


# Policy -> (statuses without a text that it knows, kinds of Unreachable) that it repeats.
BMC_FAULTS = {500, 502, 503, 504}
REPEATED: dict[str, tuple[set[int], set[str]]] = {
    "BMC_REPEATABLE": (BMC_FAULTS | {429}, {"refused", "timeout", "broken"}),
    "BMC_ONCE": ({429, 503}, {"refused"}),
    "BMC_LOGIN": (BMC_FAULTS | {429}, {"refused", "timeout", "broken"}),
    "BMC_LOGOUT": (BMC_FAULTS | {429}, {"refused", "timeout", "broken"}),
    "BMC_FIRST_CONTACT": (set(), {"refused", "timeout"}),
    "BMC_MEDIA": (BMC_FAULTS | {412}, {"refused", "timeout", "broken"}),
    "BMC_MEDIA_DELL": (BMC_FAULTS | {412}, {"refused", "timeout", "broken"}),
    "BMC_MEDIA_SUPERMICRO": (BMC_FAULTS | {412}, {"refused", "timeout", "broken"}),
    "BMC_POWER": (BMC_FAULTS, {"refused", "timeout", "broken"}),
    "BMC_BOOT_SETTINGS": ({412}, set()),
    "BMC_DELL_IMPORT": (BMC_FAULTS, {"refused", "timeout", "broken"}),
    "KUBE_REPEATABLE": ({429, 500, 501, 502, 503, 504}, {"timeout", "broken"}),
    "KUBE_EVIDENCE": ({429, 500, 501, 502, 503, 504}, set()),
    "KUBE_ONCE": ({429}, set()),
    "ASSISTED_REPEATABLE": ({429, 502, 503, 504}, {"refused", "dns", "broken", "timeout", "proxy"}),
    "ASSISTED_ONCE": ({429}, {"refused", "dns"}),
    "TOKEN_EXCHANGE": ({429, 500, 502, 503, 504}, set(KINDS)),
    "ASSISTED_INFRA_ENV_DELETION": ({409}, set()),
    "DOWNLOAD": ({408, 429, 500, 502, 503, 504}, {"refused", "timeout", "proxy", "broken"}),
    "UPLOAD": ({408, 429, 500, 502, 503, 504}, {"refused", "timeout", "proxy", "broken"}),
    "STATE_STORE": ({429, 500, 501, 502, 503, 504}, {"refused", "timeout", "slow", "broken"}),
    "IMAGE_CHANGED": (set(), set()),
    "WEBHOOK": ({429, 500, 501, 502, 503, 504}, {"refused", "timeout", "broken"}),
    "DETACH": (set(), set()),
    "REPAIR": (set(), set()),
    "HUB_DETACH": (set(), set()),
}


def test_the_table_of_this_test_is_complete() -> None:
    assert set(REPEATED) == {name for name, value in vars(retry_policies).items() if isinstance(value, RetryPolicy)}


@pytest.mark.parametrize("name", REPEATED)
def test_what_a_policy_repeats(name: str) -> None:
    found: RetryPolicy = getattr(retry_policies, name)
    statuses = {status for status in STATUSES if found.repeats(RemoteError("S", status, "some words"))}
    kinds = {kind for kind in KINDS if found.repeats(Unreachable("x", kind))}
    assert (statuses, kinds) == REPEATED[name]


@pytest.mark.parametrize(
    ("name", "status", "text", "repeated"),
    [
        ("BMC_ONCE", 400, "IDRAC.2.8.SYS518: busy", True),
        ("BMC_ONCE", 500, "iLO.2.14.InvalidOperationForSystemState", True),
        ("BMC_ONCE", 400, "InvalidOperationForSystemState", False),
        ("BMC_ONCE", 404, "SYS518", False),
        ("BMC_REPEATABLE", 400, "SYS518", True),
        ("BMC_POWER", 409, "ActionParameterValueConflict", True),
        ("BMC_POWER", 400, "ActionParameterValueConflict", False),
        ("BMC_BOOT_SETTINGS", 400, "UnableToModifyDuringSystemPOST", True),
        ("ASSISTED_ONCE", 503, "no healthy upstream", True),
        ("ASSISTED_ONCE", 502, "no healthy upstream", False),
        ("ASSISTED_ONCE", 503, "<h1>Application is not available</h1>", True),
    ],
)
def test_what_a_policy_repeats_by_the_text_of_the_answer(name: str, status: int, text: str, repeated: bool) -> None:
    found: RetryPolicy = getattr(retry_policies, name)
    assert found.repeats(RemoteError("S", status, text)) is repeated
