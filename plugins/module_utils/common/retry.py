# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Repeat calls that may fail temporarily. This file defines the dataclass of a retry policy and applies a policy.

The policies themselves are in :mod:`.retry_policies`. A caller passes one of them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Container
from typing import TypeVar

from .clock import Clock
from .errors import RemoteError, Unreachable, UnusableAnswer

T = TypeVar("T")
# Attempts to reach a service that has not answered yet in this run.
FIRST_ATTEMPTS = 3


@dataclasses.dataclass(frozen=True)
class Backoff:
    """Pauses in seconds: ``first``, growing by ``factor`` up to ``largest``."""

    first: float
    factor: float = 1.0
    largest: float = math.inf

    def delay(self, number: int) -> float:
        """Seconds of pause ``number`` (from 1)."""
        return min(self.largest, self.first * self.factor ** (number - 1))


@dataclasses.dataclass(frozen=True)
class Answers:
    """Error answers: one of ``statuses``. With ``texts``, the answer also has all words of one of them.

    An answer that exceeds a limit or has another form than its API defines is never included.
    """

    statuses: Container[int]
    texts: tuple[tuple[str, ...], ...] = ()

    def include(self, error: RemoteError) -> bool:
        if isinstance(error, UnusableAnswer):
            return False
        return error.status in self.statuses and (not self.texts or any(error.says(*words) for words in self.texts))


@dataclasses.dataclass(frozen=True)
class RetryPolicy:
    """Which failures are repeated, how often, and after which pauses.

    At most ``attempts`` calls. A failure is repeated if ``answers`` include it, or if its kind is in ``unreachable``
    (:class:`Unreachable`). A service that names its own pause (Retry-After) gets it, up to ``longest_retry_after``
    seconds; 0 ignores it.

    With ``patience`` (seconds since the first failure of a call), a service that has answered before gets at least that
    long: failures that are repeated do not end the call earlier, whatever their number, and answers have ``attempts``
    in addition. It may also be ``away`` (kinds); the pause is ``away_pause`` then. A service that has never answered
    gets at most :data:`FIRST_ATTEMPTS`, since its address may be wrong.
    """

    attempts: int
    backoff: Backoff
    answers: tuple[Answers, ...] = ()
    unreachable: Container[str] = ()
    longest_retry_after: float = 0.0
    away: Container[str] = ()
    patience: float = 0.0
    away_pause: float = 1.0

    def repeats(self, error: Exception) -> bool:
        """Whether another attempt can have another result, and is safe."""
        if isinstance(error, Unreachable):
            return error.kind in self.unreachable
        return isinstance(error, RemoteError) and any(answers.include(error) for answers in self.answers)

    def delay(self, attempt: int, error: Exception | None = None) -> float:
        """Seconds to wait after failed attempt number ``attempt`` (from 1)."""
        asked_for = error.retry_after if isinstance(error, RemoteError) and self.longest_retry_after else None
        return self.backoff.delay(attempt) if asked_for is None else min(asked_for, self.longest_retry_after)

    def exhausted(self, attempts: int) -> bool:
        """Whether no attempt is left after this number of them."""
        return attempts >= self.attempts

    def limited(self, attempts: int, patience: float = 0.0) -> RetryPolicy:
        """The same policy with a number of attempts that the user or the caller of a client chooses."""
        return dataclasses.replace(self, attempts=attempts, patience=patience)


class Attempts:
    """The failures of one call, counted against its policy. ``answered``: the service has answered before."""

    def __init__(self, policy: RetryPolicy, clock: Clock, *, answered: bool = False) -> None:
        self.answered = answered
        self._policy = policy
        self._clock = clock
        self._attempt = 1
        self._repeats = 0
        self._failing_since: float | None = None

    @property
    def repeated(self) -> bool:
        """Whether the call was sent more than once."""
        return self._repeats > 0

    def wait(self, error: Exception) -> None:
        """Wait until the next attempt. Raises ``error`` where there is none."""
        now = self._clock.now()
        self._failing_since = now if self._failing_since is None else self._failing_since
        failing = now - self._failing_since
        patient = failing < self._policy.patience
        if isinstance(error, Unreachable) and error.kind in self._policy.away and self.answered:
            if not patient:
                raise self._ended(error, failing)
            self._clock.sleep(self._policy.away_pause)
            self._repeats += 1
            return
        if not self._policy.repeats(error):
            raise error
        if not self._another(error, patient):
            raise self._ended(error, failing)
        self._clock.sleep(self._policy.delay(self._attempt, error))
        self._attempt += 1
        self._repeats += 1

    def _another(self, error: Exception, patient: bool) -> bool:
        left = not self._policy.exhausted(self._attempt)
        if not self._policy.patience:
            return left
        if not isinstance(error, Unreachable):
            return patient or left
        return patient if self.answered else left and self._attempt < FIRST_ATTEMPTS

    def _ended(self, error: Exception, failing: float) -> Exception:
        """The error, with what to do about a service that did not recover in time."""
        if not self._policy.patience:
            return error
        if isinstance(error, Unreachable) and self.answered:
            error.hint = (
                f"It answered earlier in this run, and has not answered for {failing:.0f} s. Run again when it answers."
            )
        elif isinstance(error, RemoteError):
            requests = self._repeats + 1
            error.hint = (
                f"{error.hint} It returned this error for {requests} requests in {failing:.0f} s. "
                "Run again when the server has recovered."
            ).strip()
        return error


def retry(
    call: Callable[[], T],
    policy: RetryPolicy,
    clock: Clock,
    *,
    allowed: Callable[[], bool] = lambda: True,
    answered: Callable[[], bool] = lambda: False,
) -> T:
    """Call until it succeeds, the policy has no other attempt, or it is not ``allowed`` any more; then the last
    exception is raised.

    ``answered``: whether the service has answered before, for policies with patience.
    """
    attempts = Attempts(policy, clock)
    while True:
        try:
            return call()
        except Exception as error:
            if not allowed():
                raise
            attempts.answered = answered()
            attempts.wait(error)
