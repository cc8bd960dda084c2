# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test a deployment whose state is in a Secret. The Kubernetes API is a real one with KUBEBUILDER_ASSETS, else the
lab's.
"""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state import keeper, lease
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.errors import (
    StoreConflict,
    StoreUnknown,
    WrongPassphrase,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.lease import Lease
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.methods import keys_of, open_store
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.options import StateOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.run import PlaybookRun, this_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.session import StoreSession
from ansible_collections.zerotouch.openshift.tests.support.real_api import HAS_ASSETS, RealApi

from .lab import ROOT
from .stores import NAMESPACE, LabApi

PASSPHRASE = "canary-of-a-passphrase"
# A run in a container of its own: it opens the state, records a boot, stores it, and is killed.
KILLED = """
import os, signal, sys
from pathlib import Path
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.methods import keys_of, open_store
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.options import StateOptions
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.run import this_run
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.session import StoreSession
root, kubeconfig, passphrase = Path(sys.argv[1]), sys.argv[2], sys.stdin.read()
options = StateOptions("secret", passphrase=passphrase, connection={"kubeconfig": kubeconfig}, namespace="states")
clock = SystemClock()
session = StoreSession(open_store(options, cluster="demo", clock=clock), keys_of(options), "demo", root, this_run(root), "boot_hosts", clock)
session.open()
StateFile(root / "state.json").update("machines", {"node-1": {"state": "booting"}})
session.save()
os.kill(os.getpid(), signal.SIGKILL)
"""  # noqa: E501


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealApi | LabApi]:
    directory = tmp_path_factory.mktemp("state")
    made = RealApi(directory) if HAS_ASSETS else LabApi(directory)
    made.client.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    yield made
    made.stop()


@pytest.fixture
def options(api: RealApi | LabApi) -> Iterator[StateOptions]:
    yield StateOptions(
        "secret", passphrase=PASSPHRASE, connection={"kubeconfig": str(api.kubeconfig)}, namespace=NAMESPACE
    )
    for secret in api.client.list(f"/api/v1/namespaces/{NAMESPACE}/secrets"):
        api.client.delete(f"/api/v1/namespaces/{NAMESPACE}/secrets/{secret['metadata']['name']}")


Make = Callable[..., Any]


@pytest.fixture
def session(options: StateOptions, tmp_path: Path) -> Make:
    def made(name: str, **changes: Any) -> Any:
        root = tmp_path / name
        root.mkdir(mode=0o700, exist_ok=True)
        wanted, clock = dataclasses.replace(options, **changes), SystemClock()
        store = open_store(wanted, cluster="demo", clock=clock)
        assert store is not None
        return StoreSession(store, keys_of(wanted), "demo", root, this_run(root), "boot_hosts", clock)

    return made


def test_another_container_continues_after_sigkill(
    session: Make, tmp_path: Path, api: RealApi | LabApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process of the killed run was on this machine, and has ended: its lease is taken over."""
    monkeypatch.setattr(lease, "TAKE_OVER_ENDED", 1.0)
    monkeypatch.setattr(keeper, "_LOOK", 0.2)
    root = tmp_path / "killed"
    root.mkdir(mode=0o700)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".build")}
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(root), str(api.kubeconfig)],
        input=PASSPHRASE.encode(),
        env=environment,
        timeout=60,
    )
    assert killed.returncode == -signal.SIGKILL
    secret = api.client.get(f"/api/v1/namespaces/{NAMESPACE}/secrets/zerotouch-openshift-demo")
    assert PASSPHRASE not in str(secret)
    with pytest.raises(WrongPassphrase):
        session("b", passphrase="another passphrase").open()
    shown: list[str] = []
    opened = session("b")
    assert opened.open(show=shown.append).action == "restore"
    assert "boot_hosts" in shown[0]
    assert StateFile(tmp_path / "b" / "state.json").section("machines") == {"node-1": {"state": "booting"}}
    opened.release()


def test_conditional_writes_are_those_of_the_api(options: StateOptions) -> None:
    clock = SystemClock()
    one, other = (open_store(options, cluster="demo", clock=clock) for _each in range(2))
    assert one is not None and other is not None
    held = Lease(PlaybookRun("1" * 32, "control", "boot", 7, 0), "boot_hosts", "2026-11-24T12:00:00Z")
    assert one.read() is None
    first = one.write(held, b"first", None)
    with pytest.raises(StoreConflict):
        other.write(held.renewed("x", "y"), b"other", None)
    second = other.write(held.renewed("x", "y"), None, first)
    with pytest.raises(StoreConflict):
        one.write(held.renewed("x", "z"), b"late", first)
    stored = one.read()
    assert stored is not None and (stored.version, stored.snapshot) == (second, b"first")


def test_an_api_that_is_away_is_unknown(options: StateOptions, session: Make, tmp_path: Path) -> None:
    kubeconfig = yaml.safe_load(Path(str(options.connection["kubeconfig"])).read_text())
    kubeconfig["clusters"][0]["cluster"]["server"] = "http://127.0.0.1:9"
    with pytest.raises(StoreUnknown, match="cannot be read"):
        session("a", connection={"kubeconfig": kubeconfig}).open()


def test_the_largest_state_is_accepted(options: StateOptions, session: Make, tmp_path: Path) -> None:
    """900 kB of a record are 1.2 MB of JSON."""
    opened = session("large")
    opened.open()
    StateFile(tmp_path / "large" / "state.json").update("machines", {"node-1": {"state": "booting"}})
    (tmp_path / "large" / "auth").mkdir(mode=0o700)
    (tmp_path / "large" / "auth" / "random").write_bytes(os.urandom(880_000))
    opened.save()
    opened.release()
    again = session("again")
    again.open()
    assert (tmp_path / "again" / "auth" / "random").stat().st_size == 880_000
    again.release()
