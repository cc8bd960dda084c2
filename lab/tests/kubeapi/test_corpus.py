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
Object = dict[str, Any]


def corpus() -> Iterator[tuple[Object, Object]]:
    """(file, case) of all files."""
    for path in sorted(DIRECTORY.glob("*.yaml")):
        document = yaml.safe_load(path.read_text())
        for case in document["cases"]:
            yield document, case


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


async def judge(server: Caller) -> None:
    wrong = []
    for number, (document, case) in enumerate(corpus()):
        code, causes = await verdict(server, document, case, number)
        wanted = sorted(case.get("causes", []))
        if (code < 300) is bool(wanted) or (wanted and (code != 422 or causes != wanted)):
            wrong.append(f"{document['kind']}, {case['what']}: {code} {causes}, not {wanted or 'accepted'}")
    assert not wrong, "\n".join(wrong)


def test_the_lab_judges() -> None:
    async def flow() -> None:
        async with lab_server(CRDS) as server:
            await judge(server)

    run(flow())


@functools.cache
def upstreams() -> dict[str, Object]:
    """Upstream's definitions of the kinds that the lab has, by name."""
    files = [path for path in UPSTREAM.rglob("*.yaml") if path.stem.rpartition("_")[2] in {ours.stem for ours in CRDS.glob("*.yaml")}]
    found = [document for path in files for document in yaml.load_all(path.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader)) if document]
    return {definition["metadata"]["name"]: definition for definition in found}


def upstream(directory: Path) -> Path:
    """A directory with upstream's definitions of the corpus' kinds."""
    for name in {f"{document['plural']}.{document['apiVersion'].split('/')[0]}" for document, _case in corpus()}:
        (directory / f"{name}.yaml").write_text(json.dumps(upstreams()[name]))
    return directory


@NO_UPSTREAM
def test_upstreams_definitions_give_the_same_verdicts(tmp_path: Path) -> None:
    async def flow() -> None:
        async with lab_server(upstream(tmp_path)) as server:
            await judge(server)

    run(flow())


@NO_UPSTREAM
@NO_ASSETS
@pytest.mark.parametrize("whose", ["lab", "upstream"])
def test_a_real_api_server_gives_the_same_verdicts(tmp_path: Path, whose: str) -> None:
    (tmp_path / "crds").mkdir()
    definitions = CRDS if whose == "lab" else upstream(tmp_path / "crds")

    async def flow() -> None:
        async with real_server(tmp_path / "server", definitions) as server:
            await judge(server)

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


@NO_UPSTREAM
@pytest.mark.parametrize("path", sorted(CRDS.glob("*.yaml")), ids=lambda path: path.stem)
def test_fields_are_upstreams(path: Path) -> None:
    (mine,) = [document for document in yaml.safe_load_all(path.read_text()) if document]
    other = upstreams()[mine["metadata"]["name"]]
    assert {key: mine["spec"][key] for key in ("group", "names", "scope")} == {key: other["spec"][key] for key in ("group", "names", "scope")}
    columns = [[(entry["name"], entry["jsonPath"]) for entry in item["spec"]["versions"][0].get("additionalPrinterColumns") or []] for item in (mine, other)]
    assert columns[0] == columns[1]
    schemas = [item["spec"]["versions"][0]["schema"]["openAPIV3Schema"] for item in (mine, other)]
    with contextlib.suppress(StopIteration):
        raise AssertionError(next(differences(schemas[0], schemas[1])))
