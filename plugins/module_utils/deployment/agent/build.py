# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Build the agent ISO and the credentials of its cluster from a configuration directory and a base image, for module
``agent_image``.

First a plan is made, then it is applied; check mode stops in between. Secrets are generated once and saved before
anything is built from them, so that the run after an interrupted one uses the same secrets.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from ...cluster.paths import AGENT_CONFIG
from ...cluster.spec import Cluster, Deployment
from ...common.errors import InvalidInput, ZeroTouchError
from ...common.files import SECRET_DIRECTORY, SECRET_FILE, ensure_directory, remove_leftovers, write_atomic, write_fault
from ...common.listed import listed
from ...common.problems import UNSUPPORTED, Problem
from ...common.secrets import secret_values
from ...ignition.live import LiveIgnition, build_live_ignition
from ...ignition.secrets import BuildSecrets, from_state, make_secrets
from ...image.boot_artifacts import ArtifactNames
from ...manifests.cluster_manifests import render_manifests
from ...manifests.source import configuration_files, read_source, source_problems
from ..state.recovery import Recovered, recover
from ..state.work_dir import WorkDir, check_place, cluster_section, loose_mode
from .base_image import BaseImage, BaseImageSource, ReadyBase, check_fit, find_base, stream_of, target_of
from .build_files import TextFile, small_files
from .configure import Input
from .configure import read_input as described
from .inputs import input_digests
from .product import Kind, Made, Product, about_boot, kind_of, make_product, order, path_of, plan_product
from .release_pin import recorded_release, with_recorded_pin

Engine = Literal["auto", "native", "openshift_install"]
KINDS = ("iso", "minimal_iso", "pxe", "config_iso")
ENGINES = ("auto", "native", "openshift_install")
BUILT_ENGINES = ("auto", "native")
_DEFAULT_ARCHITECTURE = "x86_64"
_MOST_NAMES = 3
_CLOUD_CONTROLLER_PLATFORM = "oci"


@dataclasses.dataclass(frozen=True)
class BuildRequest:
    """What the user asks for.

    ``description`` is, in check mode, what ``config_dir`` would be written from; ``new_secrets`` replaces those of a
    cluster that is given up. ``reading`` are hosts that run from the image: it may only be built as it was. ``kind``
    iso becomes minimal_iso where the configuration asks for that.
    """

    config_dir: Path
    work_dir: Path
    base: BaseImage
    source: BaseImageSource
    kind: Kind = "iso"
    engine: Engine = "auto"
    force: bool = False
    checksum: bool = False
    description: Input | None = None
    new_secrets: bool = False
    reading: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class BuildPlan:
    """What :func:`apply_build` does.

    ``former`` are files of auth/ that lead to another cluster than the new secrets will. ``deployment``, ``ignition``
    and ``product`` are None where check mode only knows that they will be made.
    """

    request: BuildRequest
    base: ReadyBase
    kind: Kind
    names: ArtifactNames
    deployment: Deployment | None = None
    secrets: BuildSecrets | None = None
    new_secrets: bool = False
    ignition: LiveIgnition | None = None
    product: Product | None = None
    files: tuple[TextFile, ...] = ()
    reason: str = ""
    former: tuple[Path, ...] = ()
    loose: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def image_path(self) -> Path:
        return path_of(WorkDir(self.request.work_dir), self.kind, self.names)

    @property
    def image_steps(self) -> tuple[str, ...]:
        """What is made of the base image, a line for each change."""
        if self.product is None:
            return (f"build {self.image_path}: {self.reason}",)
        return self.product.steps

    @property
    def image_changed(self) -> bool:
        return bool(self.image_steps)

    @property
    def changed(self) -> bool:
        return self.image_changed or bool(self.files or self.loose)

    @property
    def steps(self) -> tuple[str, ...]:
        """The plan in words, a line for each change."""
        tighten = (
            (
                (
                    f"change the mode of {self.request.work_dir} from {self.loose:04o} to {SECRET_DIRECTORY:04o}: it "
                    "holds "
                    "credentials"
                ),
            )
            if self.loose
            else ()
        )
        why = "the former ones are given up" if self.request.new_secrets else "there are none yet"
        secrets = (f"create tokens, signing keys and the kubeadmin password: {why}",) if self.new_secrets else ()
        former = (f"keep {path} beside its successor" for path in self.former)
        return (
            *filter(None, (self.base.note,)),
            *tighten,
            *secrets,
            *former,
            *(f"write {file.path}: {file.reason}" for file in self.files),
            *self.image_steps,
        )

    def secret_values(self) -> set[str]:
        """What must not appear in any output."""
        found: set[str] = set()
        if self.secrets is not None:
            found |= set(self.secrets.values())
        if self.deployment is not None:
            found |= secret_values(
                {
                    "pull_secret": self.deployment.cluster.pull_secret,
                    "overrides": dict(self.deployment.cluster.platform_options),
                }
            )
        return found


