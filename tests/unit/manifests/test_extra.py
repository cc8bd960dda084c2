# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test extra manifests that a user adds to a cluster: they are split and renamed, and each mistake is named."""

from __future__ import annotations

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    ExtraManifest,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.manifests.cluster_manifests import render_manifests
from ansible_collections.zerotouch.openshift.tests.unit.manifests.deployments import deployment


def test_extra_manifests_are_split_renamed_and_sorted() -> None:
    files = (
        ExtraManifest("b.yml", "kind: B\napiVersion: v1\n"),
        ExtraManifest(
            "agent-test.yaml", ("---\nkind: A\ndata: {on: 012, when: 2026-01-01}\n---\n# nothing\n---\nkind: C\n")
        ),
        ExtraManifest("readme.md", "no manifest"),
    )
    assert dict(render_manifests(deployment(extra_manifests=files)).extra) == {
        "agent-test-0.yaml": 'data:\n  "true": 10\n  when: "2026-01-01"\nkind: A\n',
        "agent-test-1.yaml": "kind: C\n",
        "b-0.yml": "apiVersion: v1\nkind: B\n",
    }


def test_every_extra_manifest_that_is_no_yaml_is_named() -> None:
    files = (ExtraManifest("a.yaml", "a: [\n"), ExtraManifest("b.yaml", "b: : :\n"), ExtraManifest("c.yaml", "c: 1\n"))
    with pytest.raises(InvalidInput) as caught:
        render_manifests(deployment(extra_manifests=files))
    assert [problem.file for problem in caught.value.problems] == ["openshift/a.yaml", "openshift/b.yaml"]
