# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that every field of install-config.yaml and agent-config.yaml, even a rare one, is read and written again."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.fields import AGENT_CONFIG, INSTALL_CONFIG
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import read_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.nested_fields import (
    AGENT_PLATFORMS,
    OTHER_PLATFORMS,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.render import render_files
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.shapes import (
    AnyOf,
    ListOf,
    Opaque,
    Record,
    Scalar,
    Shape,
)

# What the two documents say of hosts goes one way or the other, and mirrors have an old list and a new one.
NOT_BOTH = ("imageContentSources", "platform.baremetal.hosts")


class Filler:
    """Documents of a shape, with a part of its fields."""

    def __init__(self, seed: int, share: float, platform: str) -> None:
        self.draw = random.Random(seed)
        self.share = share
        self.platform = platform
        self.count = 0

    def fill(self, shape: Shape, path: str = "") -> Any:
        if isinstance(shape, Record):
            children = {name: (field.shape, f"{path}.{name}".lstrip(".")) for name, field in shape.fields.items()}
            filled = {name: self.fill(child, where) for name, (child, where) in children.items() if self.takes(where)}
            # An empty mapping says nothing, but for a platform.
            return {name: value for name, value in filled.items() if value != {} or path == "platform"}
        if isinstance(shape, ListOf):
            # There is one pool of workers.
            filled = [
                self.fill(shape.element, f"{path}[]")
                for _number in range(1 if path == "compute" else self.draw.randint(1, 2))
            ]
            return [element for element in filled if element != {}]
        if isinstance(shape, AnyOf):
            return self.fill(shape.shapes[0], path)
        if isinstance(shape, Opaque):
            return {"name": self.text()}
        return self.scalar(shape, path)

    def scalar(self, shape: Scalar, path: str) -> Any:
        if path == "apiVersion":
            return "v1"
        if path in ("compute[].name", "arbiter.name", "controlPlane.name"):
            return {"compute[].name": "worker", "arbiter.name": "arbiter"}.get(path, "master")
        if shape.type == "boolean":
            return True
        if shape.type == "integer":
            return self.draw.randint(1, 9)
        if shape.cidr:
            return self.draw.choice(["10.0.0.0/16", "fd00::/64", "192.0.2.0/24"])
        return self.draw.choice([choice for choice in shape.choices if choice] or [self.text()])

    def text(self) -> str:
        self.count += 1
        return f"text-{self.count}"

    def takes(self, path: str) -> bool:
        first, _dot, rest = path.partition(".")
        if first == "platform" and rest:
            name = rest.partition(".")[0]
            return path not in NOT_BOTH and (name == self.platform and (rest == name or self.lucky()))
        if path.rpartition(".")[2] in OTHER_PLATFORMS or path in NOT_BOTH:
            return False
        return (
            path in ("apiVersion", "platform", "compute", "compute[].name") or path.endswith("].cidr") or self.lucky()
        )

    def lucky(self) -> bool:
        return self.draw.random() < self.share


def leaves(document: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(document, dict):
        for key, value in document.items():
            yield from leaves(value, f"{path}.{key}")
        if not document:
            yield path, {}
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from leaves(value, f"{path}[{index}]")
    else:
        yield path, document


@pytest.mark.parametrize("platform", AGENT_PLATFORMS)
@pytest.mark.parametrize(("seed", "share"), [(0, 1.0), (1, 0.8), (2, 0.5), (3, 0.5), (4, 0.3)])
def test_nothing_is_lost(tmp_path: Path, platform: str, seed: int, share: float) -> None:
    install = Filler(seed, share, platform).fill(INSTALL_CONFIG)
    agent = {**Filler(seed, share, platform).fill(AGENT_CONFIG), "apiVersion": "v1beta1"}
    for host in agent.get("hosts", []) if platform != "baremetal" else []:
        host.pop("bmc", None)  # BMCs are for baremetal only
    (tmp_path / "install-config.yaml").write_text(json.dumps(install))
    (tmp_path / "agent-config.yaml").write_text(json.dumps(agent))
    parsed = read_directory(tmp_path, version="5.0.0")  # the release that has all of them
    assert [problem.text() for problem in parsed.problems if problem.severity == "error"] == []
    assert parsed.deployment is not None
    files = render_files(parsed.deployment)
    written = [dict(leaves(yaml.safe_load(files[name]))) for name in ("install-config.yaml", "agent-config.yaml")]
    for provided, found in zip((install, agent), written, strict=True):
        lost = {path: value for path, value in leaves(provided) if found.get(path) != value}
        assert lost == {}
