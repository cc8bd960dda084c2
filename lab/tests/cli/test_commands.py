# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the ``ztlab`` command in separate processes, as users run it: labs start, answer and leave no process behind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from ztlab.state import READY

ROOT = Path(__file__).parents[3]
# Seconds of the wall clock that only a hang reaches, however busy the machine is.
HANG_SECONDS = 180.0
SITE = ROOT / "inventories" / "sno" / "rack.yml"


def ztlab(*words: str, code: int = 0, runtime: Path | None = None) -> str:
    """Standard output of a command; its error output when it is to fail."""
    environment = (
        os.environ | {"PYTHONPATH": str(ROOT / "lab")} | ({"XDG_RUNTIME_DIR": str(runtime)} if runtime else {})
    )
    done = subprocess.run(
        [sys.executable, "-m", "ztlab", *words],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
        env=environment,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr if code else done.stdout


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and is still a zombie does not."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except FileNotFoundError:
        return False


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Path]:
    state = tmp_path / ("a long name for a state directory " * 4).strip() / "lab"
    ztlab("up", "--site", str(SITE), "--state", str(state), "--speed", "60", "--ttl", "5m")
    yield state
    ztlab("down", "--state", str(state))


def test_a_lab_answers(lab: Path) -> None:
    status = json.loads(ztlab("status", "--json", "--state", str(lab)))
    machine = status["machines"][0]
    expected = {"name": "sno-0", "power": "Off", "writes": 0, "sessions": 0, "requests": {}, "medium": None}
    assert {key: machine[key] for key in expected} == expected
    variables = yaml.safe_load(ztlab("vars", "--state", str(lab)))
    prefix = status["net"]
    assert variables["openshift_connect_to"]["10.0.0.10:443"] == f"{prefix}.0.10:8443"
    assert variables["openshift_connect_to"]["api.sno.example.com:6443"] == f"{prefix}.126.10:6443"
    assert Path(variables["openshift_ca_cert"]).is_file() and Path(variables["openshift_base_image"]["path"]).is_file()
    assert variables["openshift_publish"] == {"method": "serve", "listen": f"{prefix}.255.1"}
    assert variables["openshift_state"] == {"method": "directory", "ephemeral": True}
    assert lab.stat().st_mode & 0o777 == 0o700
    assert ztlab("speed", "5", "--state", str(lab)) == "speed 5\n"
    later = json.loads(ztlab("status", "--json", "--state", str(lab)))
    assert later["speed"] == 5 and later["lab_seconds"] > status["lab_seconds"]
    again = ztlab("up", "--site", str(SITE), "--state", str(lab), "--speed", "60", "--ttl", "5m")
    assert str(lab) in again, "an equal lab that runs is left alone"
    assert "another lab is running" in ztlab("up", "--site", str(SITE), "--state", str(lab), "--speed", "61", code=1)


def test_faults_and_errors(lab: Path) -> None:
    state = ("--state", str(lab))
    assert "bmc-503" in ztlab(
        "fault", "add", "bmc-503", "--machine", "sno-0", "--count", "0", "--option", "methods=GET", *state
    )
    assert "any number of times" in ztlab("fault", *state, "list")
    assert "no machine 'x'" in ztlab("fault", "add", "bmc-503", "--machine", "x", *state, code=1)
    assert "unknown fault" in ztlab("fault", "add", "earthquake", *state, code=1)
    assert ztlab("fault", "clear", *state).startswith("1 ")
    assert "no cluster exists yet" in ztlab("kubeconfig", *state, code=1)
    assert "there are sno-0" in ztlab("console", "x", *state, code=1)
    assert ztlab("console", "sno-0", *state) == ""


def test_power(lab: Path) -> None:
    state = ("--state", str(lab))
    assert ztlab("power", "sno-0", "on", *state) == "sno-0: On\n"
    assert ztlab("power", "--all", "off", *state) == "sno-0: Off\n"
    assert "no machine 'x'" in ztlab("power", "x", "on", *state, code=1)
    assert "name a machine, or all of them" in ztlab("power", "on", *state, code=1)


def test_another_team_installs(lab: Path) -> None:
    state = ("--state", str(lab))
    assert ztlab("install", "sno-0", "rhel-8", *state) == "sno-0 runs rhel-8.\n"
    machine = json.loads(ztlab("status", "--json", *state))["machines"][0]
    assert (machine["power"], machine["installed"]) == ("On", {"sda": "rhel-8"})
    assert "no cluster 'x' runs" in ztlab("install", "sno-0", "--cluster", "x", *state, code=1)
    assert "name an operating system, or a cluster" in ztlab("install", "sno-0", *state, code=1)


def test_down_leaves_nothing(tmp_path: Path) -> None:
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    state = tmp_path / "lab"
    ztlab("up", "--site", str(SITE), "--state", str(state), runtime=runtime)
    pid = json.loads(ztlab("status", "--json", "--state", str(state)))["pid"]
    assert len(list(runtime.glob("ztlab-127.*.lock"))) == 1
    ztlab("down", "--state", str(state))
    assert not state.exists() and list(runtime.iterdir()) == [] and not alive(pid)
    assert "No lab" in ztlab("down", "--state", str(state))
    assert "no lab is running" in ztlab("status", "--state", str(state), code=1)


def test_a_lab_ends_with_its_directory_and_with_its_time(tmp_path: Path) -> None:
    states = [tmp_path / "one", tmp_path / "two"]
    pids = []
    for state, ttl in zip(states, ("5m", "2s"), strict=True):
        ztlab("up", "--site", str(SITE), "--state", str(state), "--ttl", ttl)
        # Not by a command: on a busy machine the second lab is over before one starts.
        pids.append(json.loads((state / READY).read_text(encoding="utf-8"))["pid"])
    shutil.rmtree(states[0])
    deadline = time.monotonic() + HANG_SECONDS
    while any(alive(pid) for pid in pids):
        assert time.monotonic() < deadline, "a lab outlived its end"
        time.sleep(0.1)
    assert "life of 2 seconds is over" in (states[1] / "lab.log").read_text(encoding="utf-8")
    ztlab("down", "--state", str(states[1]))


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("up", "--site", "absent.yml"), "absent.yml: cannot be read"),
        (("up", "--site", str(SITE), "--base-image", "absent.iso"), "absent.iso does not exist"),
        (("up", "--site", str(SITE), "--net", "10.0"), "neither auto nor 127.N"),
    ],
)
def test_a_lab_that_cannot_start(tmp_path: Path, words: tuple[str, ...], reason: str) -> None:
    assert reason in ztlab(*words, "--state", str(tmp_path / "lab"), code=1)


def test_directories_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    assert "is not empty" in ztlab("up", "--site", str(SITE), "--state", str(tmp_path), code=1)
    ztlab("down", "--state", str(tmp_path))
    assert (tmp_path / "precious").exists()


WRONG_USAGE = [
    ("up",),
    ("up", "--site", "x", "--ttl", "soon"),
    ("up", "--site", "x", "--speed", "0"),
    ("fault", "add", "x", "--option", "y"),
]


@pytest.mark.parametrize("words", WRONG_USAGE)
def test_wrong_usage(words: tuple[str, ...]) -> None:
    assert "usage:" in ztlab(*words, code=2)
