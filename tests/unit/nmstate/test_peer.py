# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Compare our verdicts and keyfiles for nmstate documents with those of nmstate itself.

``NMSTATE_PEER`` is a command that reads a document from its standard input and writes ``{"NetworkManager": [[file,
text], …]}`` as YAML or JSON: ``nmstatectl gc -``, or a few lines around ``gen_conf`` of the nmstate crate. The
comparison ignores order and the number in ``routeN``.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import errors
from ansible_collections.zerotouch.openshift.plugins.module_utils.nmstate.keyfiles import (
    examine_network_config,
    render_keyfiles,
)
from hypothesis import HealthCheck, Phase, given, settings

from .documents import Node, changed, documents

PEER = os.environ.get("NMSTATE_PEER", "")
if not PEER:
    pytest.skip("NMSTATE_PEER names no command that generates keyfiles", allow_module_level=True)
GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.yml"))
_SETTINGS = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
# nmstate takes any of several interfaces that may hold a rule, another one in each run.
_TRIES = 20
Meaning = dict[str, dict[str, dict[str, Any]]]


def meaning(text: str) -> dict[str, dict[str, Any]]:
    sections: dict[str, dict[str, Any]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            section = sections.setdefault(line[1:-1], {})
        elif line:
            key, _equals, value = line.partition("=")
            section[key] = value
    for section in sections.values():
        _unnumbered(section)
    if sections.get("ethernet") == {}:
        del sections["ethernet"]
    return sections


def _unnumbered(section: dict[str, Any]) -> None:
    """Routes, rules and VLANs as sets."""
    numbers = [key.removeprefix("route") for key in section if re.fullmatch(r"route\d+", key)]
    routes = {
        (section.pop(f"route{number}"), frozenset(section.pop(f"route{number}_options").split(",")))
        for number in numbers
    }
    rules = {section.pop(key) for key in [key for key in section if re.fullmatch(r"routing-rule\d+", key)]}
    section |= {"routes": routes} if routes else {}
    section |= {"rules": rules} if rules else {}
    section |= {key: {*section[key].split(",")} for key in ("vlans", "trunks") if key in section}


def peer(document: Node) -> Meaning | None:
    """What nmstate makes of it, after openshift-install's rewriting; None where it refuses, or writes one file over
    another.
    """
    done = subprocess.run(
        shlex.split(PEER), input=json.dumps(document), capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode:
        return None
    written = yaml.safe_load(done.stdout)["NetworkManager"]
    result = {name: meaning(text) for name, text in written}
    for sections in result.values():
        sections["connection"] |= {"autoconnect": "true", "autoconnect-priority": "1"}
    return result if len(result) == len(written) else None


def compare(document: Node) -> None:
    problems = errors(examine_network_config(document)[1])
    theirs = peer(document)
    if problems:
        # The empty result is no error of nmstate, but openshift-install refuses it.
        # Source: openshift/installer pkg/asset/agent/manifests/nmstateconfig.go.
        stricter = all(problem.layer == "ours" for problem in problems)
        texts = [problem.text() for problem in problems]
        assert stricter or not theirs, f"refused only here: {texts}: {document}"
        return
    ours = {keyfile.name: meaning(keyfile.text) for keyfile in render_keyfiles(document)}
    for _try in range(_TRIES):
        if ours == theirs or not document.get("route-rules"):
            break
        theirs = peer(document)
    assert ours == theirs, document


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_files(path: Path) -> None:
    case = yaml.safe_load(path.read_text())
    assert {name: meaning(text) for name, text in case["keyfiles"].items()} == peer(case["network_config"])


@_SETTINGS
@given(documents())
def test_any_document(document: Node) -> None:
    compare(document)


@_SETTINGS
@given(changed())
def test_any_mistake(document: Node) -> None:
    compare(document)