def _no_redaction(secrets: set[str]) -> None:
    """For callers that print nothing."""


def read_input(
    request: BuildRequest, *, check_mode: bool = False, add_secrets: Callable[[set[str]], None] = _no_redaction
) -> BuildPlan:
    """The user's input, before the work directory is read. Only a base image by URL may be written (into its cache).

    ``add_secrets`` gets the secrets of a description before a message can contain them.
    Raises :class:`InvalidInput` with every problem of the input, and :class:`ZeroTouchError` for a base image or
    content that cannot be used.
    """
    _refuse_unbuilt(request)
    check_place(request.work_dir)
    deployment = (
        _described(request, request.description, add_secrets)
        if request.description
        else _read(request.config_dir, check_mode)
    )
    target = target_of(deployment.cluster) if deployment else None
    base = find_base(request.base, request.source, check_mode=check_mode, target=target, record=_recorded(request))
    arch = base.image.arch if base.image else ""
    if deployment:
        arch = deployment.cluster.architecture
    warnings = list(base.warnings)
    if deployment is not None and base.image is not None:
        warnings += check_fit(base.image, deployment.cluster.version, arch, stream_of(deployment.cluster))
    kind = kind_of(request.kind, deployment.cluster) if deployment else request.kind
    names = ArtifactNames("agent", arch or _DEFAULT_ARCHITECTURE)
    return BuildPlan(
        request, base, kind, names, deployment, loose=loose_mode(request.work_dir), warnings=tuple(warnings)
    )


def complete_plan(plan: BuildPlan) -> BuildPlan:
    """Draw what is missing in memory, and compare with what is there.

    Raises :class:`ZeroTouchError` for what cannot be built or is damaged.
    """
    if plan.deployment is None:
        return dataclasses.replace(plan, reason=f"{plan.request.config_dir} does not exist yet; agent_config writes it")
    return _complete(plan, plan.deployment)


def _recorded(request: BuildRequest) -> Mapping[str, Any]:
    """The look-up of the base image that this deployment keeps to; empty for a new installation, and where rebuilding
    from the newest was requested.
    """
    if not request.base.release or request.new_secrets or (request.force and not request.reading):
        return {}
    return WorkDir(request.work_dir).state.section("image").get("stream") or {}


def _refuse_unbuilt(request: BuildRequest) -> None:
    if request.engine not in BUILT_ENGINES:
        raise InvalidInput(
            [
                Problem(
                    "engine",
                    UNSUPPORTED,
                    f"engine {request.engine} is not part of this version",
                    layer="ours",
                    check="image",
                )
            ]
        )


def _described(request: BuildRequest, description: Input, add_secrets: Callable[[set[str]], None]) -> Deployment:
    """The deployment of a description, as ``config_dir`` will have it."""
    deployment = described(description, tell_secrets=add_secrets)[0]
    return with_recorded_pin(deployment, recorded_release(request.config_dir, deployment.cluster.version))


def _read(config_dir: Path, check_mode: bool) -> Deployment | None:
    """The deployment; None in check mode for a directory that another module would make first."""
    if not config_dir.is_dir():
        if check_mode:
            return None
        raise ZeroTouchError(
            f"{config_dir} does not exist.",
            "config_dir is the directory that agent_config writes, with install-config.yaml and agent-config.yaml or "
            "with cluster-manifests/.",
        )
    parsed = read_source(config_dir)
    # Severities of our own checks are the user's choice (openshift_checks), which agent_config knows; here only what
    # cannot be built counts.
    unreadable = [problem for problem in parsed.problems if problem.severity == "error"]
    refused = [
        problem for problem in source_problems(parsed) if problem.severity == "error" and problem.layer == "installer"
    ]
    problems = list(dict.fromkeys([*unreadable, *refused]))
    if problems or parsed.deployment is None:
        raise InvalidInput(problems or parsed.problems)
    return parsed.deployment


