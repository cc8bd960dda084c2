# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read the user's configuration files: install-config.yaml, agent-config.yaml, openshift/*.yaml, release.json."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path, PurePath

from ..common import json_text
from ..common.problems import IGNORED, INVALID, REQUIRED, SYNTAX, Problem
from . import located
from .documents import Documents, Parsed, Release, assemble
from .live_arguments import OPTION as LIVE_KERNEL_ARGUMENTS
from .live_arguments import read_arguments
from .paths import AGENT_CONFIG, INSTALL_CONFIG
from .spec import Deployment, ExtraManifest
from .text_file import is_missing, read_text
from .tree import Item
from .upgrade import AGENT_API_VERSION, Upgrade, find, put
from .upstream.defaults import role_order

RELEASE_FILE = "release.json"
MANIFESTS_DIRECTORY = "openshift"
_WANTED = "name the directory that holds install-config.yaml and agent-config.yaml"


def from_directory(
    path: Path, *, version: str = "", release_image: str = ""
) -> tuple[Deployment | None, list[Problem]]:
    """What the files of a directory mean; see :func:`read_directory`."""
    parsed = read_directory(path, version=version, release_image=release_image)
    return parsed.deployment, list(parsed.problems)


def read_directory(path: Path, *, version: str = "", release_image: str = "") -> Parsed:
    """The deployment that the files describe, with every problem of names, types and layout; each with file and line.

    ``version`` and ``release_image`` win over release.json. No file is changed. The deployment is None when a file is
    missing or is not YAML.
    """
    problems: list[Problem] = []
    install, agent = _documents(path, problems)
    manifests = read_manifests(path / MANIFESTS_DIRECTORY, problems) if (path / MANIFESTS_DIRECTORY).is_dir() else []
    release = read_release(path / RELEASE_FILE, version, release_image, problems)
    if install is None or agent is None:
        return Parsed(None, tuple(problems))
    upgrade = Upgrade()
    upgrade.install_config(install)
    upgrade.agent_config(agent)
    hosts = HostSource(install, agent)
    hosts.choose()
    parsed = assemble(install, agent, release, manifests=manifests)
    found = (*problems, *upgrade.problems, *hosts.problems, *parsed.problems)
    return dataclasses.replace(
        parsed,
        problems=tuple(dict.fromkeys(found)),
        documents=_with_refusals(parsed, install, agent, problems, upgrade.refused),
    )


def _with_refusals(
    parsed: Parsed, install: Item, agent: Item, problems: list[Problem], refused: set[str]
) -> Documents | None:
    """What is known of the documents, and how far the installer reads their files: not beyond a mistake in YAML, nor
    beyond a version it refuses.
    """
    if parsed.documents is None:
        return None
    broken = {problem.file for problem in problems if problem.severity == "error"}
    return dataclasses.replace(
        parsed.documents,
        install_unread=parsed.documents.install_unread or install.file in broken,
        agent_unread=parsed.documents.agent_unread or agent.file in broken,
        install_refused=install.file in refused,
        agent_refused=agent.file in refused,
    )


def _documents(path: Path, problems: list[Problem]) -> tuple[Item | None, Item | None]:
    install_file, agent_file = path / INSTALL_CONFIG, path / AGENT_CONFIG
    if is_missing(install_file):
        if not path.is_dir():
            detail = "there is no such directory" if is_missing(path) else "this is not a directory"
            problems.append(Problem("", REQUIRED, detail, layer="ours", file=str(path), hint=_WANTED))
        else:
            problems.append(Problem("", REQUIRED, "there is no install-config.yaml here", file=str(path), hint=_WANTED))
        return None, None
    install = _document(install_file, problems)
    if is_missing(agent_file):
        return install, Item({"apiVersion": Item(AGENT_API_VERSION, "")}, "", str(agent_file), 0)
    return install, _document(agent_file, problems)


def _document(file: Path, problems: list[Problem]) -> Item | None:
    text = read_text(file, problems)
    if text is None:
        return None
    item, found = located.load(text, str(file))
    problems += found
    if item is not None and item.value is None:
        item.value = {}
    if item is not None and not item.is_mapping:
        problems.append(Problem("", INVALID, "a mapping is expected", file=str(file), line=item.line))
        return None
    return item


def read_manifests(directory: Path, problems: list[Problem]) -> list[ExtraManifest]:
    """The extra manifests of a directory, sorted by name, not recursive.

    Source: openshift/installer pkg/asset/agent/manifests.
    """
    manifests = []
    try:
        names = sorted(name for name in os.listdir(directory) if PurePath(name).suffix in (".yaml", ".yml"))
    except OSError as error:
        problems.append(Problem("", INVALID, f"cannot be read: {error.strerror}", layer="ours", file=str(directory)))
        return []
    for name in names:
        text = read_text(directory / name, problems)
        if text is not None:
            problems += check_manifest(text, str(directory / name))
            manifests.append(ExtraManifest(name, text))
    return manifests


