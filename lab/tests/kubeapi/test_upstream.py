# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare the lab's CRDs with upstream's, field by field, and check that upstream's CRDs give the verdicts of the
corpus (test_corpus.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from ansible_collections.zerotouch.openshift.tests.support.upstream import required
from ztlab.kubeapi.hub import CRDS

from .rig import run
from .servers import lab_server, real_server
from .test_corpus import NO_ASSETS, VERSIONS, Object, corpus, judge

UPSTREAM = required("crds")


@functools.cache
def upstreams() -> dict[str, Object]:
    """Upstream's definitions of the kinds that the lab has, by name."""
    ours = {path.stem for path in CRDS.rglob("*.yaml")}
    files = [path for path in UPSTREAM.rglob("*.yaml") if path.stem.rpartition("_")[2].partition("-")[0] in ours]
    found = [
        document
        for path in files
        for document in yaml.load_all(path.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        if document
    ]
    return {definition["metadata"]["name"]: definition for definition in found}


def upstream(directory: Path, version: str) -> list[Path]:
    """A directory with upstream's definitions of the corpus' kinds, each in the one version that is tried: upstream
    converts between versions.
    """
    for plural, served in {(document["plural"], document["apiVersion"]) for document, _case in corpus(version)}:
        group, _slash, name = served.partition("/")
        definition = upstreams()[f"{plural}.{group}"]
        (kept,) = [item for item in definition["spec"]["versions"] if item["name"] == name]
        spec = {**definition["spec"], "versions": [{**kept, "storage": True}]}
        (directory / f"{plural}.{group}.yaml").write_text(json.dumps({**definition, "spec": spec}))
    return [directory]


@pytest.mark.parametrize("version", VERSIONS)
def test_upstreams_definitions_give_the_same_verdicts(tmp_path: Path, version: str) -> None:
    async def flow() -> None:
        async with lab_server(upstream(tmp_path, version)) as server:
            await judge(server, version)

    run(flow())


@NO_ASSETS
@pytest.mark.parametrize("version", VERSIONS)
def test_a_real_api_server_gives_the_same_verdicts(tmp_path: Path, version: str) -> None:
    (tmp_path / "crds").mkdir()
    directories = upstream(tmp_path / "crds", version)

    async def flow() -> None:
        async with real_server(tmp_path / "server", directories) as server:
            await judge(server, version)

    asyncio.run(flow())


# What the lab's definitions say is what upstream's say, field by field.

FACTS = (
    "type",
    "format",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "nullable",
    "default",
)


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
            yield from differences(
                ours[name], theirs.get(name) or {}, f"{path}{{}}" if name != "items" else f"{path}[]"
            )


# Kinds whose upstream definition is not in reach: what the lab has of them is what its controllers use.
UNSEEN = ("hostedcontrolplanes", "machinehealthchecks")


@pytest.mark.parametrize(
    "path",
    sorted(path for path in CRDS.rglob("*.yaml") if path.stem not in UNSEEN),
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def test_fields_are_upstreams(path: Path) -> None:
    (mine,) = [document for document in yaml.safe_load_all(path.read_text()) if document]
    other = upstreams()[mine["metadata"]["name"]]
    assert {key: mine["spec"][key] for key in ("group", "names", "scope")} == {
        key: other["spec"][key] for key in ("group", "names", "scope")
    }
    (ours,) = mine["spec"]["versions"]
    (theirs,) = [version for version in other["spec"]["versions"] if version["name"] == ours["name"]]
    columns = [
        [(entry["name"], entry["jsonPath"]) for entry in version.get("additionalPrinterColumns") or []]
        for version in (ours, theirs)
    ]
    assert columns[0] == columns[1]
    assert ours.get("subresources") == theirs.get("subresources")
    with contextlib.suppress(StopIteration):
        raise AssertionError(next(differences(ours["schema"]["openAPIV3Schema"], theirs["schema"]["openAPIV3Schema"])))
