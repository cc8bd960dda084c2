# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read and check a configuration directory.

It contains either install-config.yaml and agent-config.yaml, or a hand-written set of manifests.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator
from pathlib import Path, PurePath

from ..cluster.checked import all_problems
from ..cluster.documents import Parsed
from ..cluster.files import MANIFESTS_DIRECTORY, RELEASE_FILE, read_directory, read_manifests, read_release
from ..cluster.paths import AGENT_CONFIG, INSTALL_CONFIG
from ..cluster.profile import profile_of
from ..cluster.release import check_version
from ..cluster.render import render_files
from ..cluster.spec import Deployment, ExtraManifest
from ..common.problems import INVALID, REQUIRED, Problem, errors
from . import provided_set as names
from .extra import joined_manifests
from .note import NOTE, read_note
from .provided_deployment import assemble_set
from .provided_rules import set_problems
from .provided_set import ProvidedSet, is_provided_set, read_provided_set

_NMSTATE_FILE = PurePath(names.NMSTATE_CONFIG).name
_NO_RENDEZVOUS = (
    "missing rendezvousIP in agent-config, at least one host networkConfig, or at least one NMStateConfig manifest"
)


def read_source(path: Path, *, version: str = "", release_image: str = "") -> Parsed:
    """What a directory describes; the promise of :func:`read_directory`, for both forms.

    A set names its release image itself; one that ``release_image`` or release.json names must be the same.
    """
    if not is_provided_set(path):
        return read_directory(path, version=version, release_image=release_image)
    problems: list[Problem] = []
    manifests = _extra_manifests(path, problems)
    release = read_release(path / RELEASE_FILE, version, release_image, problems)
    provided = read_provided_set(path)
    found = set_problems(provided, profile_of(release.version), release.release_image)
    if errors(found):
        return Parsed(None, (*problems, *check_version(release.version, release.path), *found))
    image = release.release_image or str(
        provided.plain(names.CLUSTER_IMAGE_SET).get("spec", {}).get("releaseImage", "")
    )
    parsed = assemble_set(provided, dataclasses.replace(release, release_image=image), manifests)
    return dataclasses.replace(
        parsed,
        problems=tuple(dict.fromkeys([*problems, *found, *_of_agent_config(provided, parsed), *parsed.problems])),
    )


def _extra_manifests(path: Path, problems: list[Problem]) -> list[ExtraManifest]:
    """Those that were written with the set by ourselves are split already."""
    directory = path / MANIFESTS_DIRECTORY
    found = read_manifests(directory, problems) if directory.is_dir() else []
    try:
        noted = read_note(path)
    except OSError as error:
        problems.append(Problem("", INVALID, f"cannot be read: {error.strerror}", file=str(path / NOTE), layer="ours"))
        noted = {}
    return joined_manifests(
        found, {PurePath(name).name for name in noted if name.startswith(f"{MANIFESTS_DIRECTORY}/")}
    )


def _of_agent_config(provided: ProvidedSet, parsed: Parsed) -> Iterator[Problem]:
    """What of agent-config.yaml holds beside a set."""
    deployment = parsed.deployment
    if deployment is None:
        return
    file = provided.file(AGENT_CONFIG)
    listed = [host for host in deployment.hosts if host.listed]
    if listed and names.NMSTATE_CONFIG not in provided.texts:
        # The installer would make them of the hosts, for a cluster without an install-config.yaml: one of no replicas.
        role = next((host.role for host in listed if host.role), "worker")
        name = {"master": "ControlPlane", "arbiter": "Arbiter"}.get(role, "Compute")
        count = sum(1 for host in listed if (host.role or "worker") == role)
        detail = f"the number of {role} hosts defined ({count}) exceeds the configured {name} replicas (0)"
        hint = "beside hosts in agent-config.yaml a set needs a nmstateconfig.yaml"
        yield Problem("hosts", INVALID, detail, file=file, hint=hint)
    if not deployment.rendezvous_ip:
        yield Problem("rendezvousIP", REQUIRED, _NO_RENDEZVOUS, file=file)


def source_problems(
    parsed: Parsed, *, today: datetime.date | None = None, agent_iso: bool = True, image: bool = True
) -> list[Problem]:
    """As :func:`all_problems`; of a hand-written set only what the installer checks of one, and our own checks.

    ``image`` is False where manifests are wanted and nothing else: they need no rendezvous host.
    """
    found = all_problems(parsed, today=today, agent_iso=agent_iso)
    if not image:
        found = [problem for problem in found if problem.detail != _NO_RENDEZVOUS]
    if parsed.deployment is None or not parsed.deployment.provided_manifests:
        return found
    said = set(parsed.problems)
    return [
        problem
        for problem in found
        if problem in said or (problem.layer == "ours" and not _of_counts(problem)) or _of_hosts(problem)
    ]


def _of_hosts(problem: Problem) -> bool:
    """Whether a rule of the installer is about a host of agent-config.yaml or about a network; how many hosts there may
    be it does not check of a set.
    """
    named = PurePath(problem.file).name
    return (named == AGENT_CONFIG and problem.path.lower().startswith("hosts[")) or (
        named == _NMSTATE_FILE and problem.path.startswith("spec.config")
    )


def _of_counts(problem: Problem) -> bool:
    return problem.check == "fewer-hosts"


def configuration_files(deployment: Deployment) -> dict[str, str]:
    """Relative path -> text of the configuration directory: the documents of the cluster, or the set as it was given;
    openshift/*, release.json.
    """
    files = render_files(deployment)
    if not deployment.provided_manifests:
        return files
    return {
        **deployment.provided_manifests,
        **{path: text for path, text in files.items() if path not in (INSTALL_CONFIG, AGENT_CONFIG)},
    }
