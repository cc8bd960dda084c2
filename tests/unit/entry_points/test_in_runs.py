# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test modules in real runs of Ansible: in which process they run, which output the user sees, the cost of a task, and
the effect of a signal.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import NATIVE_TEMPLATES, SIGNALS_REACH_MODULES

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SECRET = "correct-horse-battery"
PLAY = {
    "hosts": "localhost",
    "connection": "local",
    "gather_facts": False,
    "vars": {"ansible_python_interpreter": "{{ ansible_playbook_python }}"},
}


def command(folder: Path, play: dict[str, Any], *options: str) -> tuple[list[str], dict[str, str]]:
    playbook = folder / "play.yml"
    playbook.write_text(yaml.safe_dump([{**PLAY, **play}]))
    (folder / "ansible.cfg").touch()  # the user's own settings are not meant
    environment = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": os.pathsep.join([str(HERE / "collection"), str(ROOT / ".build")]),
        "ANSIBLE_LOCAL_TEMP": str(folder / "tmp"),
        "ANSIBLE_REMOTE_TEMP": str(folder / "remote"),
        "ANSIBLE_CONFIG": str(folder / "ansible.cfg"),
        "ANSIBLE_NOCOLOR": "1",
    }
    return [sys.executable, "-m", "ansible", "playbook", "-i", "localhost,", str(playbook), *options], environment


