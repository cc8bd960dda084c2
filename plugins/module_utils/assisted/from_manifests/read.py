# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read a directory cluster-manifests, and return its documents together with all problems of the files.

Source: openshift/assisted-service cmd/agentbasedinstaller/register.go, cmd/agentbasedinstaller/import.go,
  cmd/agentbasedinstaller/host_config.go.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...cluster.located import load_all
from ...cluster.tree import plain
from ...common.errors import InvalidInput, ZeroTouchError
from ...common.problems import INVALID, REQUIRED, SYNTAX, Problem, errors
from .documents import Object, at, list_at, text_at
from .problems import problem

CLUSTER_MANIFESTS = "cluster-manifests"
EXTRA_MANIFESTS = ("openshift", "extra-manifests")
_FILES = {
    "pull_secret": ("pull-secret.yaml", "Secret"),
    "infra_env": ("infraenv.yaml", "InfraEnv"),
    "cluster_deployment": ("cluster-deployment.yaml", "ClusterDeployment"),
    "agent_cluster_install": ("agent-cluster-install.yaml", "AgentClusterInstall"),
    "cluster_image_set": ("cluster-image-set.yaml", "ClusterImageSet"),
}
_OF_A_CLUSTER = ("cluster_deployment", "agent_cluster_install", "cluster_image_set")
_NMSTATE = "nmstateconfig.yaml"
_OPERATORS = "operators.yaml"
# What the client's pattern *.y*ml takes.
_EXTRA = re.compile(r"^[^/]*\.y[^/]*ml$")
_PULL_SECRET = ".dockerconfigjson"
_TYPES: Mapping[str, Mapping[str, type]] = {
    "agent_cluster_install": {
        "spec.provisionRequirements.controlPlaneAgents": int,
        "spec.provisionRequirements.workerAgents": int,
        "spec.mastersSchedulable": bool,
        "spec.networking.userManagedNetworking": bool,
        "spec.networking.clusterNetwork": list,
        "spec.networking.serviceNetwork": list,
        "spec.networking.machineNetwork": list,
        "spec.apiVIP": str,
        "spec.apiVIPs": list,
        "spec.ingressVIP": str,
        "spec.ingressVIPs": list,
        "spec.ntpSources": list,
        "spec.compute": list,
    },
    "infra_env": {
        "spec.additionalNTPSources": list,
        "spec.ntpSources": list,
        "spec.kernelArguments": list,
        "spec.networkDiscoveryDelaySeconds": int,
    },
}
_TYPE_WORDS = {int: "a whole number", bool: "true or false", list: "a list", str: "text"}


@dataclasses.dataclass(frozen=True)
class Manifests:
    """The documents of one directory.

    Those of the cluster are empty where a running one is imported; ``extra`` is name -> bytes, in order.
    """

    pull_secret: str = dataclasses.field(repr=False)
    infra_env: Object
    cluster_deployment: Object
    agent_cluster_install: Object = dataclasses.field(repr=False)
    cluster_image_set: Object
    nmstate_configs: tuple[Object, ...] | None = None
    operators: tuple[Object, ...] = ()
    extra: Mapping[str, bytes] = dataclasses.field(default_factory=dict, repr=False)

    @property
    def cluster_name(self) -> str:
        return text_at(self.cluster_deployment, "spec", "clusterName")

    @property
    def infra_env_name(self) -> str:
        return text_at(self.infra_env, "metadata", "name")


def read_manifests(config_dir: Path, *, with_cluster: bool = True) -> Manifests:
    """The manifests of a directory that holds ``cluster-manifests/`` (and perhaps ``openshift/`` or
    ``extra-manifests/``), or is one itself.

    Raises :class:`InvalidInput` with every problem; the text of files is never in it.
    """
    if not config_dir.is_dir():
        raise ZeroTouchError(
            f"{config_dir} does not exist.",
            ("config_dir is a directory with cluster-manifests/ in it, or such a directory."),
        )
    inner = config_dir / CLUSTER_MANIFESTS
    return parse_manifests(
        _texts(inner if inner.is_dir() else config_dir), _extra(config_dir), with_cluster=with_cluster
    )


