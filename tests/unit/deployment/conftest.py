# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Fixtures and test doubles for the tests of package deployment: hosts, observations, a scripted installation, and a
clock that advances only in waits.
"""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.install.progress import (
    ClusterProgress,
    HostProgress,
    Validation,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise import decide as s
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise import observation as o
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.setup import Setup
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.supervisor import (
    MediaResult,
    Supervisor,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.timeline import Timeline
from ansible_collections.zerotouch.openshift.tests.support import deployment
from ansible_collections.zerotouch.openshift.tests.support.clock import Clock

YES, NO = o.OperatorCondition("True"), o.OperatorCondition("False")


class FakeMedia:
    """Remembers what it was asked; ``failures[name]`` counts down failed attempts."""

    def __init__(self):
        self.calls = []
        self.failures = {}
        self.views = {}

    def machines(self, names):
        return {name: view() if callable(view) else view for name, view in self.views.items() if name in names}

    def eject(self, names):
        return [self._one("eject", name) for name in names]

    def repair(self, names):
        return [self._one("repair", name) for name in names]

    def boot(self, names):
        return [self._one("boot", name) for name in names]

    def inspect(self):
        return [{"name": "a", "power_state": "On"}]

    def _one(self, kind, name):
        self.calls.append((kind, name))
        if self.failures.get(name, 0) > 0:
            self.failures[name] -= 1
            return MediaResult(name, failed=True, reason="BMC says no")
        return MediaResult(name, changed=True)


class World:
    """A script: ``at(seconds, observation)`` says what is seen from then on."""

    def __init__(self, state_path, setup):
        self.clock = Clock(1000.0)
        self.media = FakeMedia()
        self.state = StateFile(state_path)
        self.setup = setup
        self.lines = []
        self.script = []

    def at(self, seconds, observation):
        self.script.append((self.clock.time + seconds, observation))
        return self

    def observe(self):
        current = [observation for time, observation in self.script if time <= self.clock.time]
        return dataclasses.replace(current[-1] if current else o.Observation(), rendezvous_ip="192.168.1.10")

    def supervisor(self, **options):
        timeline = Timeline(self.state, self.setup, self.clock.utc)
        return Supervisor(self.setup, self.observe, self.media, timeline, self.clock, self.lines.append, **options)

    def run(self, **options):
        return self.supervisor(**options).run()

    @property
    def install(self):
        return self.state.section("install")

    def texts(self):
        """Lines without time and percent."""
        return [line[11:] for line in self.lines]


def make_host(name, number, **more):
    return o.InventoryHost(
        name, f"node-{name}", (f"52:54:00:00:00:0{number}",), addresses=(f"192.168.1.1{number}",), **more
    )


A, B = make_host("a", 0, role="master"), make_host("b", 1, role="worker")


def found(host, status="known", stage="", **more):
    return HostProgress(f"id-{host.name}", host.node_name, status, macs=host.macs, stage=stage, **more)


def service(*hosts, status="insufficient", identity="c1", percent=0, **more):
    cluster = ClusterProgress(identity, "demo", status, percent=percent, **more)
    return o.Observation(service=o.ServiceView(answers=True, ours=True, cluster=cluster, hosts=hosts))


def api(*names, complete=False, bootstrap=True, operators=(), seen=None, ready=True):
    version = o.ClusterVersion(
        "4.22.0", YES if complete else NO, NO, NO if complete else o.OperatorCondition("True", "Working towards 4.22.0")
    )
    view = o.ApiView(
        answers=True,
        ours=True,
        version="v1.35.2",
        nodes=tuple(o.Node(name, ready) for name in names),
        bootstrap_complete=bootstrap,
        cluster_version=version,
        operators=tuple(operators),
    )
    return dataclasses.replace(seen or o.Observation(), api=view)


def operator(name, available=True, progressing=False, age=-1.0, degraded=""):
    return o.Operator(
        name,
        YES if available else NO,
        o.OperatorCondition("True" if progressing else "False", "rolling", age),
        o.OperatorCondition("True", degraded) if degraded else NO,
    )


@pytest.fixture
def kit():
    """The builders above, for tests (test directories are no packages)."""
    return SimpleNamespace(
        A=A,
        B=B,
        YES=YES,
        NO=NO,
        found=found,
        service=service,
        api=api,
        operator=operator,
        make_host=make_host,
        Validation=Validation,
        o=o,
        s=s,
        World=World,
    )


@pytest.fixture
def setup():
    return Setup((A, B), media=frozenset({"a", "b"}))


@pytest.fixture
def world(tmp_path, setup):
    return World(tmp_path / "state.json", setup)


@pytest.fixture(scope="session")
def staging():
    """The module with the deployment of these tests."""
    return deployment


@pytest.fixture
def stage(tmp_path, staging):
    found = staging.Stage(tmp_path)
    yield found
    found.close()
