# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the background process of a run, which renews the lease and stores the state. Processes and stores are real."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.lock import start_time
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.stop import SWITCH
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.store_link import (
    DIRECTORY,
    StoreLink,
    StoreLost,
    StoreStatus,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state import attach as attaching
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state import process
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.errors import (
    StoreUnknown,
    WrongPassphrase,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.keeper import request_stop
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.lease import TAKE_OVER_ENDED
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.methods import keys_of
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.options import StateOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.record import read_record
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.run import PlaybookRun, this_machine
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.session import PAUSE
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.snapshot import Snapshot
from ansible_collections.zerotouch.openshift.tests.unit.deployment.state.places import PASSPHRASE, machines

# Only a hang reaches it.
LIMIT = 60.0


@dataclasses.dataclass
class Playbook:
    """A process that plays a playbook, and its keeper."""

    root: Path
    place: Any
    monkeypatch: pytest.MonkeyPatch
    lines: list[str] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        self.run = PlaybookRun(
            os.urandom(16).hex(), "control", this_machine(), self.process.pid, start_time(self.process.pid)
        )

    def attach(self, **changes: Any) -> Any:
        self.monkeypatch.setattr(attaching, "this_run", lambda root: self.run)
        options = dataclasses.replace(self.place.options, **changes)
        return attaching.attach(
            attaching.Attachment(options, "demo", self.root, {}), SystemClock(), self.lines.append, check_mode=False
        )

    @property
    def link(self) -> StoreLink:
        return StoreLink(self.root, SystemClock())

    def end(self, how: signal.Signals = signal.SIGKILL) -> StoreStatus:
        """The playbook ends; the last status of its keeper."""
        self.process.send_signal(how)
        self.process.wait()
        return until(lambda: (status := StoreStatus.read(self.root)) is not None and status.ended and status)


def until(condition: Callable[[], Any]) -> Any:
    ends = time.monotonic() + LIMIT
    while time.monotonic() < ends:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError("the condition did not come to hold")


@pytest.fixture
def playbook(tmp_path: Path, remote: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Playbook]]:
    made: list[Playbook] = []

    def start(name: str) -> Playbook:
        made.append(Playbook(tmp_path / name, remote, monkeypatch))
        return made[-1]

    yield start
    for each in made:
        each.process.kill()
        each.process.wait()
        if each.process.stdin is not None:
            each.process.stdin.close()
        status = StoreStatus.read(each.root)
        if status is not None and status.alive:
            os.kill(status.pid, signal.SIGKILL)


def state_of(root: Path) -> StateFile:
    root.mkdir(mode=0o700, exist_ok=True)
    return StateFile(root / "state.json")


def snapshot_of(place: Any) -> Snapshot:
    """What the store has; without files if it has no record."""
    store = place.store(SystemClock())
    record = read_record(store.read(), keys_of(place.options), "demo", store.name)
    store.close()
    return Snapshot() if record is None else record[0]


def recorded(place: Any) -> dict[str, Any]:
    """``state.json`` in the store."""
    return snapshot_of(place).state


def test_a_request_returns_when_the_state_is_stored(playbook: Any, remote: Any) -> None:
    run = playbook("one")
    assert run.attach().action == "same"
    state_of(run.root).update("machines", machines(node="booting"))
    run.link.save()
    assert recorded(remote)["machines"]["node"]["state"] == "booting"
    run.link.check()


@pytest.mark.slow
def test_the_next_run_in_an_empty_directory_has_what_a_killed_one_left(playbook: Any, remote: Any) -> None:
    """Also what was written after the last request: the process outlives the playbook until it is stored, and releases
    the lease.
    """
    first, second = playbook("one"), playbook("two")
    first.attach()
    state_of(first.root).update("machines", machines(node="booted"))
    (first.root / "auth").mkdir(mode=0o700)
    (first.root / "auth" / "kubeadmin-password").write_text("secret")
    assert first.end().lost == ""
    assert second.attach().action == "restore"
    assert state_of(second.root).read()["machines"] == machines(node="booted")
    assert (second.root / "auth" / "kubeadmin-password").read_text() == "secret"


def test_a_file_of_the_last_moment_is_stored(playbook: Any, remote: Any) -> None:
    """The process had no look at it before the playbook ended, and it stored a transition less than a minute before."""
    run = playbook("one")
    run.attach()
    state_of(run.root).update("machines", machines(node="booted"))
    run.link.save()
    status = StoreStatus.read(run.root)
    assert status is not None
    os.kill(status.pid, signal.SIGSTOP)
    (run.root / "auth").mkdir(mode=0o700)
    (run.root / "auth" / "kubeadmin-password").write_text("secret")
    run.process.kill()
    run.process.wait()
    os.kill(status.pid, signal.SIGCONT)
    run.end()
    assert snapshot_of(remote).files["auth/kubeadmin-password"] == b"secret"


def test_tasks_of_one_run_share_a_process(playbook: Any) -> None:
    run = playbook("one")
    run.attach()
    first = StoreStatus.read(run.root)
    run.attach()
    second = StoreStatus.read(run.root)
    assert first is not None and second is not None and first.pid == second.pid


def test_transitions_are_stored_without_a_request(playbook: Any, remote: Any) -> None:
    run = playbook("one")
    run.attach()
    state_of(run.root).update("install", {"phase": "bootstrap"})
    until(lambda: recorded(remote).get("install", {}).get("phase") == "bootstrap")


@pytest.mark.slow
def test_credentials_are_stored_without_a_request(playbook: Any, remote: Any) -> None:
    """They may be written by the last task, and the container ends with it."""
    run = playbook("one")
    run.attach()
    state_of(run.root).update("machines", machines(node="booted"))
    run.link.save()
    kubeconfig = run.root / "auth" / "kubeconfig"
    kubeconfig.parent.mkdir(mode=0o700)
    for text in ("first", "second"):  # the next minute has not begun
        began = time.monotonic()
        kubeconfig.write_text(text)
        until(lambda text=text: snapshot_of(remote).files.get("auth/kubeconfig") == text.encode())
        assert time.monotonic() - began < PAUSE / 2


def test_the_last_task_ends_when_all_is_stored(playbook: Any, remote: Any) -> None:
    """The process that stores the state may be killed with the container directly afterwards."""
    run = playbook("one")
    run.attach()
    state_of(run.root).update("machines", machines(node="booted"))
    run.link.save()
    (run.root / "auth").mkdir(mode=0o700)
    (run.root / "auth" / "kubeconfig").write_text("secret")
    run.link.finish()
    assert snapshot_of(remote).files["auth/kubeconfig"] == b"secret"


@pytest.mark.slow
def test_a_destroyed_deployment_has_no_record(playbook: Any, remote: Any) -> None:
    first, second = playbook("one"), playbook("two")
    first.attach()
    state_of(first.root).update("machines", machines(node="booted"))
    first.link.save()
    (first.root / "state.json").unlink()
    first.link.forget()
    first.link.finish()  # nothing is left to store
    assert recorded(remote) == {}
    first.end()
    assert second.attach().action in ("same", "restore")
    assert state_of(second.root).read() == {}


@pytest.mark.slow
def test_another_run_is_refused_while_one_renews(playbook: Any, remote: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lease changes in the meantime, as a renewal does."""
    first, second = playbook("one"), playbook("two")
    first.attach()
    state_of(first.root).update("machines", machines(node="booted"))
    second.lines = _Renewing(first.link)
    with pytest.raises(StoreUnknown, match="Another run works on this deployment"):
        second.attach()


class _Renewing(list[str]):
    """When the second run begins to wait, the first one renews."""

    def __init__(self, link: StoreLink) -> None:
        self._link = link

    def append(self, line: str) -> None:
        super().append(line)
        self._link.save()


def test_a_run_without_its_process_writes_nothing(playbook: Any) -> None:
    run = playbook("one")
    run.attach()
    state_of(run.root).update("machines", machines(node="booting"))
    status = StoreStatus.read(run.root)
    assert status is not None
    os.kill(status.pid, signal.SIGKILL)
    until(lambda: not status.alive)
    for call in (run.link.check, run.link.save):
        with pytest.raises(StoreLost, match="no process of this run stores it"):
            call()


def test_a_store_that_takes_nothing_stops_the_boot(playbook: Any, remote: Any) -> None:
    run = playbook("one")
    run.attach()
    state_of(run.root).update("machines", machines(node="booting"))
    remote.fail(50, "write", "403")
    with pytest.raises(StoreLost, match="The state cannot be stored"):
        run.link.save()


def test_a_lost_lease_stops_every_write(playbook: Any, remote: Any) -> None:
    run = playbook("one")
    run.attach()
    state_of(run.root).update("machines", machines(node="booting"))
    run.link.save()
    remote.delete()
    state_of(run.root).update("machines", machines(node="booted"))
    until(lambda: (status := StoreStatus.read(run.root)) is not None and status.lost)
    with pytest.raises(StoreLost, match="taken over by another run"):
        run.link.check()


def test_a_stop_that_is_requested_through_the_store_reaches_the_tasks(playbook: Any, remote: Any) -> None:
    run = playbook("one")
    run.attach()
    state_of(run.root).update("machines", machines(node="booted"))
    run.link.save()
    store = remote.store(SystemClock())
    assert request_stop(store, SystemClock()).startswith("task deployment_settings of process")
    state_of(run.root).update("machines", machines(node="booting"))
    until((run.root / SWITCH).exists)
    run.link.check()  # it still holds the lease, and can end its sessions
    run.end()
    assert request_stop(store, SystemClock()) == "", "no run holds the lease any more"
    store.close()
    run = playbook("one")
    run.attach()
    assert not (run.root / SWITCH).exists(), "a request is for one run"


@pytest.mark.slow
def test_a_wrong_passphrase_is_not_an_empty_store(playbook: Any) -> None:
    first, second = playbook("one"), playbook("two")
    first.attach(passphrase=PASSPHRASE)
    state_of(first.root).update("machines", machines(node="booted"))
    first.end()
    with pytest.raises(StoreUnknown, match="passphrase"):
        second.attach(passphrase="another passphrase")
    assert not (second.root / "state.json").exists()
    assert issubclass(WrongPassphrase, StoreUnknown)


def test_no_process_is_started_for_a_playbook_that_is_not_found(playbook: Any, remote: Any) -> None:
    """It would never notice the end of the playbook: of a process that has ended there is no start time to compare
    with.
    """
    run = playbook("one")
    run.run = dataclasses.replace(run.run, started=0)
    with pytest.raises(StoreUnknown, match=f"The playbook .process {run.process.pid}. has ended"):
        run.attach()
    assert StoreStatus.read(run.root) is None and recorded(remote) == {}


@pytest.mark.slow
def test_a_playbook_that_ends_while_it_waits_takes_no_lease(playbook: Any, remote: Any) -> None:
    """Its process ends at its next look, and the record is as the former run left it."""
    first, second = playbook("one"), playbook("two")
    first.attach()
    state_of(first.root).update("machines", machines(node="booted"))
    first.link.save()
    status = StoreStatus.read(first.root)
    assert status is not None
    os.kill(status.pid, signal.SIGKILL)
    until(lambda: not status.alive)
    before = remote.bytes
    second.lines = _Killing(second)
    began = time.monotonic()
    with pytest.raises(StoreUnknown, match="The playbook of this run has ended"):
        second.attach()
    assert time.monotonic() - began < TAKE_OVER_ENDED / 2
    assert remote.bytes == before and not (second.root / "state.json").exists()


class _Killing(list[str]):
    """When the run begins to wait, its playbook is killed."""

    def __init__(self, playbook: Playbook) -> None:
        self._playbook = playbook

    def append(self, line: str) -> None:
        super().append(line)
        self._playbook.process.kill()
        self._playbook.process.wait()


STUCK = """
import json, sys, time
sys.path[:0] = {path!r}
from {module} import PlaybookRun, end_with
end_with(PlaybookRun(**json.loads(sys.argv[1])), patience=0.5)
print("watching", flush=True)
while True:
    time.sleep(1)
"""


def test_a_process_that_is_stuck_ends_too(playbook: Any) -> None:
    """Whatever it waits for, such as an answer of the store."""
    run = playbook("one")
    script = STUCK.format(path=attaching._search_path(), module=process.__name__)
    stuck = subprocess.Popen(
        [sys.executable, "-c", script, json.dumps(dataclasses.asdict(run.run))], stdout=subprocess.PIPE, text=True
    )
    try:
        assert stuck.stdout is not None and stuck.stdout.readline() == "watching\n"
        with pytest.raises(subprocess.TimeoutExpired):
            stuck.wait(3)
        run.process.kill()
        run.process.wait()
        assert stuck.wait(LIMIT) == 1
    finally:
        stuck.kill()
        stuck.communicate()


BUSY = "while True: pass"
# Kills in this test, at moments from the start of the process to after the first store.
KILLS = 8


@pytest.mark.slow
def test_no_process_outlives_its_playbook_on_a_busy_machine(
    playbook: Any, remote: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Playbooks are killed while their processes start, wait for the lease, or hold it; each process ends, and none
    leaves a lease.
    """
    monkeypatch.setenv("ZT_TEST_PROCESS", os.urandom(8).hex())
    mark = f"ZT_TEST_PROCESS={os.environ['ZT_TEST_PROCESS']}".encode()
    runs = [playbook(f"run-{number}") for number in range(KILLS)]
    monkeypatch.setattr(attaching, "this_run", {each.root: each.run for each in runs}.__getitem__)
    for each in runs:
        state_of(each.root).update("machines", machines(node="booted"))
    busy = [subprocess.Popen([sys.executable, "-c", BUSY], env={}) for _processor in range(2 * (os.cpu_count() or 1))]
    try:
        tasks = [threading.Thread(target=_attach_or_fail, args=(each,)) for each in runs]
        for number, (each, task) in enumerate(zip(runs, tasks, strict=True)):
            task.start()
            time.sleep(0.3 * number)
            each.process.kill()
            each.process.wait()
        for task in tasks:
            task.join(LIMIT)
        until(lambda: not marked(mark))
    finally:
        for process_ in busy:
            process_.kill()
            process_.wait()
    stored = remote.store(SystemClock()).read()
    assert stored is None or stored.lease is None or stored.lease.released


def _attach_or_fail(playbook: Playbook) -> None:
    options = playbook.place.options
    with contextlib.suppress(ZeroTouchError):  # the playbook has ended
        attaching.attach(
            attaching.Attachment(options, "demo", playbook.root, {}),
            SystemClock(),
            playbook.lines.append,
            check_mode=False,
        )


def marked(mark: bytes) -> list[int]:
    """Other processes that inherited this variable."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # it has ended
            if (
                entry.name.isdigit()
                and int(entry.name) != os.getpid()
                and mark in (entry / "environ").read_bytes().split(b"\0")
            ):
                found.append(int(entry.name))
    return found


def test_nothing_secret_is_in_the_list_of_processes(playbook: Any, remote: Any) -> None:
    run = playbook("one")
    run.attach()
    status = StoreStatus.read(run.root)
    assert status is not None
    seen = Path(f"/proc/{status.pid}/cmdline").read_bytes() + Path(f"/proc/{status.pid}/environ").read_bytes()
    for secret in remote.options.secrets():
        assert secret.encode() not in seen
        assert secret not in (run.root / DIRECTORY / "status.json").read_text()


def test_method_directory_ends_the_link(tmp_path: Path) -> None:
    """A user who goes back to the work directory alone is not held up by what a store left there."""
    (tmp_path / DIRECTORY).mkdir()
    (tmp_path / DIRECTORY / "status.json").write_text("{}")
    link = StoreLink(tmp_path, SystemClock())
    with pytest.raises(StoreLost):
        link.check()
    attaching.attach(attaching.Attachment(StateOptions(), "demo", tmp_path, {}), SystemClock(), print, check_mode=False)
    link.check()
    link.save()


PHASED: dict[str, Any] = {
    "install": {"phase": "bootstrap", "hosts": {"node": "Writing image"}},
    "machines": machines(node="booted"),
}


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (PHASED, False),
        ({**PHASED, "install": {"phase": "bootstrap", "hosts": {"node": "Rebooting"}}}, False),
        ({**PHASED, "bmc": {"node": {"session": "/1"}}}, False),
        ({**PHASED, "install": {"phase": "install"}}, True),
        ({**PHASED, "machines": machines(node="booting")}, True),
        ({**PHASED, "secrets": {"token": "x"}}, True),
        ({**PHASED, "image": {"sha256": "x"}}, True),
    ],
)
def test_what_is_a_transition(after: dict[str, Any], expected: bool) -> None:
    assert process.is_transition(PHASED, json.loads(json.dumps(after))) is expected