def _complete(plan: BuildPlan, deployment: Deployment) -> BuildPlan:
    """The plan with everything that follows from the deployment."""
    work_dir = WorkDir(plan.request.work_dir)
    recovered = recover(work_dir, deployment)
    known = None if plan.request.new_secrets else from_state(recovered.state.get("secrets") or {})
    if known is None and not plan.request.new_secrets:
        _refuse_lost(work_dir, recovered)
    secrets = known or make_secrets()
    files = small_files(plan.request.work_dir, deployment, secrets, replace=known is None)
    former = tuple(path for path in work_dir.credentials if path.exists()) if known is None else ()
    warnings = (*plan.warnings, *(() if plan.request.new_secrets else recovered.notes))
    plan = dataclasses.replace(
        plan, secrets=secrets, new_secrets=known is None, files=files, former=former, warnings=warnings
    )
    if plan.base.image is None:
        return dataclasses.replace(plan, reason="the base image is not here yet")
    cluster = deployment.cluster
    os_image = plan.base.os_image(cluster.version, cluster.architecture)
    ignition = build_live_ignition(
        deployment,
        render_manifests(deployment),
        secrets,
        os_image,
        agent_config=_agent_config(plan.request, deployment),
    )
    wanted = order(
        plan.kind,
        plan.names,
        plan.base,
        cluster.boot_artifacts_base_url,
        tuple(kernel_arguments(cluster)),
        force=plan.request.force,
    )
    product = plan_product(
        plan.base.image,
        work_dir,
        wanted,
        ignition,
        recovered.state.get("image") or {},
        plan.request.source.check(plan.base.provided),
    )
    reported = (*plan.warnings, *about_boot(wanted, deployment))
    return dataclasses.replace(plan, ignition=ignition, product=product, reason=product.reason, warnings=reported)


def _agent_config(request: BuildRequest, deployment: Deployment) -> bytes | None:
    """The file, or what it would be written as, for the image; None without one."""
    if request.description:
        text = configuration_files(deployment).get(AGENT_CONFIG)
        return None if text is None else text.encode()
    path = request.config_dir / AGENT_CONFIG
    return path.read_bytes() if path.is_file() else None


def _refuse_lost(work_dir: WorkDir, recovered: Recovered) -> None:
    """No new secrets over those of a cluster that may run."""
    if "secrets" in recovered.lost and work_dir.kubeconfig.exists():
        raise ZeroTouchError(
            f"{work_dir.state.path} has no tokens and keys of this cluster, and they cannot be restored. "
            f"{work_dir.kubeconfig} may still work.",
            "Restore state.json. To abandon that cluster: -e openshift_force=start_over -e openshift_confirm=NAME.",
        )


def kernel_arguments(cluster: Cluster) -> list[str]:
    """What is appended to the live system's kernel arguments.

    Source: openshift/installer pkg/asset/agent/image/agentimage.go.
    """
    console = (
        cluster.platform == "external" and cluster.platform_options.get("platformName") == _CLOUD_CONTROLLER_PLATFORM
    )
    return [
        *(["console=ttyS0"] if console else []),
        *(["fips=1"] if cluster.fips else []),
        *cluster.live_kernel_arguments,
    ]