Play = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Play:
    def play(
        tasks: list[dict[str, Any]], *options: str, environment: dict[str, str] | None = None, **keywords: Any
    ) -> subprocess.CompletedProcess[str]:
        arguments, variables = command(tmp_path, {"tasks": tasks, **keywords}, *options)
        return subprocess.run(
            arguments,
            env={**variables, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return play


def probe(arguments: dict[str, Any] | None = None, **task: Any) -> dict[str, Any]:
    return {"test.modules.probe": arguments or {}, **task}


@pytest.mark.slow
def test_which_way_is_taken(run: Play, tmp_path: Path) -> None:
    """Local, same Python, nothing special: inside. Everything else: as a module, with the same result."""
    ways = {
        "plain": probe(),
        "other_python": probe(vars={"ansible_python_interpreter": str(tmp_path / "python")}),
        "startup_environment": probe(environment={"PYTHONHASHSEED": "1"}),
        "exported": probe(environment={"PROBE": "set"}),
        "asynchronous": {**probe(), "async": 60, "poll": 1},
    }
    (tmp_path / "python").symlink_to(sys.executable)
    tasks: list[dict[str, Any]] = [{**task, "register": name} for name, task in ways.items()]
    tasks += [
        {"ansible.builtin.debug": {"msg": (f"{name}={{{{ {name}.seen.inside }}}} {{{{ {name}.seen.environment }}}}")}}
        for name in ways
    ]
    done = run(tasks)
    assert done.returncode == 0, done.stdout + done.stderr
    seen = {
        name: (inside, variable) for name, inside, variable in re.findall(r'"msg": "(\w+)=(\w+) (\w*)"', done.stdout)
    }
    assert {name: inside == "True" for name, (inside, dummy) in seen.items()} == {
        "plain": True,
        "other_python": False,
        "startup_environment": False,
        "exported": True,
        "asynchronous": False,
    }
    assert [seen["exported"][1], seen["plain"][1]] == ["set", ""]


@pytest.mark.slow
def test_values_from_templates_are_plain(run: Play) -> None:
    """Templating returns tagged and lazy values; a module that runs in-process gets what a module of its own would
    get.
    """
    arguments = {
        "data": {"text": "{{ word }}", "number": "{{ 3 }}", "nested": "{{ {'a': [1, word]} }}", "flag": "{{ true }}"},
        "number": "{{ '5' }}",
    }
    done = run(
        [
            probe(arguments, register="r"),
            {"ansible.builtin.debug": {"msg": "{{ r.seen.types }} {{ r.seen.number + 1 }}"}},
        ],
        vars={**PLAY["vars"], "word": "x"},
    )
    types = ["bool", "dict", "int", "str"] if NATIVE_TEMPLATES else ["bool", "dict", "str"]
    assert f"{types} 6" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_module_defaults_reach_their_module_only(run: Play) -> None:
    defaults = {"test.modules.probe": {"number": 5}, "test.modules.other": {"number": 7}}
    tasks = [
        probe(register="a"),
        {"test.modules.other": {}, "register": "b"},
        {"ansible.builtin.debug": {"msg": "{{ a.seen.number }} and {{ b.seen.number }}"}},
    ]
    assert "5 and 7" in run(tasks, module_defaults=defaults).stdout


@pytest.mark.slow
def test_what_is_shown(run: Play) -> None:
    """Progress live as a plain line, warnings as warnings, no secret at any verbosity; nothing of a task with
    no_log.
    """
    # Not literally in the play: Ansible quotes the lines of a task that failed.
    secret = "{{ lookup('ansible.builtin.env', 'PROBE_SECRET') }}"
    tasks = [
        probe({"data": {"token": secret}}),
        probe({"password": secret, "act": "fail"}, ignore_errors=True),
        probe({"act": "hand_over", "data": {"url": f"https://images/byapikey/{secret}/a.iso"}}, register="r"),
        probe(
            {"act": "show", "data": {"image_url": "{{ r.url }}"}},
            failed_when=(f"r.url != 'https://images/byapikey/' ~ {secret.strip('{}')} ~ '/a.iso'"),
        ),
    ]
    done = run(tasks, "-vvv", "--diff", environment={"PROBE_SECRET": SECRET})
    # Newer releases of ansible-core print fewer of a task's arguments.
    assert done.stdout.count('url": "https://images/byapikey/<hidden>/a.iso"') >= 2, done.stdout
    assert re.search(r"^half way$", done.stdout, re.M)
    assert "[WARNING]: mind this" in done.stdout + done.stderr
    assert "No way with <hidden>. Try another one." in done.stdout + done.stderr
    assert SECRET not in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    hidden = run([probe(no_log=True)])
    assert hidden.returncode == 0 and "half way" not in hidden.stdout + hidden.stderr


@pytest.mark.slow
def test_progress_leaves_documents_alone(run: Play) -> None:
    """A callback that prints JSON keeps standard output to itself."""
    pytest.importorskip(
        "ansible_collections.ansible.posix.plugins.callback.json",
        reason="the collection ansible.posix is not installed",
    )
    done = run([probe()], environment={"ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json"})
    assert json.loads(done.stdout)["plays"]
    assert "half way" in done.stderr


@pytest.mark.slow
def test_check_mode_and_loop(run: Play) -> None:
    tasks = [
        probe({"number": "{{ item }}"}, loop=[1, 2], register="r"),
        {"ansible.builtin.debug": {"msg": "{{ r.results | map(attribute='seen.check') | join(' ') }}"}},
    ]
    done = run(tasks, "--check")
    assert "True True" in done.stdout and "changed=0" in done.stdout


@pytest.mark.slow
def test_a_task_with_nothing_to_do_is_cheap(run: Play) -> None:
    """Budget: 0.15 s of the processor for a task. The slope over many tasks leaves out what a run costs anyway."""

    def seconds(count: int) -> float:
        started = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert run([probe() for dummy in range(count)]).returncode == 0
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended.ru_utime + ended.ru_stime - started.ru_utime - started.ru_stime

    # Two tasks on one core take up to twice the time of one.
    assert any((seconds(12) - seconds(2)) / 10 <= 2 * 0.15 for _attempt in range(3))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("signum", "act", "inside"),
    [
        (signal.SIGINT, "wait", True),
        (signal.SIGINT, "wait_many", False),
        (signal.SIGTERM, "wait_many", True),
        (signal.SIGTERM, "wait", False),
    ],
    ids=lambda value: value.name if isinstance(value, signal.Signals) else str(value),
)
def test_signals_end_a_wait(signum: signal.Signals, act: str, inside: bool, tmp_path: Path) -> None:
    """Ctrl-C and SIGTERM: the module closes what it has open, and is gone in time."""
    marks = tmp_path / "mark"
    task = probe({"act": act, "path": str(marks)}, **({} if inside else {"environment": {"PYTHONHASHSEED": "1"}}))
    took = interrupted(tmp_path, task, marks, signum)
    assert Path(f"{marks}.closed").read_text() == "Interrupted"
    assert took < 45


@pytest.mark.slow
@pytest.mark.parametrize("inside", [True, False], ids=["inside", "module"])
def test_signal_during_a_request_that_takes_no_notice(inside: bool, tmp_path: Path) -> None:
    """It gets its grace, then the exception. Without that it would last a minute."""
    marks = tmp_path / "mark"
    task = probe({"act": "busy", "path": str(marks)}, **({} if inside else {"environment": {"PYTHONHASHSEED": "1"}}))
    took = interrupted(tmp_path, task, marks, signal.SIGTERM)
    assert Path(f"{marks}.closed").read_text() == "Interrupted"
    assert 3 < took < 45


def interrupted(folder: Path, task: dict[str, Any], marks: Path, signum: signal.Signals) -> float:
    """Start the play, send the signal once the module has begun; seconds from the signal until the module has
    closed.
    """
    arguments, environment = command(folder, {"tasks": [task]})
    process = subprocess.Popen(
        arguments, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        wait_for(Path(f"{marks}.begun"), 60, process)
        time.sleep(0.2)
        started = time.monotonic()
        if SIGNALS_REACH_MODULES:
            process.send_signal(signum)
        else:
            os.killpg(process.pid, signum)  # as a terminal does
        wait_for(Path(f"{marks}.closed"), 50)
        process.wait(50)
        return time.monotonic() - started
    finally:
        process.kill()
        process.wait()


def wait_for(path: Path, limit: float, process: subprocess.Popen[bytes] | None = None) -> None:
    end = time.monotonic() + limit
    while not path.exists():
        assert process is None or process.poll() is None, "Ansible has ended"
        assert time.monotonic() < end, f"{path.name} does not appear"
        time.sleep(0.05)
