# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test runs of hosted_cluster and node_pool that are killed at any of their writes: a repeated run has the result of an
uninterrupted one, and writes nothing twice.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster import absent as absent_case
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster import run as present_case
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster.immutable import settled
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster.object import (
    OWNED as CLUSTER_OWNED,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster.object import cluster_object
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.kinds import HOSTED_CLUSTER, NODE_POOL
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool import run as pool_case
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.object import OWNED as POOL_OWNED
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool.object import pool_object
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.write import merged, plan_object
from ansible_collections.zerotouch.openshift.plugins.modules import hosted_cluster, node_pool
from ansible_collections.zerotouch.openshift.tests.support.hub import hosted as hub
from ansible_collections.zerotouch.openshift.tests.unit.hypershift import corpus
from ansible_collections.zerotouch.openshift.tests.unit.hypershift import test_corpus as checks


class Killed(BaseException):
    """The process ends here."""


class Mortal(hub.Hub):  # type: ignore[misc, name-defined]
    """``left`` writes are carried out; then the process is killed, before the write or right after it."""

    left = 1000
    after = False

    def _die(self) -> None:
        if self.left <= 0:
            raise Killed
        self.left -= 1

    def create(self, path: str, body: Any, **options: Any) -> Any:
        return self._written(super().create, path, body, **options)

    def merge_patch(self, path: str, patch: Any, **options: Any) -> Any:
        return self._written(super().merge_patch, path, patch, **options)

    def delete(self, path: str, **options: Any) -> Any:
        return self._written(super().delete, path, **options)

    def _written(self, write: Any, *arguments: Any, **options: Any) -> Any:
        if not self.after:
            self._die()
            return write(*arguments, **options)
        done = write(*arguments, **options)
        self._die()
        return done


def scene_made(api: Any, run_module: Any) -> None:
    run_module(hosted_cluster, **corpus.CLUSTER, ssh_public_keys=["ssh-ed25519 AAAA"])


def scene_shrunk(api: Any, run_module: Any) -> None:
    run_module(node_pool, name=hub.POOL, remove=["host-a1", "m2"])


def scene_gone(api: Any, run_module: Any) -> None:
    run_module(hosted_cluster, name=hub.CLUSTER, state="absent", drain=False)


def prepared(scene: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    api = Mortal()
    for case in (present_case, absent_case, pool_case):
        monkeypatch.setattr(case, "connect", lambda *_args, **_options: api)
    monkeypatch.setattr(present_case, "make_key", lambda: b"k" * 32)

    def run_module(module: Any, **options: Any) -> Any:
        params = {key: spec.get("default") for key, spec in module.argument_spec().items()}
        result = perform(module.run, Call({**params, "timeout": 5.0, **options, "namespace": hub.NAMESPACE}))
        assert not result["failed"], result["msg"]
        return result

    if scene is scene_made:
        api.objects.pop(f"/api/v1/namespaces/{hub.NAMESPACE}")
    else:
        run_module(hosted_cluster, **corpus.CLUSTER)
        api.pool(hub.node_pool(4 if scene is scene_shrunk else 0))
        for index in range(4 if scene is scene_shrunk else 0):
            api.host(f"m{index}", f"a{index}")
    api.writes.clear()
    return api, run_module


def state(api: Any) -> dict[str, Any]:
    kept = {}
    for path, obj in api.objects.items():
        metadata = {
            key: value
            for key, value in obj.get("metadata", {}).items()
            if key not in ("uid", "resourceVersion", "generation")
        }
        kept[path] = {**obj, "metadata": metadata}
    return kept


@pytest.mark.parametrize("scene", [scene_made, scene_shrunk, scene_gone], ids=lambda scene: scene.__name__)
@pytest.mark.parametrize("after", [False, True], ids=["before the write", "after the write"])
def test_killed_at_every_write(scene: Any, after: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    api, run_module = prepared(scene, monkeypatch)
    scene(api, run_module)
    whole, writes = state(api), len(api.writes)
    assert writes > 1
    for number in range(writes):
        api, run_module = prepared(scene, monkeypatch)
        api.left, api.after = number, after
        with pytest.raises((Killed, AssertionError)):
            scene(api, run_module)
        api.left = 1000
        scene(api, run_module)
        assert state(api) == whole, number
        count = len(api.writes)
        scene(api, run_module)
        assert len(api.writes) == count, "the third run writes nothing"


@pytest.mark.parametrize("case", [case for case in corpus.POOLS if case.verdict == "fine"], ids=lambda case: case.name)
def test_a_pool_that_was_written_has_the_desired_state(case: Any) -> None:
    kept = checks.stored(pool_object(case.before or case.options, None), checks.POOL_DEFAULTS)
    if case.before:
        change = plan_object(NODE_POOL, pool_object(case.options, kept), kept, owned=POOL_OWNED)
        kept = merged(kept, change.body) if change else kept
    assert plan_object(NODE_POOL, pool_object(case.options, kept), kept, owned=POOL_OWNED) is None


@pytest.mark.parametrize(
    "case", [case for case in corpus.CLUSTERS if case.verdict == "fine"], ids=lambda case: case.name
)
def test_a_cluster_that_was_written_has_the_desired_state(case: Any) -> None:
    kept = checks.stored(cluster_object(case.before or case.options, exists=False), checks.CLUSTER_DEFAULTS)
    for _run in range(2):
        desired, found = settled(cluster_object(case.options, exists=True), kept)
        assert not found
        change = plan_object(HOSTED_CLUSTER, desired, kept, owned=CLUSTER_OWNED)
        kept = merged(kept, change.body) if change else kept
    assert change is None