def apply_build(
    plan: BuildPlan, now: Callable[[], datetime.datetime] = lambda: datetime.datetime.now(datetime.UTC)
) -> Made:
    """Carry out a complete plan: secrets, credentials, image, state, in this order.

    Plan and carry out within one :func:`one_run`: what was drawn in memory must not meet what another run has drawn
    meanwhile.

    Raises :class:`ZeroTouchError` when something cannot be written; an earlier image is then still there.
    """
    if plan.deployment is None or plan.secrets is None or plan.ignition is None or plan.product is None:
        raise ZeroTouchError(
            "This plan was made in check mode, so it has no content to write.",
            "Run without check mode. If this run was not in check mode, report a bug of the collection.",
        )
    work_dir = plan.request.work_dir
    state = WorkDir(work_dir).state
    ensure_directory(work_dir)
    for directory in (work_dir, WorkDir(work_dir).kubeconfig.parent):
        remove_leftovers(directory)
    if plan.loose:
        _tighten(work_dir)
    if plan.new_secrets:
        _give_up_former(plan, now())
    if state.section("secrets") != plan.secrets.to_state():
        with state.edit() as document:
            document["secrets"] = plan.secrets.to_state()
            if plan.new_secrets:
                # Neither the image nor what became of it is this cluster's: a run that ends here has to be taken up
                # from the beginning.
                document.pop("image", None)
                document["install"] = {"phase": "built"}
    for file in plan.files:
        write_atomic(file.path, file.text, SECRET_FILE)
    before = state.section("image")
    made = make_product(plan.product, checksum=plan.request.checksum or bool(plan.request.reading))
    if plan.request.reading and plan.image_changed:
        _require_same(plan, made, before)
    with state.edit() as document:
        document["cluster"] = cluster_section(plan.deployment)
        if made.section:
            document["image"] = _image_section(plan, plan.ignition, made, document.get("image") or {}, now)
        document.setdefault("install", {}).setdefault("phase", "built")
    return made


def _require_same(plan: BuildPlan, made: Made, before: Mapping[str, Any]) -> None:
    """Delete each file that is not, byte for byte, the one that hosts run from. Raises :class:`ZeroTouchError` then."""
    others = [path for path, now, then in _files_made(plan, made, before) if not _is_same(now, then)]
    if not others:
        return
    for path in others:
        path.unlink(missing_ok=True)
    base = before.get("base") or {}
    sha256 = base.get("sha256") or "not recorded"
    raise ZeroTouchError(
        f"{listed(plan.request.reading, _MOST_NAMES)} run from an image that cannot be built again: the base image or "
        "this collection's version is not the "
        f"one of the first build (base image SHA-256 {sha256}). Nothing is served to them.",
        "Set openshift_base_image to the same file as before and run again. To abandon this installation: -e "
        "openshift_force=start_over -e openshift_confirm=NAME.",
    )


def _files_made(
    plan: BuildPlan, made: Made, before: Mapping[str, Any]
) -> Iterator[tuple[Path, Mapping[str, Any], Mapping[str, Any]]]:
    """Each file with its record and the record before this build: the image, and the files of a network boot."""
    former, records = before.get("artifacts") or {}, made.section.get("artifacts") or {}
    paths = {artifact.path.name: artifact.path for artifact in plan.product.artifacts} if plan.product else {}
    for name, record in records.items():
        yield paths[name], record, former.get(name) or {}
    if plan.image_path not in paths.values():
        yield plan.image_path, {**made.section, "sha256": made.sha256, "size": made.size}, before


def _is_same(made: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    """Compares digests where the former file has one, else what the file is made of."""
    known = "sha256" if before.get("sha256") else "recipe"
    return bool(
        made.get("size") == before.get("size") and made.get(known, "") == (before.get(known) or made.get(known, ""))
    )


def _tighten(directory: Path) -> None:
    try:
        directory.chmod(SECRET_DIRECTORY)
    except OSError as error:
        raise write_fault(error, directory) from error


def _give_up_former(plan: BuildPlan, now: datetime.datetime) -> None:
    """Move credentials aside: until its machines boot the new image, the former cluster runs, and they are the only way
    into it.
    """
    for path in plan.former:
        path.rename(path.with_name(f"{path.name}.until-{now.astimezone(datetime.UTC):%Y%m%dT%H%M%SZ}"))


def _image_section(
    plan: BuildPlan, ignition: LiveIgnition, made: Made, before: dict[str, Any], now: Callable[[], datetime.datetime]
) -> dict[str, Any]:
    changed = plan.product is not None and plan.image_path in dict(plan.product.changes)
    built_at = now().isoformat(timespec="seconds") if changed or not before.get("built_at") else before["built_at"]
    return {
        **made.section,
        "kind": plan.kind,
        **plan.base.record,
        "inputs": input_digests(plan.request.config_dir),
        "ignition_sha256": ignition.sha256(),
        "built_at": built_at,
    }


def verify(plan: BuildPlan) -> None:
    """In check mode: the checksum of a base image on disk, which a real run checks while it copies."""
    if plan.product is not None:
        plan.product.verify()
    elif plan.base.image is not None:
        plan.request.source.check(plan.base.provided).verify(plan.base.image.path)