def parse_manifests(
    files: Mapping[str, str], extra: Mapping[str, bytes] | None = None, *, with_cluster: bool = True
) -> Manifests:
    """As :func:`read_manifests`, from file name -> text."""
    problems: list[Problem] = []
    found: dict[str, Object] = {}
    for name, (file, kind) in _FILES.items():
        needed = with_cluster or name not in _OF_A_CLUSTER
        documents = _documents(files, file, problems)
        if not documents and needed and not errors(problems):
            problems.append(_problem(file, REQUIRED, f"the file with the {kind} is missing or empty"))
        document = documents[0] if documents else {}
        if not isinstance(document, Mapping) or text_at(document, "kind") not in ("", kind):
            problems.append(_problem(file, INVALID, f"is not a {kind}"))
            document = {}
        found[name] = document
    nmstate = _documents(files, _NMSTATE, problems) if _NMSTATE in files else None
    operators = _documents(files, _OPERATORS, problems)
    listed = operators[0] if operators else []
    if not isinstance(listed, list) or not all(isinstance(item, Mapping) and text_at(item, "name") for item in listed):
        problems.append(_problem(_OPERATORS, INVALID, "is not a list of {name, properties}"))
        listed = []
    secret = found.pop("pull_secret")
    if errors(problems):
        raise InvalidInput(problems)
    kept = None if nmstate is None else tuple(item for item in nmstate if isinstance(item, Mapping))
    manifests = Manifests(
        _pull_secret(secret), nmstate_configs=kept, operators=tuple(listed), extra=dict(extra or {}), **found
    )
    problems = _check(manifests, with_cluster)
    if problems:
        raise InvalidInput(problems)
    return manifests


def _pull_secret(secret: Object) -> str:
    """The client reads ``stringData`` alone, so that a Secret with ``data`` gave it an empty pull secret: both are read
    here.

    Source: openshift/assisted-service cmd/agentbasedinstaller/register.go.
    """
    text = at(secret, "stringData", _PULL_SECRET)
    if text:
        return str(text)
    try:
        return base64.b64decode(text_at(secret, "data", _PULL_SECRET), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _check(manifests: Manifests, with_cluster: bool) -> list[Problem]:
    needed = [
        ("pull-secret.yaml", f"stringData[{_PULL_SECRET}]", manifests.pull_secret),
        ("infraenv.yaml", "metadata.name", manifests.infra_env_name),
    ]
    if with_cluster:
        install, requirements = manifests.agent_cluster_install, ("spec", "provisionRequirements", "controlPlaneAgents")
        needed += [
            ("cluster-deployment.yaml", "spec.clusterName", manifests.cluster_name),
            ("cluster-deployment.yaml", "spec.baseDomain", text_at(manifests.cluster_deployment, "spec", "baseDomain")),
            (
                "cluster-image-set.yaml",
                "spec.releaseImage",
                text_at(manifests.cluster_image_set, "spec", "releaseImage"),
            ),
            ("agent-cluster-install.yaml", ".".join(requirements), text_at(install, *requirements)),
        ]
    missing = [problem(path, REQUIRED, "is missing or empty", file=file) for file, path, value in needed if not value]
    return missing + [
        problem
        for name, fields in _TYPES.items()
        for problem in _wrong_types(getattr(manifests, name), _FILES[name][0], fields)
    ]


def _wrong_types(document: Object, file: str, fields: Mapping[str, type]) -> Iterator[Problem]:
    """Values of another type than the client can decode, which ends it; read leniently they would count as not
    given.
    """
    for path, kind in fields.items():
        value = at(document, *path.split("."))
        if value is not None and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
            yield problem(path, INVALID, f"must be {_TYPE_WORDS[kind]}", file=file)


def _documents(files: Mapping[str, str], file: str, problems: list[Problem]) -> list[Any]:
    if file not in files:
        return []
    items, found = load_all(files[file], file)
    problems += errors(found)
    return [plain(item) for item in items if item.value is not None]


def _texts(directory: Path) -> dict[str, str]:
    names = [*(file for file, _kind in _FILES.values()), _NMSTATE, _OPERATORS]
    return {name: _read(directory / name).decode("utf-8", "replace") for name in names if (directory / name).is_file()}


def _extra(config_dir: Path) -> dict[str, bytes]:
    directories = [config_dir / name for name in EXTRA_MANIFESTS if (config_dir / name).is_dir()]
    return {
        path.name: _read(path)
        for directory in directories
        for path in sorted(directory.iterdir())
        if path.is_file() and _EXTRA.match(path.name)
    }


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        why = error.strerror or error
        raise InvalidInput([_problem(str(path), SYNTAX, f"cannot be read: {why}")]) from error


def _problem(file: str, kind: str, detail: str) -> Problem:
    return problem("", kind, detail, file=file)


def label_problems(manifests: Manifests) -> list[str]:
    """Why NMStateConfigs do not belong to the InfraEnv, in the client's words.

    Source: openshift/assisted-service cmd/agentbasedinstaller/register.go.
    """
    wanted = at(manifests.infra_env, "spec", "nmStateConfigLabelSelector", "matchLabels") or {}
    for document in manifests.nmstate_configs or ():
        labels = at(document, "metadata", "labels")
        if not labels:
            return ["nmstateconfig should have at least one label set matching the infra-env label selector"]
        if not wanted:
            return ["infraenv does not have any labels set with NMStateConfigLabelSelector.MatchLabels"]
        if dict(labels) != dict(wanted):
            return ["infraenv and nmstateconfig labels do not match"]
    missing = [
        index
        for index, document in enumerate(manifests.nmstate_configs or ())
        if not list_at(document, "spec", "interfaces")
    ]
    return [f"nmstateconfig {index}: at least one interface must be given in spec.interfaces" for index in missing]
