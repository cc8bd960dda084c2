# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test small shared functions: parallel calls, stop signals, problems, errors, and loading of libraries."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import libraries
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import stop as stop_module
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import Stop, SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import (
    Interrupted,
    InvalidInput,
    LimitReached,
    MissingLibrary,
    PartialFailure,
    RemoteError,
    Unreachable,
    ZeroTouchError,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.parallel import for_each
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import (
    OwnCheck,
    Problem,
    apply_checks,
    errors,
    nearest,
    warnings,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.stop import stop_on_signals


class TestForEach:
    @pytest.mark.parametrize("forks", [0, 1, 3, 100])
    def test_order_and_outcomes(self, forks: int) -> None:
        def call(item: int) -> int:
            time.sleep(0.002 * (5 - item))
            if item == 2:
                raise ZeroTouchError("two")
            return item * 10

        outcomes = for_each(range(5), call, forks)
        assert [outcome.item for outcome in outcomes] == [0, 1, 2, 3, 4]
        assert [outcome.result for outcome in outcomes] == [0, 10, None, 30, 40]
        assert [str(outcome.error) for outcome in outcomes if outcome.error] == ["two"]

    def test_bounded(self) -> None:
        running, most, lock = [0], [0], threading.Lock()

        def call(item: int) -> None:
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
            time.sleep(0.005)
            with lock:
                running[0] -= 1

        for_each(range(20), call, 4)
        assert most[0] == 4

    def test_nothing(self) -> None:
        assert list(for_each([], lambda item: item, 5)) == []

    @pytest.mark.parametrize("forks", [1, 2])
    def test_interrupted_begins_nothing_new(self, forks: int) -> None:
        stop, begun = Stop(), []

        def call(item: int) -> None:
            begun.append(item)
            if len(begun) == forks:
                stop.set()
            SystemClock(stop).sleep(30)

        outcomes = for_each(range(50), call, forks)
        assert len(begun) == forks
        assert len(outcomes) == 50 and all(isinstance(outcome.error, Interrupted) for outcome in outcomes)


NEVER = 1e6


class TestStop:
    def test_signal_ends_a_wait(self) -> None:
        for signum in (signal.SIGINT, signal.SIGTERM):
            stop = Stop()
            before = signal.getsignal(signum)
            with pytest.raises(Interrupted), stop_on_signals(stop, closing=NEVER):
                signal.raise_signal(signum)
                SystemClock(stop).sleep(30)
            assert signal.getsignal(signum) is before

    def test_a_second_signal_is_not_more_urgent(self) -> None:
        stop = Stop()
        with stop_on_signals(stop, closing=NEVER):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGTERM)
            time.sleep(0.01)
        assert stop.is_set()

    def test_grace_is_bounded(self) -> None:
        started = time.monotonic()
        with pytest.raises(Interrupted), stop_on_signals(Stop(), grace=0.1, closing=NEVER):
            signal.raise_signal(signal.SIGTERM)
            threading.Event().wait(300)
        assert 0.05 < time.monotonic() - started < 200

    def test_process_that_does_not_end_is_ended(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ended = threading.Event()
        monkeypatch.setattr(os, "_exit", lambda code: ended.set())
        with stop_on_signals(Stop(), closing=0.01):
            signal.raise_signal(signal.SIGTERM)
        assert ended.wait(5)

    def test_an_orphan_stops(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stop_module, "LOOK", 0.01)
        stop, parents = Stop(), iter([4711, 4711])
        monkeypatch.setattr(os, "getppid", lambda: next(parents, 1))
        with pytest.raises(Interrupted), stop_on_signals(stop, closing=NEVER):
            SystemClock(stop).sleep(30)

    def test_the_stop_switch_ends_a_wait(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(stop_module, "LOOK", 0.01)
        stop, switch = Stop(), stop_module.switch_of({"state_file": str(tmp_path / "state.json")})
        (tmp_path / "stop").touch()
        with pytest.raises(Interrupted, match="stopped this run"), stop_on_signals(stop, closing=NEVER, switch=switch):
            SystemClock(stop).sleep(30)

    def test_an_orphan_from_the_beginning_stops(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stop_module, "LOOK", 0.01)
        monkeypatch.setattr(multiprocessing, "parent_process", lambda: SimpleNamespace(pid=4711))
        monkeypatch.setattr(os, "getppid", lambda: 1)
        stop = Stop()
        with pytest.raises(Interrupted), stop_on_signals(stop, closing=NEVER):
            SystemClock(stop).sleep(30)

    def test_without_a_signal_nothing_happens(self) -> None:
        before = signal.getsignal(signal.SIGTERM)
        with stop_on_signals(Stop()):
            assert signal.getsignal(signal.SIGTERM) is not before
        assert signal.getsignal(signal.SIGTERM) is before

    def test_in_a_thread(self) -> None:
        seen: list[Any] = []

        def call() -> None:
            with stop_on_signals(Stop()):
                seen.append(signal.getsignal(signal.SIGTERM))

        before = signal.getsignal(signal.SIGTERM)
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        assert seen == [before]


class TestProblems:
    @pytest.mark.parametrize(
        ("problem", "text"),
        [
            (Problem("a.b", "Required value", ""), "a.b: Required value"),
            (Problem("a.b", "Invalid value", "must be x", value="y"), "a.b: Invalid value: y: must be x"),
            (
                Problem("a", "Invalid value", "no", file="install-config.yaml", line=7),
                "install-config.yaml:7: a: Invalid value: no",
            ),
            (Problem("", "Syntax error", "no YAML", file="x.yaml"), "x.yaml: Syntax error: no YAML"),
            (Problem("a", "Unknown field", "", hint="did you mean b?"), "a: Unknown field (did you mean b?)"),
        ],
    )
    def test_text(self, problem: Problem, text: str) -> None:
        assert problem.text() == text and "\n" not in text

    def test_shape(self) -> None:
        names = {"severity", "layer", "check", "file", "line", "path", "kind", "value", "detail", "hint"}
        assert set(Problem("a", "b", "c").as_dict()) == names

    @pytest.mark.parametrize(
        ("layer", "severity", "setting", "result"),
        [
            ("ours", "warning", "error", "error"),
            ("ours", "error", "warn", "warning"),
            ("ours", "error", "off", None),
            ("ours", "warning", "off", None),
            ("installer", "warning", "off", None),
            ("installer", "warning", "error", "error"),
            ("installer", "error", "off", "error"),  # the installer would refuse it anyway
            ("installer", "error", "warn", "error"),
        ],
    )
    def test_checks(self, layer: Any, severity: Any, setting: str, result: str | None) -> None:
        problem = Problem("a", "Invalid value", "", severity=severity, layer=layer, check="name")
        other = Problem("b", "Invalid value", "", check="other")
        kept = apply_checks([problem, other], {"name": setting})
        assert [one.severity for one in kept if one.check == "name"] == ([result] if result else [])
        assert other in kept

    def test_sides(self) -> None:
        both = [Problem("a", "x", ""), Problem("b", "y", "", severity="warning")]
        assert [errors(both), warnings(both)] == [[both[0]], [both[1]]]
        assert str(InvalidInput(both)) == "a: x"

    @pytest.mark.parametrize(
        ("name", "near"), [("machine_network", "machine_networks"), ("apiVips", "apiVIPs"), ("qqqqqq", "")]
    )
    def test_nearest(self, name: str, near: str) -> None:
        assert (
            near in nearest(name, ["machine_networks", "apiVIPs", "name"])
            if near
            else nearest(name, ["machine_networks"]) == ""
        )


class TestErrors:
    @pytest.mark.parametrize(
        ("error", "text"),
        [
            (ZeroTouchError("It broke."), "It broke."),
            (ZeroTouchError("It broke.", "Fix it."), "It broke. Fix it."),
            (RemoteError("API", 409, "conflict"), "API answered 409: conflict"),
            (RemoteError("API", 409, "conflict", "Code"), "API answered 409 Code: conflict"),
            (Unreachable("No answer.", "timeout", "Look."), "No answer. Look."),
            (LimitReached("Over.", 60), "Over."),
            (PartialFailure("Some.", {"changed": True}), "Some."),
        ],
    )
    def test_words(self, error: ZeroTouchError, text: str) -> None:
        assert str(error) == text

    def test_result(self) -> None:
        assert ZeroTouchError("x").result == {}
        assert PartialFailure("x", {"changed": True}).result == {"changed": True}


class TestLibraries:
    def test_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "zstandard", None)
        monkeypatch.delitem(vars(libraries), "zstandard", raising=False)
        with pytest.raises(MissingLibrary) as caught:
            _ = libraries.zstandard
        assert caught.value.library == "zstandard"

    def test_every_known_library_is_there(self) -> None:
        for name in set(libraries._LIBRARIES) - {"zstandard", "libvirt"}:
            assert getattr(libraries, name)

    def test_unknown(self) -> None:
        with pytest.raises(AttributeError):
            _ = libraries.no_such_name


def test_problems_of_an_own_check() -> None:
    found = OwnCheck("bmc")(
        "host.bmc", "Invalid value", "is no URL", "x", "correct it", severity="warning", file="f.yml", line=3
    )
    assert found == Problem(
        "host.bmc", "Invalid value", "is no URL", "warning", "ours", "bmc", "f.yml", 3, "x", "correct it"
    )
