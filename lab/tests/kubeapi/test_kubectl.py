# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The real kubectl against the server, where there is one on this machine."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest
import yaml

from .rig import Api, run, thing

KUBECTL = shutil.which("kubectl")
pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl on this machine")


class Kubectl:
    def __init__(self, api: Api, directory: Path) -> None:
        self.path = directory / "kubeconfig"
        self.directory = directory
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "lab", "cluster": {"server": f"http://127.0.0.1:{api.server.port}"}}],
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "lab"}}],
            "current-context": "lab",
            "users": [{"name": "lab", "user": {"token": "x"}}],
        }
        self.path.write_text(yaml.safe_dump(document))

    async def __call__(self, *arguments: str, stdin: str = "") -> tuple[int, str]:
        assert KUBECTL is not None
        command = [KUBECTL, "--kubeconfig", str(self.path), "--cache-dir", str(self.directory / "cache"), *arguments]
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        output, _ = await process.communicate(stdin.encode())
        return process.returncode or 0, output.decode()


def test_kubectl_works_with_a_custom_kind(tmp_path: Path) -> None:
    async def flow() -> None:
        async with Api() as api:
            kubectl = Kubectl(api, tmp_path)
            code, text = await kubectl("create", "-f", "-", stdin=json.dumps(thing("a", "red", tier="one")))
            assert code == 0 and "created" in text, text
            code, text = await kubectl("apply", "-f", "-", stdin=json.dumps(thing("b", "blue")))
            assert code == 0, text
            code, text = await kubectl("apply", "-f", "-", stdin=json.dumps(thing("b", "green")))
            assert code == 0 and "configured" in text, text
            code, text = await kubectl("get", "th")
            assert code == 0 and text.splitlines()[0].split() == ["NAME", "COLOUR", "READY", "AGE"], text
            assert [line.split()[:2] for line in text.splitlines()[1:]] == [["a", "red"], ["b", "green"]]
            code, text = await kubectl("get", "things", "-l", "tier=one", "-o", "name")
            assert text == "thing.lab.example.com/a\n"
            code, text = await kubectl("patch", "thing", "a", "--type=merge", "-p", '{"spec":{"colour":"black"}}')
            assert code == 0, text
            conditions = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'
            code, text = await kubectl("patch", "thing", "a", "--subresource=status", "--type=merge", "-p", conditions)
            assert code == 0, text
            code, text = await kubectl("wait", "--for=condition=Ready", "thing/a", "--timeout=5s")
            assert code == 0 and "condition met" in text, text
            code, text = await kubectl("label", "thing", "a", "extra=yes")
            assert code == 0, text
            code, text = await kubectl("get", "thing", "a", "-o", "jsonpath={.spec.colour} {.metadata.labels.extra}")
            assert text == "black yes"
            code, text = await kubectl("get", "thing", "none")
            assert code == 1 and 'things.lab.example.com "none" not found' in text, text
            code, text = await kubectl("delete", "thing", "a", "b")
            assert code == 0, text
            code, text = await kubectl("api-resources", "-o", "name")
            assert "things.lab.example.com" in text.split()

    run(flow())
