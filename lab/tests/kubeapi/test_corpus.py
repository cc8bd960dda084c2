# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Valid and invalid objects of every kind get one verdict: from the lab's definitions and from upstream's, in the lab's server and in a real one."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
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
UPSTREAM = Path(__file__).parents[4] / "shared" / "crds"
NO_UPSTREAM = pytest.mark.skipif(not UPSTREAM.is_dir(), reason=f"no {UPSTREAM}: upstream's definitions are not here")
NO_ASSETS = pytest.mark.skipif(assets() is None, reason="KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd")
MERGE = "application/merge-patch+json"
CLUSTER_API = "cluster.x-k8s.io"
# A hub serves one version of Cluster API; the other kinds are tried beside the newer one.
VERSIONS = ("v1beta2", "v1beta1")
Object = dict[str, Any]


def definitions(version: str) -> list[Path]:
    """The directories with the lab's definitions of all kinds."""
    return [CRDS, *(CRDS / name for name in (f"cluster-api-{version}", "agent-provider", "hypershift"))]


def corpus(version: str) -> Iterator[tuple[Object, Object]]:
    """(file, case) of all files for a hub with that version of Cluster API."""
    for path in sorted(DIRECTORY.glob("*.yaml")):
        document = yaml.safe_load(path.read_text())
        group, _slash, served = document["apiVersion"].partition("/")
        if served == version if group == CLUSTER_API else version == VERSIONS[0]:
            yield from ((document, case) for case in document["cases"])


async def verdict(server: Caller, document: Object, case: Object, number: int) -> tuple[int, list[str]]:
    """Status code of what the case is about, and the fields that were named as wrong."""
    scope = "" if document.get("cluster") else "namespaces/default/"
    collection = f"/apis/{document['apiVersion']}/{scope}{document['plural']}"
    item: Object = {"apiVersion": document["apiVersion"], "kind": document["kind"], "metadata": {"name": f"case-{number}"}}
    if "before" in case or "spec" in case:
        item["spec"] = case.get("before", case.get("spec"))
    code, answer, _warnings = await server.call("POST", collection, item)
    for change, path in (({"spec": case.get("spec")}, ""), ({"status": case.get("status")}, "/status")):
        if code < 300 and (("before" in case) if not path else "status" in case):
            code, answer, _warnings = await server.call("PATCH", f"{collection}/case-{number}{path}", change, MERGE)
    causes = {cause["field"] for cause in (answer.get("details") or {}).get("causes") or [] if cause["field"] != "<nil>"} if code >= 300 else set()
    return code, sorted(causes)


async def judge(server: Caller, version: str) -> None:
    wrong = []
    for number, (document, case) in enumerate(corpus(version)):
        code, causes = await verdict(server, document, case, number)
        refused, wanted = "causes" in case, sorted(case.get("causes", []))
        if (code < 300) is refused or (refused and (code != 422 or causes != wanted)):
            wrong.append(f"{document['kind']}, {case['what']}: {code} {causes}, not {wanted if refused else 'accepted'}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_lab_judges(version: str) -> None:
    async def flow() -> None:
        async with lab_server(definitions(version)) as server:
            await judge(server, version)

    run(flow())


@functools.cache
def upstreams() -> dict[str, Object]:
    """Upstream's definitions of the kinds that the lab has, by name."""
    ours = {path.stem for path in CRDS.rglob("*.yaml")}
    files = [path for path in UPSTREAM.rglob("*.yaml") if path.stem.rpartition("_")[2].partition("-")[0] in ours]
    found = [document for path in files for document in yaml.load_all(path.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader)) if document]
    return {definition["metadata"]["name"]: definition for definition in found}


def upstream(directory: Path, version: str) -> list[Path]:
    """A directory with upstream's definitions of the corpus' kinds."""
    for name in {f"{document['plural']}.{document['apiVersion'].split('/')[0]}" for document, _case in corpus(version)}:
        (directory / f"{name}.yaml").write_text(json.dumps(upstreams()[name]))
    return [directory]


@NO_UPSTREAM
@pytest.mark.parametrize("version", VERSIONS)
def test_upstreams_definitions_give_the_same_verdicts(tmp_path: Path, version: str) -> None:
    async def flow() -> None:
        async with lab_server(upstream(tmp_path, version)) as server:
            await judge(server, version)

    run(flow())


@NO_UPSTREAM
@NO_ASSETS
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("whose", ["lab", "upstream"])
def test_a_real_api_server_gives_the_same_verdicts(tmp_path: Path, whose: str, version: str) -> None:
    (tmp_path / "crds").mkdir()
    directories = definitions(version) if whose == "lab" else upstream(tmp_path / "crds", version)

    async def flow() -> None:
        async with real_server(tmp_path / "server", directories) as server:
            await judge(server, version)

    asyncio.run(flow())


# What the lab's definitions say is what upstream's say, field by field.

FACTS = ("type", "format", "enum", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "nullable", "default")


def differences(ours: Object, theirs: Object, path: str = "") -> Iterator[str]:
    for name in FACTS:
        if ours.get(name) != theirs.get(name):
            yield f"{path}: {name} is {ours.get(name)!r}, upstream's is {theirs.get(name)!r}"
    missing = set(theirs.get("required") or ()) & set(ours.get("properties") or ()) - set(ours.get("required") or ())
    extra = set(ours.get("required") or ()) - set(theirs.get("required") or ())
    if missing or extra:
        yield f"{path}: required without {sorted(missing)}, with {sorted(extra)}"
    for name, below in (ours.get("properties") or {}).items():
        there = (theirs.get("properties") or {}).get(name)
        if there is None:
            yield f"{path}.{name}: upstream has no such field"
        else:
            yield from differences(below, there, f"{path}.{name}")
    for name in ("items", "additionalProperties"):
        if isinstance(ours.get(name), dict):
            yield from differences(ours[name], theirs.get(name) or {}, f"{path}{{}}" if name != "items" else f"{path}[]")


# Kinds whose upstream definition is not in reach: what the lab has of them is what its controllers use.
UNSEEN = ("hostedcontrolplanes", "machinehealthchecks")


@NO_UPSTREAM
@pytest.mark.parametrize("path", sorted(path for path in CRDS.rglob("*.yaml") if path.stem not in UNSEEN), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_fields_are_upstreams(path: Path) -> None:
    (mine,) = [document for document in yaml.safe_load_all(path.read_text()) if document]
    other = upstreams()[mine["metadata"]["name"]]
    assert {key: mine["spec"][key] for key in ("group", "names", "scope")} == {key: other["spec"][key] for key in ("group", "names", "scope")}
    (ours,) = mine["spec"]["versions"]
    (theirs,) = [version for version in other["spec"]["versions"] if version["name"] == ours["name"]]
    columns = [[(entry["name"], entry["jsonPath"]) for entry in version.get("additionalPrinterColumns") or []] for version in (ours, theirs)]
    assert columns[0] == columns[1]
    assert ours.get("subresources") == theirs.get("subresources")
    with contextlib.suppress(StopIteration):
        raise AssertionError(next(differences(ours["schema"]["openAPIV3Schema"], theirs["schema"]["openAPIV3Schema"])))
