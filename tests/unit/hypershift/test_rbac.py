# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that docs/rbac/hosted.yaml has the permissions that modules hosted_cluster and node_pool need: they suffice for
both modules, and each rule is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster import absent as absent_case
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.hosted_cluster import run as present_case
from ansible_collections.zerotouch.openshift.plugins.module_utils.hypershift.node_pool import run as pool_case
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.client import Event
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.faults import (
    ConflictError,
    ForbiddenError,
    missing_rule,
)
from ansible_collections.zerotouch.openshift.plugins.modules import hosted_cluster, node_pool
from ansible_collections.zerotouch.openshift.tests.support.hub import hosted as hub

DOCUMENTS = yaml.safe_load((Path(__file__).parents[3] / "docs" / "rbac" / "hosted.yaml").read_text())["items"]
PATH = re.compile(
    r"^/(?:api/v1|apis/(?P<group>[^/]+)/[^/]+)(?:/namespaces/(?P<namespace>[^/]+)(?=/))?/(?P<plural>[^/]+)(?:/(?P<name>[^/]+))?$"
)
KEY = "a" * 43 + "="
CLUSTER = {
    "release_image": hub.IMAGE,
    "pull_secret": '{"auths": {"quay.io": {"auth": "Z2VoZWltOmdlaGVpbQ=="}}}',
    "additional_trust_bundle": "-----BEGIN CERTIFICATE-----",
    "agent_namespace": hub.AGENTS,
    "base_domain": "example.com",
    "api_server_address": "192.0.2.10",
}
Rule = tuple[str, str, str, str]  # Role or ClusterRole, group, resource, verb


def rules() -> set[Rule]:
    return {
        (document["kind"], group, resource, verb)
        for document in DOCUMENTS
        if document["kind"] in ("Role", "ClusterRole")
        for rule in document["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


class Guarded(hub.Hub):  # type: ignore[misc, name-defined]
    """A hub that grants what its rules grant: those of the Role in one namespace, those of the ClusterRole
    everywhere.
    """

    def __init__(self, granted: set[Rule]) -> None:
        super().__init__()
        self.granted, self.used = granted, set[Rule]()
        self.conflicting: set[str] = set()

    def judge(self, verb: str, path: str) -> None:
        match = PATH.match(path)
        if match is None:
            return  # discovery, which every user may read
        for kind in ["Role", "ClusterRole"] if match["namespace"] == hub.NAMESPACE else ["ClusterRole"]:
            rule = (kind, match["group"] or "", match["plural"], verb)
            if rule in self.granted:
                self.used.add(rule)
                return
        methods = {"create": "POST", "patch": "PATCH", "delete": "DELETE"}
        hint = missing_rule(methods.get(verb, "GET"), path + ("?watch=true" if verb == "watch" else ""))
        raise ForbiddenError(self.service, 403, f"cannot {verb} {path}", "Forbidden", hint=hint)

    def find(self, path: str) -> Any:
        self.judge("get", path)
        return super().find(path)

    def list(self, path: str, **options: Any) -> Any:
        self.judge("list", path)
        return super().list(path, **options)

    def create(self, path: str, body: Any, **options: Any) -> Any:
        self.judge("create", path)
        return super().create(path, body, **options)

    def merge_patch(self, path: str, patch: Any, **options: Any) -> Any:
        self.judge("patch", path)
        if path in self.conflicting:
            self.conflicting.discard(path)
            raise ConflictError(self.service, 409, "the object has been modified", "Conflict")
        return super().merge_patch(path, patch, **options)

    def delete(self, path: str, **options: Any) -> bool:
        self.judge("delete", path)
        return bool(super().delete(path, **options))

    def follow(self, path: str, seconds: float, **selectors: Any) -> Iterator[Event]:
        self.judge("watch", path)
        yield from super().follow(path, seconds, **selectors)


def play(api: Guarded) -> None:
    """The life of a hosted cluster with one pool; at the first refusal it ends."""

    def run_module(module: Any, name: str, **options: Any) -> None:
        params = {key: spec.get("default") for key, spec in module.argument_spec().items()}
        call = Call({**params, "namespace": hub.NAMESPACE, "name": name, "timeout": 20.0, **options})
        result = perform(module.run, call)
        assert not result["failed"], result["msg"]

    api.objects.pop(f"/api/v1/namespaces/{hub.NAMESPACE}")
    run_module(hosted_cluster, hub.CLUSTER, **CLUSTER)
    api.conflicting |= {hub.CLUSTER_PATH}
    other = {
        "pull_secret": CLUSTER["pull_secret"].replace("quay.io", "example.com"),
        "additional_trust_bundle": "-----BEGIN CERTIFICATE----- x",
    }
    states = {"ValidConfiguration": "True", "ValidReleaseImage": "True"}
    api.steps = [
        lambda api: api.put(
            hub.CLUSTER_PATH, {**api.objects[hub.CLUSTER_PATH], "status": {"conditions": hub.conditions(states, None)}}
        )
    ]
    run_module(hosted_cluster, hub.CLUSTER, **{**CLUSTER, **other}, channel="stable", wait_for="valid")
    run_module(node_pool, hub.POOL, cluster_name=hub.CLUSTER, replicas=3)
    for index in range(2):
        api.host(f"m{index}", f"a{index}")
    api.settle(3)
    api.conflicting |= {hub.POOL_PATH, f"{hub.MACHINES}/m1"}
    api.steps = [lambda api: api.host("m2", "a2"), lambda api: (api.gone("m1", "a1"), api.settle(2))]
    run_module(node_pool, hub.POOL, remove=["m1"], wait_for="ready")
    api.steps = [lambda api: (api.gone("m0", "a0"), api.gone("m2", "a2"))]
    run_module(hosted_cluster, hub.CLUSTER, state="absent")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Any:
    def make(granted: set[Rule]) -> Guarded:
        api = Guarded(granted)
        for case in (present_case, absent_case, pool_case):
            monkeypatch.setattr(case, "connect", lambda *_args, **_options: api)
        return api

    return make


def test_the_modules_get_by_with_them_and_need_them_all(made: Any) -> None:
    api = made(rules())
    play(api)
    assert api.used == rules(), f"idle: {sorted(rules() - api.used)}"


@pytest.mark.parametrize("missing", sorted(rules()), ids=lambda rule: " ".join(rule))
def test_a_rule_that_is_missing_is_named(made: Any, missing: Rule) -> None:
    if missing[2] in ("infraenvs", "baremetalhosts") or missing[2:] == ("namespaces", "get"):
        play(made(rules() - {missing}))  # done without: nothing is known of them then
        return
    with pytest.raises(AssertionError, match=rf'resources: \["{missing[2]}"\], verbs: \["{missing[3]}"\]'):
        play(made(rules() - {missing}))
