# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read a hand-written set of manifests from disk, as used for zero touch provisioning (ZTP).

The set has the directories ``cluster-manifests/`` and ``mirror/`` and, optionally, the file ``agent-config.yaml``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..cluster.located import load_all
from ..cluster.paths import AGENT_CONFIG, INSTALL_CONFIG
from ..cluster.text_file import is_missing, read_text
from ..cluster.tree import Item, plain
from ..common.problems import Problem, errors
from . import object_fields as fields
from .names import CA_BUNDLE, CLUSTER_MANIFESTS, REGISTRIES_CONF

PULL_SECRET = f"{CLUSTER_MANIFESTS}/pull-secret.yaml"
INFRA_ENV = f"{CLUSTER_MANIFESTS}/infraenv.yaml"
NMSTATE_CONFIG = f"{CLUSTER_MANIFESTS}/nmstateconfig.yaml"
AGENT_CLUSTER_INSTALL = f"{CLUSTER_MANIFESTS}/agent-cluster-install.yaml"
CLUSTER_DEPLOYMENT = f"{CLUSTER_MANIFESTS}/cluster-deployment.yaml"
CLUSTER_IMAGE_SET = f"{CLUSTER_MANIFESTS}/cluster-image-set.yaml"
# In the order in which the installer reads them.
_SHAPES: Mapping[str, Any] = {
    PULL_SECRET: fields.PULL_SECRET,
    INFRA_ENV: fields.INFRA_ENV,
    NMSTATE_CONFIG: fields.NMSTATE_CONFIG,
    AGENT_CLUSTER_INSTALL: fields.AGENT_CLUSTER_INSTALL,
    CLUSTER_DEPLOYMENT: fields.CLUSTER_DEPLOYMENT,
    CLUSTER_IMAGE_SET: fields.CLUSTER_IMAGE_SET,
}
OBJECT_FILES = tuple(_SHAPES)
TEXT_FILES = (REGISTRIES_CONF, CA_BUNDLE, AGENT_CONFIG)


@dataclasses.dataclass(frozen=True)
class ProvidedSet:
    """``texts`` by path, verbatim; ``objects`` by path, with upstream's spelling; ``problems`` of a file by path: what
    of it cannot be read.
    """

    directory: str
    texts: Mapping[str, str] = dataclasses.field(repr=False)
    objects: Mapping[str, tuple[Item, ...]] = dataclasses.field(repr=False)
    problems: Mapping[str, tuple[Problem, ...]]

    def object(self, path: str) -> Item | None:
        """The one object of a file; None where there is none or it cannot be read."""
        found = self.objects.get(path, ())
        return found[0] if found and not self.problems.get(path) else None

    def plain(self, path: str) -> dict[str, Any]:
        """The same as plain data; empty without one."""
        item = self.object(path)
        return plain(item) if item is not None and item.is_mapping else {}

    def file(self, path: str) -> str:
        """The file as problems name it."""
        return f"{self.directory}/{path}" if self.directory else path


def is_provided_set(directory: Path) -> bool:
    """Whether a directory is in this form: an install-config.yaml would generate the manifests again."""
    return (directory / CLUSTER_MANIFESTS).is_dir() and is_missing(directory / INSTALL_CONFIG)


def read_provided_set(directory: Path) -> ProvidedSet:
    """Every file of the set that is there. Nothing is raised for its contents."""
    texts: dict[str, str] = {}
    problems: dict[str, tuple[Problem, ...]] = {}
    for path in (*OBJECT_FILES, *TEXT_FILES):
        if not is_missing(directory / path):
            said: list[Problem] = []
            text = read_text(directory / path, said)
            if text is not None:
                texts[path] = text
            problems |= {path: tuple(said)} if said else {}
    return parse_provided_set(texts, str(directory), problems)


def parse_provided_set(
    texts: Mapping[str, str], directory: str = "", problems: Mapping[str, tuple[Problem, ...]] | None = None
) -> ProvidedSet:
    """The same of texts by path; ``problems`` are those of files that could not be read at all."""
    found = dict(problems or {})
    objects: dict[str, tuple[Item, ...]] = {}
    for path, shape in _SHAPES.items():
        if path in texts:
            objects[path], said = _objects(
                texts[path], f"{directory}/{path}" if directory else path, shape, several=path == NMSTATE_CONFIG
            )
            if said:
                found[path] = tuple(said)
    return ProvidedSet(directory, dict(texts), objects, found)


def _objects(text: str, file: str, shape: Any, *, several: bool) -> tuple[tuple[Item, ...], list[Problem]]:
    items, problems = load_all(text, file, most=0 if several else 1, strict=not several)
    said = errors(problems)
    objects = []
    for item in items:
        if several and item.value is None:
            continue
        read, wrong = fields.read_object(
            Item({}, "", file, 1) if item.value is None else item, shape, strict=not several
        )
        objects.append(read)
        said += wrong
    return tuple(item for item in objects if item.is_mapping), said
