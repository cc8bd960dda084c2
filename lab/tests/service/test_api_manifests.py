# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The lab's assisted-service accepts, changes, lists and deletes the manifests of a cluster as the real one does, with
the same status codes.
"""

from __future__ import annotations

import base64
from typing import Any

import pytest

from .flows import run
from .scripted import Rig

MANIFEST = base64.b64encode(b"kind: ConfigMap\n").decode()
PATCH = base64.b64encode(b"- op: remove\n  path: /x\n").decode()
MANIFESTS: list[tuple[dict[str, Any], int]] = [
    ({"file_name": "a.yaml", "content": MANIFEST}, 201),
    ({"file_name": "a.yml", "folder": "openshift", "content": MANIFEST}, 201),
    ({"file_name": "a.json", "content": base64.b64encode(b"{}").decode()}, 201),
    ({"file_name": "50-x.yaml.patch_1", "content": PATCH}, 201),
    ({"file_name": "50-x.yaml.patch_1", "content": MANIFEST}, 400),
    ({"file_name": "a.txt", "content": MANIFEST}, 400),
    ({"file_name": "b/a.yaml", "content": MANIFEST}, 400),
    ({"file_name": "a b.yaml", "content": MANIFEST}, 422),
    ({"file_name": ".a.yaml", "content": MANIFEST}, 422),
    ({"file_name": "a.yaml", "content": "%%"}, 400),
    ({"file_name": "a.yaml", "content": ""}, 400),
    ({"file_name": "a.json", "content": MANIFEST}, 400),
    ({"file_name": "a.yaml", "content": base64.b64encode(b"a: [").decode()}, 400),
    ({"file_name": "a.yaml", "content": base64.b64encode(b"a" * (1024 * 1024 + 1)).decode()}, 400),
    ({"file_name": "a.yaml", "folder": "other", "content": MANIFEST}, 400),
]


@pytest.mark.parametrize(
    ("body", "status"),
    MANIFESTS,
    ids=[f"{row[0]['file_name']}-{row[0].get('folder', '')}-{row[0]['content'][:8]}" for row in MANIFESTS],
)
def test_manifest_rules(body: dict[str, Any], status: int) -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            found = await rig.user.call("POST", f"/clusters/{rig.cluster['id']}/manifests", body)
            assert found[0] == status, found

    run(flow())


def test_life_of_a_manifest() -> None:
    async def flow() -> None:
        async with Rig(1) as rig:
            await rig.create()
            path = f"/clusters/{rig.cluster['id']}/manifests"
            body = {"file_name": "a.yaml", "folder": "openshift", "content": MANIFEST}
            assert await rig.user.post(path, body) == {
                "file_name": "a.yaml",
                "folder": "openshift",
                "manifest_source": "user",
            }
            await rig.user.post(path, body)
            status, answer = await rig.user.call("POST", path, {**body, "folder": "manifests"})
            assert (
                status == 400
                and "cannot be uploaded as it is not distinct between {manifest, openshift} folders" in answer["reason"]
            )
            assert len(await rig.user.get(path)) == 1
            assert (
                await rig.user.get(f"{path}/files", params={"folder": "openshift", "file_name": "a.yaml"})
                == b"kind: ConfigMap\n"
            )
            status, answer = await rig.user.call("GET", f"{path}/files", params={"file_name": "a.yaml"})
            assert (status, answer["reason"]) == (
                404,
                (f"Cluster manifest manifests/a.yaml doesn't exist in cluster {rig.cluster['id']}"),
            )
            renamed = {
                "folder": "openshift",
                "file_name": "a.yaml",
                "updated_file_name": "b.yaml",
                "updated_folder": "manifests",
            }
            assert (await rig.user.patch(path, renamed, expect=200))["file_name"] == "b.yaml"
            assert (await rig.user.call("DELETE", path, params={"file_name": "b.yaml"}))[0] == 200
            assert (await rig.user.call("DELETE", path, params={"file_name": "b.yaml"}))[0] == 200
            assert await rig.user.get(path) == []
            rig.service.core.cluster(rig.cluster["id"]).status = "installing"
            assert (await rig.user.call("DELETE", path, params={"file_name": "b.yaml"}))[0] == 400

    run(flow())
