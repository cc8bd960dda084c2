# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Measure module assisted_control_plane. Budget: a cluster of 3 + 100 machines is described and created in 3 s, and an
unchanged run takes 1 s.

CPU time is measured against the hub of the unit tests, in memory, and elapsed time against a kube-apiserver
(KUBEBUILDER_ASSETS) with upstream's definitions. Requests are counted, too: one write for each object, and an unchanged
run sends no more of them than for 3 + 2 machines.

The program runs in a separate process, so that times are those of the work alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import BARE_METAL_HOST, NAMESPACE
from ansible_collections.zerotouch.openshift.tests.support import upstream
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import definitions
from ansible_collections.zerotouch.openshift.tests.support.real_api import HAS_ASSETS, RealApi

ROOT = Path(__file__).parents[2]
SECONDS = {"create": 3.0, "again": 1.0}
PROGRAM = """
import json, sys, time
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted import run
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.modules import assisted_control_plane
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import AssistedHub, description
hub = AssistedHub()
run.connect = lambda *_args, **_options: hub
params = {name: spec.get("default") for name, spec in assisted_control_plane.argument_spec().items()}
found = {}
for step in ("create", "again"):
    hub.calls.clear()
    began = time.process_time()
    result = perform(assisted_control_plane.run, Call({**params, **description(workers=int(sys.argv[1]))}))
    found[step] = {"seconds": time.process_time() - began, "calls": dict(hub.calls), "changed": result["changed"], "failed": result["failed"]}
print(json.dumps({**found, "objects": len(hub.objects)}))
"""  # noqa: E501

AGAINST_API = """
import json, sys, time
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.modules import assisted_control_plane
from ansible_collections.zerotouch.openshift.tests.support.hub.assisted_cluster import description
params = {name: spec.get("default") for name, spec in assisted_control_plane.argument_spec().items()}
params |= {"kubeconfig": sys.argv[2], "validate_certs": False, **description(workers=int(sys.argv[1]))}
params |= {"namespace": sys.argv[3], "name": "of-" + sys.argv[3]}
found = {}
for step in ("create", "again"):
    began, cpu = time.monotonic(), time.process_time()
    result = perform(assisted_control_plane.run, Call(params))
    found[step] = {"seconds": time.monotonic() - began, "cpu": time.process_time() - cpu, "changed": result["changed"], "failed": result["failed"], "msg": result.get("msg")}
print(json.dumps(found))
"""  # noqa: E501


def measured(workers: int, program: str = PROGRAM, *arguments: str) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".build"), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", program, str(workers), *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=ROOT,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_hundred_workers() -> None:
    small, large = measured(2), measured(100)
    print(
        f"3 + 100 machines: created in {large['create']['seconds']:.2f} s, unchanged in "
        f"{large['again']['seconds']:.2f} s of CPU; {large['again']['calls']}"
    )
    for step, limit in SECONDS.items():
        assert not large[step]["failed"] and large[step]["seconds"] <= limit, step
    assert large["create"]["changed"] and not large["again"]["changed"]
    # The namespace exists; a host has a BareMetalHost and a Secret.
    assert large["create"]["calls"]["write"] == large["objects"] - 1 and large["objects"] - small["objects"] == 2 * 98
    assert large["again"]["calls"] == small["again"]["calls"] and "write" not in large["again"]["calls"]


@pytest.mark.skipif(not HAS_ASSETS, reason="KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd")
def test_a_hundred_workers_on_an_api_server(tmp_path: Path) -> None:
    crds = upstream.optional("crds")
    if crds is None:
        pytest.skip("optional data of upstream projects is missing (crds in ZT_UPSTREAM_DATA)")
    api = RealApi(tmp_path)
    try:
        api.define(definitions(crds))
        # The fastest of three clusters: other programs on this machine only ever add time.
        rounds = []
        for name in ("one", "two", "three"):
            api.client.create(NAMESPACE.path(), {"metadata": {"name": name}})
            rounds.append(measured(100, AGAINST_API, str(api.kubeconfig), name))
        found = {step: min((each[step] for each in rounds), key=lambda each: each["seconds"]) for step in SECONDS}
        hosts = len(api.client.list(BARE_METAL_HOST.path("three")))
    finally:
        api.stop()
    for step, limit in SECONDS.items():
        assert not found[step]["failed"], found[step]["msg"]
        print(
            f"3 + 100 machines on kube-apiserver, {step}: {found[step]['seconds']:.2f} s, "
            f"of which {found[step]['cpu']:.2f} s of CPU"
        )
        assert found[step]["seconds"] <= limit, step
    assert hosts == 103 and found["create"]["changed"] and not found["again"]["changed"]
