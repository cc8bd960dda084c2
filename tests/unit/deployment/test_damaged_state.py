# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test every module with a state file that is valid JSON with wrong contents: it works, or it names the damaged
section. It never fails with a Python error.
"""

from __future__ import annotations

import copy
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.requests import boot_requests
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.secrets import Redactor
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state_shape import EACH, SECTIONS
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.plan import Question, answer
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.wait import (
    Surroundings,
    WaitRequest,
    predict,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.credentials import plan_hand_over
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.publication import (
    publish_image,
    withdraw_image,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import (
    WorkDir,
    known_secrets,
)
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.text(max_size=12),
    st.just("https://a:b"),
)
ANY = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=6,
)


def near(shape: Any) -> st.SearchStrategy[Any]:
    """Values that are almost of a shape."""
    if isinstance(shape, dict):
        fields = {key if key != EACH else "some": near(inner) for key, inner in shape.items()}
        good: st.SearchStrategy[Any] = st.fixed_dictionaries({}, optional=fields)
    elif isinstance(shape, list):
        good = st.lists(near(shape[0]), max_size=2)
    else:
        texts = st.one_of(
            st.text(max_size=8),
            st.sampled_from(["installed", "bootstrap", "https://api.x:6443", "::1", "serve", "directory", "none"]),
        )
        good = {bool: st.booleans(), int: st.integers(-5, 2**40)}.get(shape, texts)
    return st.one_of(good, good, good, good, ANY)


@pytest.fixture
def stage_dir(stage: Any) -> Path:
    stage.build()
    return Path(stage.root)


def modules(root: Path) -> Iterator[Callable[[], object]]:
    """What every module does with the state file before it changes anything."""
    work_dir, clock = WorkDir(root), SystemClock(threading.Event())
    connect_to = ConnectTo.of(
        {
            "192.168.111.20": "127.0.0.1:1",
            "api.demo.example.com": "127.0.0.1:1",
            "api.x": "127.0.0.1:1",
            "::1": "127.0.0.1:1",
        }
    )
    around = Surroundings(None, clock, lambda text: None, Redactor(), lambda text: None)  # type: ignore[arg-type]
    params = {
        "work_dir": str(root),
        "publish": {"url": "http://127.0.0.1"},
        "bmc_addresses": [],
        "max_seconds": 1,
        "connect_to": {},
    }
    yield lambda: known_secrets(work_dir)
    yield lambda: answer(Question(work_dir, connect_to=connect_to))
    yield lambda: predict(WaitRequest(work_dir, work_dir.logs, connect_to=connect_to), around)
    yield lambda: plan_hand_over(work_dir, clock, connect_to=connect_to, check_mode=True)
    yield lambda: publish_image(params, clock, check_mode=True)
    yield lambda: withdraw_image(params, clock, check_mode=True)
    yield lambda: boot_requests([], state_file=work_dir.state)


def each_module_works_or_says_why(root: Path, document: dict[str, Any]) -> list[str]:
    (root / "state.json").write_text(json.dumps(document))
    said = []
    for run_module in modules(root):
        try:
            run_module()
        except ZeroTouchError as error:
            said.append(str(error))
    return said


@pytest.mark.parametrize(
    ("section", "value", "words"),
    [
        ("install", 7, "section install: install must be a mapping, and is a whole number"),
        ("image", [], "section image: image must be a mapping, and is a list"),
        ("secrets", "x", "section secrets: secrets must be a mapping, and is a text"),
        ("cluster", {"hosts": "node-0"}, "section cluster: cluster.hosts must be a list, and is a text"),
        ("cluster", {"hosts": ["node-0"]}, "cluster.hosts[0] must be a mapping, and is a text"),
        ("cluster", {"api_url": "https://a:b"}, "cluster.api_url must be an http or https URL"),
        ("cluster", {"rendezvous_ip": "zz["}, "cluster.rendezvous_ip must be an IP address"),
        ("install", {"phase": 3}, "install.phase must be a text, and is a whole number"),
        ("install", {"phase": None}, "install.phase must be a text, and is null"),
        ("image", {"size": True}, "image.size must be a whole number, and is true or false"),
        ("image", {"path": "a\0b"}, "image.path contains characters that this collection never writes"),
        ("secrets", {"signers": {"x": "y"}}, "secrets.signers.x must be a mapping, and is a text"),
        ("bmc", {"node-0": None}, "bmc.node-0 must be a mapping, and is null"),
        ("publish", {"port": "80"}, "publish.port must be a whole number, and is a text"),
    ],
)
def test_a_damaged_section_is_named(stage_dir: Path, section: str, value: Any, words: str) -> None:
    document = {**json.loads((stage_dir / "state.json").read_text()), section: value}
    said = each_module_works_or_says_why(stage_dir, document)
    assert said and all(
        str(stage_dir / "state.json") in text and words in text and f"delete section {section} from it" in text
        for text in said
    ), said
    assert len(said) == len(list(modules(stage_dir)))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(section=st.sampled_from(sorted(SECTIONS)), data=st.data())
def test_any_value_in_any_section(stage_dir: Path, section: str, data: st.DataObject) -> None:
    good = stage_dir / "good.json"
    if not good.exists():
        good.write_text((stage_dir / "state.json").read_text())
    document = json.loads(good.read_text())
    value = data.draw(near(SECTIONS[section]))
    if isinstance(value, dict) and data.draw(st.booleans()):
        value = {**copy.deepcopy(document.get(section) or {}), **value}
    each_module_works_or_says_why(stage_dir, {**document, section: value})


@settings(max_examples=60, deadline=None)
@given(document=ANY)
@example(document={"format": True})
@example(document={"format": 1, "cluster": None})
def test_any_document(tmp_path_factory: pytest.TempPathFactory, document: Any) -> None:
    path = tmp_path_factory.getbasetemp() / "any-state.json"
    path.write_text(json.dumps(document))
    try:
        StateFile(path).read()
    except ZeroTouchError as error:
        assert str(path) in str(error)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[" * 100000, b'{"format": 1', b'{"format": "1"}'])
def test_a_file_that_is_no_state(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(content)
    with pytest.raises(ZeroTouchError, match="is not a state file of this collection"):
        StateFile(path).read()
