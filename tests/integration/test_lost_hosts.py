# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test hosts that an installation loses: the rendezvous host without power, and a worker that boots the image again
after the assisted-service has ended and can no longer report it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from .lab import Deployment, kill_all

pytestmark = pytest.mark.long


def test_the_rendezvous_host_loses_its_power(compact: Deployment) -> None:
    """Reported within minutes, with the remedy: the test ends before the limit of the phase, an hour."""
    run, _seconds = compact.watched(
        lambda output: (
            "Writing image to disk" in output or "Waiting for" in output.partition("installation in progress")[2]
        ),
        lambda _process, _output: compact.lab.power("off", "master-0"),
    )
    assert not run.ok
    assert "the installation cannot continue: rendezvous host master-0 is powered off" in run.message, run.output
    assert "openshift_force=start_over" in run.message


def test_a_worker_boots_the_image_again_after_the_service_has_ended(make_deployment: Callable[..., Deployment]) -> None:
    demo = make_deployment("demo")
    lab = demo.lab
    lab.fault("boots-iso-again", "worker-0", count=1)
    demo.interrupted(lambda output: "Writing image to disk" in output, kill_all)
    end = time.monotonic() + 400
    # The control plane is complete without it, and the service has ended.
    while sum(state == "Ready" for state in lab.nodes("demo").values()) < 3 or len(lab.boots()["worker-0"]) < 2:
        assert time.monotonic() < end, (lab.nodes(), lab.boots())
        time.sleep(0.5)
    run = demo.deploy(extra={"openshift_timeouts": {"install": 60}})
    assert run.ok, run.output
    assert lab.nodes("demo").get("worker-0") == "Ready", run.output
    assert run.output.count("worker-0: restarting from disk") == 1, run.output
    lab.assert_nothing_left()