def check_manifest(text: str, file: str, path: str = "") -> list[Problem]:
    """Whether every document of a manifest is a mapping in valid YAML."""
    items, problems = located.load_all(text, file, strict=False)
    for item in items:
        if item.value is not None and not item.is_mapping:
            problems.append(Problem("", INVALID, "a Kubernetes object is expected", file=file, line=item.line))
    return [dataclasses.replace(problem, path=path or problem.path) for problem in problems]


def read_release(file: Path, version: str, release_image: str, problems: list[Problem]) -> Release:
    """What was named, else what release.json says; kernel arguments are in release.json only."""
    known = {}
    release_image = release_image.strip()
    if not is_missing(file):
        try:
            known = json_text.parse(read_text(file, problems) or "{}")
        except ValueError as error:
            line = getattr(error, "lineno", 0)
            problems.append(Problem("", SYNTAX, "this is not valid JSON", file=str(file), line=line))
    known = known if isinstance(known, dict) else {}
    # An image of another version than the recorded one would be a contradiction.
    recorded = known if not version or version == known.get("version") else {}
    recorded_image, tag = (str(recorded.get(key, "")) for key in ("release_image", "release_tag"))
    arguments, found = read_arguments(known.get(LIVE_KERNEL_ARGUMENTS), str(file))
    problems += found
    # A digest that the user took over from release.json is that of the recorded tag.
    pinned = tag if "@" in recorded_image and release_image in ("", recorded_image) else ""
    return Release(
        version or str(known.get("version", "")),
        release_image or recorded_image,
        pinned,
        live_kernel_arguments=arguments,
    )


class HostSource:
    """Which hosts count: those of agent-config.yaml, else platform.baremetal.hosts of install-config.yaml.

    Source: openshift/installer pkg/asset/agent/agentconfig/agenthosts.go.
    """

    def __init__(self, install: Item, agent: Item) -> None:
        self.install = install
        self.agent = agent
        self.problems: list[Problem] = []

    def choose(self) -> None:
        """Leave the hosts in the agent document, whichever file they come from."""
        platform = find(self.install, "platform")
        baremetal = find(platform, "baremetal") if platform else None
        old = find(baremetal, "hosts") if baremetal else None
        own = find(self.agent, "hosts")
        if old is None or not old.elements():
            return
        if own is not None and not own.is_list:
            return  # it cannot be read
        if own is not None and own.value:
            self.warn(old, "hosts-defined-twice", "hosts from install-config.yaml are ignored")
            return
        hosts = [self.converted(host) for host in sorted(old.elements(), key=_role_order) if host.is_mapping]
        put(self.agent, "hosts", dataclasses.replace(old, value=hosts))

    def converted(self, host: Item) -> Item:
        """A host of install-config.yaml as one of agent-config.yaml; unknown keys are reported where
        install-config.yaml is checked.
        """
        names = {
            "name": "hostname",
            "role": "role",
            "rootDeviceHints": "rootDeviceHints",
            "networkConfig": "networkConfig",
            "bmc": "bmc",
        }
        taken = {ours: find(host, theirs) for theirs, ours in names.items()}
        return dataclasses.replace(
            host, value={**{key: item for key, item in taken.items() if item}, "interfaces": self.interfaces(host)}
        )

    def interfaces(self, host: Item) -> Item:
        boot = find(host, "bootMACAddress")
        network = find(host, "networkConfig")
        found = []
        listed = network.get("interfaces") if network else None
        for interface in listed.elements() if listed else []:
            name, mac = interface.get("name"), interface.get("mac-address")
            if name and mac:
                found.append(dataclasses.replace(interface, value={"name": name, "macAddress": mac}))
        if boot is None:
            self.problems.append(
                Problem(
                    f"{host.path}.bootMACAddress",
                    REQUIRED,
                    "host bootMACAddress is required",
                    file=host.file,
                    line=host.line,
                )
            )
        else:
            if network is not None and boot.value not in [entry.value["macAddress"].value for entry in found]:
                name = find(host, "name")
                shown_name = name.value if name else ""
                self.warn(
                    boot, "boot-mac", (f"For host {shown_name}, BootMACAddress {boot.value} is not in NetworkConfig")
                )
            if not found:
                found.append(
                    dataclasses.replace(
                        boot, value={"name": dataclasses.replace(boot, value="boot"), "macAddress": boot}
                    )
                )
        return dataclasses.replace(host, value=found)

    def warn(self, item: Item, check: str, detail: str) -> None:
        self.problems.append(
            Problem(item.path, IGNORED, detail, severity="warning", check=check, file=item.file, line=item.line)
        )


def _role_order(host: Item) -> int:
    role = find(host, "role")
    return role_order(str(role.value) if role else "")
