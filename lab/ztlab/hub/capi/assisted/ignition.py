# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the Ignition that an OpenshiftAssistedConfig adds to the discovery boot and to the installed system. Pure
functions.

Source: openshift-assisted/cluster-api-provider-openshift-assisted bootstrap/internal/ignition/ignition.go.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import random
import re
import shlex
from collections.abc import Mapping
from typing import Any

from ...discovery.ignition import merge
from . import scripts

VERSION = "3.1.0"
OVERRIDE_VERSIONS = ("3.0.0", "3.1.0")
SENTINEL_DIR, POST_KUBECONFIG = "/var/lib/capoa", "/var/lib/kubelet/kubeconfig"
_VARIABLE = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
# Members of a config of specification 3.1. Members of newer specifications are lost when a config is read as 3.1
# (coreos/ignition config/v3_1/types).
_KNOWN: Mapping[str, Any] = {
    "ignition": ("version", "config", "timeouts", "security", "proxy"),
    "passwd": ("users", "groups"),
    "storage": ("disks", "raid", "filesystems", "files", "directories", "links"),
    "systemd": ("units",),
}


class Invalid(ValueError):
    """A field of a config that the provider refuses."""


@dataclasses.dataclass(frozen=True)
class Labels:
    """``pairs``: label -> text for the kubelet, with ${VARIABLE} where the value is one."""

    pairs: Mapping[str, str]
    variables: frozenset[str]


def _variable(value: str, what: str) -> str:
    name = value.removeprefix("$").removeprefix("{").removesuffix("}")
    if not _VARIABLE.match(name):
        raise Invalid(f"{what}: {value!r} names no variable")
    return name


def read_labels(listed: list[str]) -> Labels:
    """Labels without "=" are dropped. Raises Invalid."""
    pairs, variables = {}, set()
    for entry in listed:
        key, mark, value = entry.partition("=")
        if not mark:
            continue
        if value.startswith("$"):
            name = _variable(value, "invalid kubelet extra labels")
            variables.add(name)
            value = f"${{{name}}}"
        pairs[key] = value
    return Labels(pairs, frozenset(variables))


def _provider_id(text: str) -> tuple[str, frozenset[str]]:
    """(value for the script, variables). A value with a variable further back is a static one. Raises Invalid."""
    text = text.strip()
    if text.startswith("$"):
        name = _variable(text, "invalid providerID")
        return f'"${{{name}}}"', frozenset([name])
    return shlex.quote(text), frozenset()


def _file(path: str, mode: int, text: str) -> dict[str, Any]:
    source = "data:text/plain;charset=utf-8;base64," + base64.b64encode(text.encode()).decode()
    return {"path": path, "mode": mode, "overwrite": True, "user": {"name": "root"}, "contents": {"source": source}}


def _typed(document: dict[str, Any]) -> dict[str, Any]:
    """With the members that a config of 3.1 always has once upstream has read it, empty or not."""
    storage = document.get("storage") or {}
    nodes = [entry for member in ("files", "directories", "links") for entry in storage.get(member) or []]
    for node in nodes:
        node |= {member: node.get(member) or {} for member in ("group", "user")}
    for file in storage.get("files") or []:
        file["contents"] = {"verification": {}, **(file.get("contents") or {})}
        for part in file.get("append") or []:
            part.setdefault("verification", {})
    return {section: {} for section in _KNOWN} | document


def _unit(name: str, text: str) -> dict[str, Any]:
    return {"name": name, "enabled": True, "contents": text}


Part = tuple[dict[str, Any], dict[str, Any]]


def _metadata() -> Part:
    return _unit(scripts.METADATA_UNIT, scripts.METADATA_SERVICE), _file(
        "/usr/local/bin/configdrive_metadata", 0o755, scripts.METADATA
    )


def _hostname(reference: str) -> Part:
    variable = re.sub(r"[${}]", "", reference)
    return _unit(scripts.HOSTNAME_UNIT, scripts.HOSTNAME_SERVICE), _file(
        "/usr/local/bin/set_hostname", 0o755, scripts.set_hostname(variable)
    )


def _kubelet(labels: Labels, provider: str, variables: frozenset[str]) -> Part:
    """Upstream walks through maps: the order differs from pass to pass (defect D7)."""
    pairs, names = list(labels.pairs.items()), list(labels.variables | variables)
    random.shuffle(pairs)
    random.shuffle(names)
    script = scripts.kubelet_labels(pairs, provider, names)
    return _unit(scripts.LABELS_UNIT, scripts.LABELS_SERVICE), _file(
        "/usr/local/bin/kubelet_custom_labels", 0o755, script
    )


