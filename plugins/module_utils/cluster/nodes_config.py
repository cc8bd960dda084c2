# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read nodes-config.yaml: the hosts that join a running cluster (openshift/oc pkg/cli/admin/nodeimage)."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from ..common.problems import IGNORED, INVALID, REQUIRED, UNKNOWN_FIELD, Problem
from . import located
from .field_values import host_from_document
from .fields import AGENT_HOST
from .shapes import STRING, ListOf, Reader, record
from .spec import Host
from .text_file import read_text
from .tree import plain
from .upstream.ssh import first_key_type

NODES_CONFIG = "nodes-config.yaml"
_SHAPE = record(
    {"cpuArchitecture": STRING, "sshKey": STRING, "bootArtifactsBaseURL": STRING, "hosts": ListOf(AGENT_HOST)}
)


@dataclasses.dataclass(frozen=True)
class NodesConfig:
    """The content of the file. ``architecture`` (Go's name) and ``ssh_key`` override the cluster's; empty if not in the
    file. ``boot_artifacts_base_url`` is where the files of a network boot will be published.
    """

    hosts: tuple[Host, ...] = ()
    architecture: str = ""
    ssh_key: str = ""
    boot_artifacts_base_url: str = ""
    problems: tuple[Problem, ...] = ()


def read_nodes_config(directory: Path) -> NodesConfig:
    """The file of that directory, with every problem of names, types and what must be there; rules about hosts are
    elsewhere.
    """
    file = directory / NODES_CONFIG
    unread: list[Problem] = []
    text = read_text(file, unread)
    if text is None:
        return NodesConfig(problems=tuple(unread))
    item, problems = located.load(text, str(file))
    if item is None:
        return NodesConfig(problems=tuple(problems))
    if item.value is None:
        item = dataclasses.replace(item, value={})
    if not item.is_mapping:
        return _nothing(file, INVALID, "a mapping is expected")
    reader = Reader(any_case=True)
    document = plain(reader.read(item, _SHAPE) or dataclasses.replace(item, value={}))
    hosts = tuple(
        host_from_document(entry.get("hostname") or f"host-{index}", entry)
        for index, entry in enumerate(document.get("hosts", []))
    )
    ssh_key = str(document.get("sshKey", "")).strip()
    found = [*problems, *map(_lenient, reader.problems)]
    if not hosts:
        found.append(Problem("hosts", REQUIRED, "at least one host must be defined", file=str(file)))
    if ssh_key and not first_key_type(ssh_key):
        found.append(Problem("sshKey", INVALID, "ssh: no key found", file=str(file)))
    base_url = str(document.get("bootArtifactsBaseURL", "")).strip("/")
    return NodesConfig(hosts, str(document.get("cpuArchitecture", "")), ssh_key, base_url, tuple(found))


def _nothing(file: Path, kind: str, detail: str) -> NodesConfig:
    return NodesConfig(problems=(Problem("", kind, detail, file=str(file)),))


def _lenient(problem: Problem) -> Problem:
    """Upstream ignores unknown keys in this file."""
    return (
        dataclasses.replace(problem, kind=IGNORED, severity="warning", check="ignored-field")
        if problem.kind == UNKNOWN_FIELD
        else problem
    )
