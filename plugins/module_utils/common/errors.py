# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the exceptions for foreseeable faults, such as wrong input or an unreachable service.

A module converts each of them to a failed task with the text of the exception. Only faults in the code itself may reach
the user as a traceback.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .problems import Problem
from .terminal import cut, one_line, printable, shortened

# Characters of a service's own words that are kept. Honest ones have some hundred; a webhook that lists what it
# refuses, some thousand.
LONGEST_DETAIL = 1 << 16
_LONGEST_CODE = 200
_ENDS = (".", ":", "!", "?", "…")


class ZeroTouchError(Exception):
    """Base class of all foreseeable faults: ``message`` says what is wrong, ``hint`` what to do about it.

    ``result`` is what a module returns besides the message (``changed`` included): set it where work was done before
    the fault.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.result: Mapping[str, Any] = {}

    def __str__(self) -> str:
        if not self.hint or not self.message:
            return printable(self.message or self.hint)
        # Texts of remote services often end without a full stop.
        end = "" if self.message.endswith(_ENDS) else "."
        return printable(f"{self.message}{end} {self.hint}")


class InvalidInput(ZeroTouchError):
    """The user's input cannot be used; holds every problem found, errors and warnings."""

    def __init__(self, problems: Sequence[Problem], message: str = "") -> None:
        self.problems = tuple(problems)
        super().__init__(message or "\n".join(problem.text() for problem in problems if problem.severity == "error"))


class MissingLibrary(ZeroTouchError):
    """A Python library that is needed here is not installed."""

    def __init__(self, library: str, reason: str) -> None:
        self.library = library
        self.reason = reason
        super().__init__(f"The Python library {library} is needed and cannot be imported: {reason}")


class PartialFailure(ZeroTouchError):
    """Some objects of a bulk module failed; ``result`` holds the complete list and whether anything was changed."""

    def __init__(self, message: str, result: Mapping[str, Any], hint: str = "") -> None:
        super().__init__(message, hint)
        self.result = result


class Unreachable(ZeroTouchError):
    """No answer from a remote service: name resolution, connection, TLS or time-out.

    ``kind`` is dns, refused, timeout, slow (an answer that does not become complete), tls, proxy or broken.
    """

    def __init__(self, message: str, kind: str, hint: str = "") -> None:
        self.kind = kind
        super().__init__(message, hint)


class RemoteError(ZeroTouchError):
    """A remote service answered with an error; ``detail`` holds the service's own words, the first
    :data:`LONGEST_DETAIL` characters of them.

    ``retry_after``: seconds that the service asks to wait before the next request, None where it names none.
    """

    def __init__(self, service: str, status: int, detail: str, code: str = "", hint: str = "") -> None:
        self.service = service
        self.status = status
        self.code = shortened(code, _LONGEST_CODE)
        self.detail = cut(detail, LONGEST_DETAIL)
        self.retry_after: float | None = None
        code_note = " " + self.code if code else ""
        super().__init__(f"{service} answered {status}{code_note}: {one_line(self.detail)}", hint)

    def says(self, *words: str) -> bool:
        """Whether all words occur in the answer's code and text."""
        return all(word in f"{self.code} {self.detail}" for word in words)


class UnusableAnswer(RemoteError):
    """An answer exceeds a limit of its size, or its content has another form than the API defines.

    It is a fault of that service.
    """


class LimitReached(ZeroTouchError):
    """A bounded wait is over. ``limit`` is in seconds."""

    def __init__(self, message: str, limit: float, hint: str = "") -> None:
        self.limit = limit
        super().__init__(message, hint)


class Interrupted(ZeroTouchError):
    """SIGINT or SIGTERM asked us to stop; what is open has been closed."""