def _commands(spec: Mapping[str, Any], phase: str) -> Part:
    directory = (spec.get("bootstrapCommandSentinelDir") or SENTINEL_DIR).rstrip("/")
    sentinel = f"{directory}/{phase}-bootstrap.done"
    # Defect D6: postBootstrapKubeconfigPath does not get here.
    text = scripts.commands(
        list(spec[f"{phase}BootstrapCommands"]), directory, sentinel, POST_KUBECONFIG if phase == "post" else ""
    )
    unit = _unit(f"capoa-{phase}-bootstrap.service", scripts.commands_service(phase, sentinel))
    return unit, _file(f"/usr/local/bin/capoa-{phase}-bootstrap.sh", 0o700, text)


def _document(parts: list[Part]) -> dict[str, Any]:
    document: dict[str, Any] = {
        "ignition": {
            "config": {"replace": {"verification": {}}},
            "proxy": {},
            "security": {"tls": {}},
            "timeouts": {},
            "version": VERSION,
        },
        "passwd": {},
        "storage": {},
        "systemd": {},
    }
    if parts:
        document["storage"] = {"files": [file for _unit_of, file in parts]}
        document["systemd"] = {"units": [unit for unit, _file_of in parts]}
    return document


def for_discovery(data: bytes, spec: Mapping[str, Any]) -> bytes:
    """The bootstrap data: what was downloaded, unchanged unless the host gets a name.

    Raises ValueError for what is no JSON.
    """
    name = (spec.get("nodeRegistration") or {}).get("name")
    if not name:
        return data
    base = known_members(json.loads(data))
    merged = _typed(merge(base, _document([_metadata(), _hostname(name)])))
    # The version stays that of the download, so that the config no longer is what it claims to be.
    merged["ignition"]["version"] = (base.get("ignition") or {}).get("version") or VERSION
    return json.dumps(merged, separators=(",", ":")).encode()


def known_members(document: Mapping[str, Any]) -> dict[str, Any]:
    """A config read as one of 3.1: members of newer specifications are lost (defect D19)."""
    kept: dict[str, Any] = {}
    for section, members in _KNOWN.items():
        if section in document:
            kept[section] = {name: value for name, value in (document[section] or {}).items() if name in members}
    return kept


def for_installation(spec: Mapping[str, Any], override: str = "") -> str:
    """The Agent's ignitionConfigOverrides, never empty. ``override``: the annotation's text. Raises Invalid."""
    registration = spec.get("nodeRegistration") or {}
    labels = read_labels(list(registration.get("kubeletExtraLabels") or []))
    provider, variables = (
        _provider_id(registration.get("providerID") or "") if registration.get("providerID") else ("", frozenset[str]())
    )
    parts: list[Part] = []
    if registration.get("name") or labels.pairs or provider:
        parts.append(_metadata())
    if labels.pairs or provider:
        parts.append(_kubelet(labels, provider, variables))
    if registration.get("name"):
        parts.append(_hostname(registration["name"]))
    parts += [_commands(spec, phase) for phase in ("pre", "post") if spec.get(f"{phase}BootstrapCommands")]
    if provider:
        parts.append(
            (
                _unit(scripts.PROVIDER_UNIT, scripts.PROVIDER_SERVICE),
                _file("/usr/local/bin/inject-provider-id", 0o755, scripts.PROVIDER),
            )
        )
    return json.dumps(_typed(_overridden(_document(parts), override)), separators=(",", ":"), sort_keys=True)


def _overridden(document: dict[str, Any], text: str) -> dict[str, Any]:
    if not text:
        return document
    try:
        override = json.loads(text)
    except ValueError:
        return document
    version = ((override.get("ignition") or {}).get("version") or "") if isinstance(override, dict) else ""
    if version not in OVERRIDE_VERSIONS:
        raise Invalid(
            "annotation openshiftassistedconfig.cluster.x-k8s.io/ignition-override: unsupported Ignition version "
            f"{version!r}"
        )
    return merge(document, override)


def kernel_arguments(spec: Mapping[str, Any]) -> str:
    """The Agent's installerArgs; "replace" becomes an option that assisted-service refuses (defect D13)."""
    words: list[str] = []
    for entry in spec.get("kernelArguments") or []:
        words += [f"--{entry.get('operation')}-karg", str(entry.get("value"))]
    return json.dumps(words, separators=(",", ":"))
