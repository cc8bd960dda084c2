# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare the answers of the lab's API server with recorded answers of a real one.

``conversations/<name>.yaml`` holds requests, ``<name>.json`` the answers of kube-apiserver 1.35. With
KUBEBUILDER_ASSETS the requests are also sent to the real one; with ZTLAB_RECORD=1 its answers are recorded again.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from ztlab.kubeapi.real import assets

from .rig import run
from .servers import Caller, converse, definitions, lab_server, real_server

DIRECTORY = Path(__file__).with_name("conversations")
NAMES = sorted(path.stem for path in DIRECTORY.glob("*.yaml"))
WIDGETS = (
    "/apis/lab.example.com/v1/widgets",
    "/apis/lab.example.com/v1/herds",
    "/apis/lab.example.com/v1/gadgets",
    "/apis/lab.example.com/v1beta1/gadgets",
)


def script(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DIRECTORY / f"{name}.yaml").read_text())
    return found


async def prepare(server: Caller) -> None:
    """Install the test's definitions and wait until they are served."""
    for definition in definitions():
        status, answer, _warnings = await server.call(
            "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition
        )
        assert status == 201, answer
    for path in WIDGETS:
        for _try in range(100):
            if (await server.call("GET", path))[0] == 200:
                break
            await asyncio.sleep(0.1)


def compare(name: str, answers: list[dict[str, Any]]) -> None:
    steps, expected = script(name)["steps"], json.loads((DIRECTORY / f"{name}.json").read_text())
    assert len(expected) == len(steps)
    for step, wanted, answer in zip(steps, expected, answers, strict=True):
        assert json.loads(json.dumps(answer)) == wanted, step


@pytest.mark.parametrize("name", NAMES)
def test_the_lab_answers_like_a_real_api_server(name: str) -> None:
    async def flow() -> list[dict[str, Any]]:
        async with lab_server(()) as server:
            await prepare(server)
            return await converse(server, script(name))

    compare(name, run(flow()))


@pytest.mark.skipif(assets() is None, reason="KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd")
def test_a_real_api_server_still_answers_so(tmp_path: Path) -> None:
    async def flow() -> dict[str, list[dict[str, Any]]]:
        async with real_server(tmp_path, ()) as server:
            await prepare(server)
            await asyncio.sleep(1)
            return {name: await converse(server, script(name)) for name in NAMES}

    answers = asyncio.run(flow())
    if os.environ.get("ZTLAB_RECORD"):
        for name, found in answers.items():
            (DIRECTORY / f"{name}.json").write_text(
                "[\n" + ",\n".join(json.dumps(answer, sort_keys=True) for answer in found) + "\n]\n"
            )
    for name, found in answers.items():
        compare(name, found)
