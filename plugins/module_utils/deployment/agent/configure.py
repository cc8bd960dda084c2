# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check all user input and write the configuration directory from it, for module ``agent_config``.

First a plan is made, then it is applied; check mode stops in between.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import fcntl
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...cluster.documents import Parsed
from ...cluster.files import RELEASE_FILE
from ...cluster.paths import AGENT_CONFIG, INSTALL_CONFIG
from ...cluster.render import agent_config, install_config
from ...cluster.rules.checks import check_names, levels
from ...cluster.spec import Deployment
from ...cluster.variables import read_variables
from ...common.connect import DIRECT, ConnectTo
from ...common.errors import InvalidInput, ZeroTouchError
from ...common.files import SECRET_FILE, check_directory, ensure_directory, remove_leftovers, write_atomic
from ...common.problems import Problem, apply_checks, errors
from ...common.secrets import secret_data, secret_values
from ...manifests.source import configuration_files, read_source, source_problems
from ...nmstate.document import static_addresses
from ..state.work_dir import WorkDir
from .configuration_changes import DIRECTORIES, ConfigurationChange, changes, documents_of, shown
from .release_pin import CHECK as PINNING
from .release_pin import PinnedRelease, digest_of, pin_release, recorded_release

# The warning that mirrors are not used for tags.
_ABOUT_TAGS = "release-image-tag"


@dataclasses.dataclass(frozen=True)
class Input:
    """The user input: ``cluster`` and ``hosts`` (docs/reference/variables.md), or ``config_dir``.

    ``checks``: check name -> error, warn, off.

    ``agent_iso``: the cluster is installed by an agent ISO of its own, so one of its hosts must be the rendezvous host.
    """

    dest: Path
    cluster: Mapping[str, Any] | None = None
    hosts: Sequence[Mapping[str, Any]] = ()
    config_dir: Path | None = None
    version: str = ""
    release_image: str = ""
    agent_iso: bool = True
    checks: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @classmethod
    def of_options(cls, options: Mapping[str, Any], dest: Path) -> Input:
        """From :data:`INPUT_OPTIONS`."""
        return cls(
            dest=dest,
            cluster=options["cluster"],
            hosts=options["hosts"],
            config_dir=Path(options["config_dir"]) if options["config_dir"] else None,
            version=options["version"] or "",
            release_image=options["release_image"] or "",
            checks=options["checks"],
        )


# The options of modules that describe a cluster.
INPUT_OPTIONS: dict[str, Any] = {
    "cluster": {"type": "dict"},
    "hosts": {"type": "list", "elements": "dict", "default": []},
    "config_dir": {"type": "path"},
    "version": {"type": "str"},
    "release_image": {"type": "str"},
    "checks": {"type": "dict", "default": {}},
}


@dataclasses.dataclass(frozen=True)
class ConfigurePlan:
    """What the directory will hold and what has to change for it. ``problems`` are warnings only."""

    dest: Path
    deployment: Deployment
    files: Mapping[str, str]
    changes: tuple[ConfigurationChange, ...]
    problems: tuple[Problem, ...]
    release: PinnedRelease


@dataclasses.dataclass(frozen=True)
class ReleaseRegistry:
    """How the registry of the release image is asked.

    ``again``: also for a tag whose digest is known. ``work_dir`` has the state of the deployment.
    """

    connect_to: ConnectTo = DIRECT
    ca_cert: str = ""
    again: bool = False
    work_dir: Path | None = None


def _ignore_secrets(secrets: set[str]) -> None:
    """For callers that collect no secrets."""


def plan_configuration(
    provided: Input,
    *,
    registry: ReleaseRegistry = ReleaseRegistry(),
    today: datetime.date | None = None,
    tell_secrets: Callable[[set[str]], None] = _ignore_secrets,
) -> ConfigurePlan:
    """Read, check and render the input, and compare with what the directory holds. Writes nothing.

    ``today`` is what certificates are compared with; ``tell_secrets`` gets every secret of the input before anything
    else is said about it.
    Raises :class:`InvalidInput` with every problem, and :class:`ZeroTouchError` when the directory is not one to write
    to.
    """
    deployment, problems = read_input(provided, today=today, tell_secrets=tell_secrets)
    _refuse_foreign(provided)
    release = _pin(provided, deployment, registry)
    if release.deployment.cluster.release_tag:
        problems = tuple(problem for problem in problems if problem.check != _ABOUT_TAGS)
    problems = (*problems, *apply_checks([release.problem] if release.problem else [], levels(provided.checks)))
    if errors(problems):
        raise InvalidInput(problems)
    files = configuration_files(release.deployment)
    return ConfigurePlan(
        provided.dest, release.deployment, files, tuple(changes(provided.dest, files)), problems, release
    )


def _pin(provided: Input, deployment: Deployment, registry: ReleaseRegistry) -> PinnedRelease:
    checks = levels(provided.checks)
    cluster = deployment.cluster
    ask = (
        None
        if checks.get(PINNING) == "off"
        else partial(digest_of, ca_cert=registry.ca_cert, connect_to=registry.connect_to)
    )
    recorded = recorded_release(provided.dest, cluster.version)
    return pin_release(deployment, recorded, ask, again=registry.again, built=_is_built(registry.work_dir))


