# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test tools/demo-summary, the last step of `make demo`: it fails with a message if the cluster is not the one that was
configured.
"""

from __future__ import annotations

import copy
import importlib.machinery
import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).parents[3] / "tools" / "demo-summary"
if not PROGRAM.exists():
    pytest.skip("tools/ is not part of the artifact", allow_module_level=True)
_SPEC = importlib.util.spec_from_loader(
    "demo_summary", importlib.machinery.SourceFileLoader("demo_summary", str(PROGRAM))
)
summary = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(summary)


def node(name: str, *roles: str, ready: str = "True") -> dict[str, Any]:
    labels = {f"node-role.kubernetes.io/{role}": "" for role in roles}
    return {
        "metadata": {"name": name, "labels": labels},
        "status": {"conditions": [{"type": "Ready", "status": ready}]},
    }


HOSTS = [
    {"name": "a", "hostname": "a", "role": "master", "role_name": "control plane"},
    {"name": "b", "hostname": "b", "role": "worker", "role_name": "worker"},
]
REPORT = {"hosts": HOSTS, "result": {"phase": "installed", "text": "installed"}}
NODES = [node("a", "control-plane", "master"), node("b", "worker")]
VERSION = {"status": {"conditions": [{"type": "Available", "status": "True"}]}}


def test_a_good_cluster() -> None:
    assert list(summary.differences(REPORT, NODES, VERSION)) == []


Change = Callable[[dict[str, Any], list[Any], dict[str, Any]], object]
CASES: list[tuple[Change, str]] = [
    (lambda report, nodes, version: nodes.pop(), "b is configured, but the cluster has no Node of this name"),
    (
        lambda report, nodes, version: nodes.append(node("c", "worker")),
        "the cluster has a Node c that is not configured",
    ),
    (
        lambda report, nodes, version: nodes.__setitem__(0, node("a", "worker")),
        ("a is configured as control plane, its Node has the role worker"),
    ),
    (
        lambda report, nodes, version: nodes.__setitem__(1, node("b", "worker", "control-plane")),
        "b is configured as worker, its Node belongs to the control plane",
    ),
    (
        lambda report, nodes, version: nodes.__setitem__(1, node("b", "worker", ready="Unknown")),
        "the Node b is not ready",
    ),
    (
        lambda report, nodes, version: version.clear(),
        ("the cluster is not complete: its ClusterVersion is not available"),
    ),
    (lambda report, nodes, version: report["result"].update(phase="failed", text="failed"), "the report says: failed"),
]


@pytest.mark.parametrize(("change", "words"), CASES, ids=[words for _change, words in CASES])
def test_what_is_wrong(change: Change, words: str) -> None:
    report, nodes, version = copy.deepcopy((REPORT, NODES, VERSION))
    change(report, nodes, version)
    assert list(summary.differences(report, nodes, version)) == [words]


def test_an_api_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "auth").mkdir()
    (tmp_path / "report.json").write_text("{}")
    kubeconfig = {
        "clusters": [{"name": "a", "cluster": {"server": "https://127.0.0.1:1"}}],
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        "current-context": "a",
        "users": [{"name": "a", "user": {"token": "x"}}],
    }
    (tmp_path / "auth" / "kubeconfig").write_text(json.dumps(kubeconfig))
    monkeypatch.setattr(sys, "argv", [str(PROGRAM), str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        summary.main()
    assert str(ended.value).startswith("The API of the cluster does not answer with ") and str(ended.value).endswith(
        "Connection refused"
    )
