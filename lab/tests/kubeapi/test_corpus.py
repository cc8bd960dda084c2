# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that the lab's API server and a real one give the same verdict about valid and invalid objects of every kind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ztlab.kubeapi.hub import CRDS
from ztlab.kubeapi.real import assets

from .rig import run
from .servers import Caller, lab_server, real_server

DIRECTORY = Path(__file__).with_name("corpus")
NO_ASSETS = pytest.mark.skipif(
    assets() is None, reason=("KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd")
)
MERGE = "application/merge-patch+json"
CLUSTER_API = "cluster.x-k8s.io"
# A hub serves one version of Cluster API; the other kinds are tested on a hub with the newer version.
VERSIONS = ("v1beta2", "v1beta1")
# Kinds of providers that exist in two versions: the older ones are tested on a hub with the older Cluster API.
OLDER = (
    "bootstrap.cluster.x-k8s.io/v1alpha1",
    "controlplane.cluster.x-k8s.io/v1alpha2",
    "infrastructure.cluster.x-k8s.io/v1beta1",
)
PROVIDERS = {
    "v1beta2": ("openshift-assisted-v1alpha3", "metal3-v1beta2"),
    "v1beta1": ("openshift-assisted-v1alpha2", "metal3-v1beta1"),
}
Object = dict[str, Any]


def definitions(version: str) -> list[Path]:
    """The directories with the lab's definitions of all kinds."""
    return [
        CRDS,
        *(CRDS / name for name in (f"cluster-api-{version}", "agent-provider", "hypershift", *PROVIDERS[version])),
    ]


def corpus(version: str) -> Iterator[tuple[Object, Object]]:
    """(file, case) of all files for a hub with that version of Cluster API."""
    for path in sorted(DIRECTORY.glob("*.yaml")):
        document = yaml.safe_load(path.read_text())
        group, _slash, served = document["apiVersion"].partition("/")
        wanted = served if group == CLUSTER_API else VERSIONS[document["apiVersion"] in OLDER]
        if version == wanted:
            yield from ((document, case) for case in document["cases"])


async def verdict(server: Caller, document: Object, case: Object, number: int) -> tuple[int, list[str]]:
    """Status code of what the case is about, and the fields that were named as wrong."""
    scope = "" if document.get("cluster") else "namespaces/default/"
    collection = f"/apis/{document['apiVersion']}/{scope}{document['plural']}"
    item: Object = {
        "apiVersion": document["apiVersion"],
        "kind": document["kind"],
        "metadata": {"name": f"case-{number}"},
    }
    if "before" in case or "spec" in case:
        item["spec"] = case.get("before", case.get("spec"))
    code, answer, _warnings = await server.call("POST", collection, item)
    for change, path in (({"spec": case.get("spec")}, ""), ({"status": case.get("status")}, "/status")):
        if code < 300 and (("before" in case) if not path else "status" in case):
            code, answer, _warnings = await server.call("PATCH", f"{collection}/case-{number}{path}", change, MERGE)
    causes = (
        {cause["field"] for cause in (answer.get("details") or {}).get("causes") or [] if cause["field"] != "<nil>"}
        if code >= 300
        else set()
    )
    return code, sorted(causes)


async def judge(server: Caller, version: str) -> None:
    wrong = []
    for number, (document, case) in enumerate(corpus(version)):
        code, causes = await verdict(server, document, case, number)
        refused, wanted = "causes" in case, sorted(case.get("causes", []))
        if (code < 300) is refused or (refused and (code != 422 or causes != wanted)):
            outcome = wanted if refused else "accepted"
            wrong.append(f"{document['kind']}, {case['what']}: {code} {causes}, not {outcome}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_lab_judges(version: str) -> None:
    async def flow() -> None:
        async with lab_server(definitions(version)) as server:
            await judge(server, version)

    run(flow())


@NO_ASSETS
@pytest.mark.parametrize("version", VERSIONS)
def test_a_real_api_server_gives_the_same_verdicts(tmp_path: Path, version: str) -> None:
    async def flow() -> None:
        async with real_server(tmp_path, definitions(version)) as server:
            await judge(server, version)

    asyncio.run(flow())