def _is_built(work_dir: Path | None) -> bool:
    """Whether there is, or may be, an image of this deployment."""
    try:
        return work_dir is not None and bool(WorkDir(work_dir).state.section("image"))
    except ZeroTouchError:
        return True  # a state that cannot be read is reported by those that need it


def compared_again(plan: ConfigurePlan) -> ConfigurePlan:
    """The same with what the directory holds now: another run may have written there since."""
    return dataclasses.replace(plan, changes=tuple(changes(plan.dest, plan.files)))


def read_input(
    provided: Input, *, today: datetime.date | None = None, tell_secrets: Callable[[set[str]], None] = _ignore_secrets
) -> tuple[Deployment, tuple[Problem, ...]]:
    """The deployment that the input describes, and the warnings about it.

    Raises :class:`InvalidInput` with every problem.
    """
    checks = levels(provided.checks)
    parsed = _parse(provided)
    if parsed.deployment is not None:
        tell_secrets(_secrets_of(parsed.deployment))
    problems = [
        *check_names(checks),
        *apply_checks(source_problems(parsed, today=today, agent_iso=provided.agent_iso), checks),
    ]
    if errors(problems) or parsed.deployment is None:
        raise InvalidInput(problems)
    return parsed.deployment, tuple(problems)


def _secrets_of(deployment: Deployment) -> set[str]:
    bmcs = [{"password": host.bmc.password} for host in deployment.hosts if host.bmc]
    texts = [
        *(manifest.text for manifest in deployment.cluster.extra_manifests),
        *deployment.provided_manifests.values(),
    ]
    manifests = [document for text in texts for document in documents_of(text)]
    in_manifests = {text for document in manifests for text in secret_data(document)}
    return secret_values([install_config(deployment.cluster), agent_config(deployment), bmcs, manifests]) | in_manifests


def apply_plan(plan: ConfigurePlan) -> None:
    """Write what the plan says: files 0600, directories 0700, each file whole or not at all."""
    if not plan.changes:
        return
    ensure_directory(plan.dest)
    with _alone_in(plan.dest):
        _write(plan)


@contextlib.contextmanager
def _alone_in(directory: Path) -> Iterator[None]:
    """One process at a time, which takes milliseconds: what looks like a leftover may be a file that another one is
    writing.
    """
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _write(plan: ConfigurePlan) -> None:
    remove_leftovers(plan.dest)
    # release.json first: it marks the directory as ours, should the run be killed before it ends.
    for change in sorted(plan.changes, key=lambda change: change.path != RELEASE_FILE):
        path = plan.dest / change.path
        if change.after is None:
            path.unlink(missing_ok=True)
        else:
            ensure_directory(path.parent)
            write_atomic(path, change.after, SECRET_FILE)
    for leftover in (plan.dest / directory for directory in DIRECTORIES):
        if leftover.is_dir() and not any(leftover.iterdir()):
            leftover.rmdir()


def describe(plan: ConfigurePlan) -> dict[str, Any]:
    """The result of the module (docs/conventions.md#results)."""
    cluster = plan.deployment.cluster
    return {
        "changed": bool(plan.changes),
        "dest": str(plan.dest),
        "files": list(plan.files),
        "changes": [
            {"path": change.path, "action": change.action, "reason": change.reason, "form_only": change.form_only}
            for change in plan.changes
        ],
        "changed_files": [change.path for change in plan.changes if not change.form_only],
        "cluster_name": cluster.name,
        "api_url": cluster.api_url,
        "version": cluster.version,
        "release_image": cluster.release_image,
        "registry_asked": plan.release.asked,
        "rendezvous_ip": plan.deployment.rendezvous_ip,
        "replicas": cluster.replicas,
        "hosts": [
            {
                "name": host.name,
                "hostname": host.hostname,
                "role": host.role,
                "macs": list(host.macs),
                "static_ips": [address.ip for address in static_addresses(host.network_config)],
            }
            for host in plan.deployment.hosts
        ],
        "problems": [problem.as_dict() for problem in plan.problems],
    }


def describe_diff(plan: ConfigurePlan) -> list[dict[str, str]]:
    """Differences of each file for Ansible's diff; secrets hidden, whatever form they have in the file."""
    return [
        {
            "before_header": str(plan.dest / change.path),
            "after_header": str(plan.dest / change.path),
            "before": shown(change.path, change.before),
            "after": shown(change.path, change.after),
        }
        for change in plan.changes
    ]


def _parse(provided: Input) -> Parsed:
    if provided.config_dir is not None:
        return read_source(provided.config_dir, version=provided.version, release_image=provided.release_image)
    return read_variables(
        provided.cluster or {}, provided.hosts, version=provided.version, release_image=provided.release_image
    )


def _refuse_foreign(provided: Input) -> None:
    """Refuse to change a user's own files: the source directory, or a directory that this collection did not create."""
    dest = provided.dest
    check_directory(dest, "Name another directory as dest (openshift_work_dir).")
    if provided.config_dir is not None and dest.resolve() == provided.config_dir.resolve():
        raise ZeroTouchError(
            f"dest and config_dir are both {dest}.",
            ("The collection does not change your files. Set dest to another directory."),
        )
    if not (dest / RELEASE_FILE).exists() and any(
        (dest / name).exists() for name in (INSTALL_CONFIG, AGENT_CONFIG, *DIRECTORIES)
    ):
        raise ZeroTouchError(
            f"{dest} holds configuration files that this collection did not write.", "Name another directory as dest."
        )
