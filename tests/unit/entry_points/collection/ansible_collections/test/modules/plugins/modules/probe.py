#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A test module that returns its input, or fails, waits or ends as option ``act`` requests."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, run_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    MissingLibrary,
    PartialFailure,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.parallel import for_each

ACTS = ["show", "fail", "part", "bug", "disk", "library", "reveal", "hand_over", "wait", "wait_many", "busy"]
OPTIONS = {"supports_check_mode": True, "mutually_exclusive": [("data", "path")]}


def argument_spec() -> dict[str, Any]:
    return {
        "data": {"type": "dict"},
        "path": {"type": "path"},
        "number": {"type": "int", "default": 1},
        "password": {"type": "str", "no_log": True},
        "act": {"type": "str", "choices": ACTS, "default": "show"},
    }


def run(call: Call) -> dict[str, Any]:
    return globals()["_" + call.params["act"]](call)


def _show(call: Call) -> dict[str, Any]:
    call.warn("mind this")
    call.progress("half way")
    result = {
        "changed": not call.check_mode,
        "seen": {
            "data": call.params["data"],
            "types": sorted({type(value).__name__ for value in (call.params["data"] or {}).values()}),
            "path": call.params["path"],
            "number": call.params["number"],
            "check": call.check_mode,
            "environment": os.environ.get("PROBE"),
            "inside": "ansible.executor.task_executor" in __import__("sys").modules,
        },
    }
    return {**result, "diff": {"before": "", "after": str(call.params["data"])}} if call.diff else result


def _fail(call: Call) -> dict[str, Any]:
    raise ZeroTouchError(f"No way with {call.params['password']}.", "Try another one.")


def _part(call: Call) -> dict[str, Any]:
    raise PartialFailure(
        "One of two failed.",
        {"changed": True, "hosts": [{"name": "a", "failed": False}, {"name": "b", "failed": True}]},
    )


def _bug(call: Call) -> dict[str, Any]:
    raise KeyError(f"a bug holding {call.params['password']}")


def _disk(call: Call) -> dict[str, Any]:
    Path("/proc/no/such/file").write_text("")
    return {}


def _library(call: Call) -> dict[str, Any]:
    raise MissingLibrary("no-such-package", "No module named 'no_such_package'")


def _reveal(call: Call) -> dict[str, Any]:
    call.reveal_secrets()
    return {"secret": (call.params["data"] or {}).get("token")}


def _hand_over(call: Call) -> dict[str, Any]:
    call.hand_over("url")
    url = (call.params["data"] or {}).get("url")
    if call.params["number"] == 0:
        raise PartialFailure("It was not to be.", {"url": url})
    return {"url": url, "copy": url}


def _wait(call: Call) -> dict[str, Any]:
    with _traced(call):
        call.clock.sleep(60)
    return {}


def _wait_many(call: Call) -> dict[str, Any]:
    with _traced(call):
        outcomes = for_each(range(6), lambda item: call.clock.sleep(60), forks=3)
        raise next(outcome.error for outcome in outcomes if outcome.error)
    return {}


def _busy(call: Call) -> dict[str, Any]:
    with _traced(call):
        threading.Event().wait(60)  # a request that takes no notice of ``stop``
    return {}


class _traced:
    """Leaves ``<path>.begun`` and, when it was given the time to close down, ``<path>.closed`` with the reason."""

    def __init__(self, call: Call) -> None:
        self.path = call.params["path"]

    def __enter__(self) -> None:
        Path(self.path + ".begun").touch()

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        Path(self.path + ".closed").write_text(kind.__name__ if kind else "")


def main() -> None:
    run_module(argument_spec, OPTIONS, run)


if __name__ == "__main__":
    main()
