# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create, update or delete an InfraEnv with its pull secret and NMStateConfigs: observe, plan, apply, wait for the
image.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...common.clock import Clock, SystemClock
from ...common.errors import LimitReached, PartialFailure, RemoteError, ZeroTouchError
from ...common.secrets import secret_values
from ...common.state import StateFile
from ...kube.client import KubeClient, Object
from ...kube.faults import ForbiddenError, UnknownKindError
from ...kube.write import Change, WriteOutcome, apply_changes, diff_of
from ..created import created_uid, forget_created, record_created
from ..kinds import AGENT, CLUSTER_DEPLOYMENT, INFRA_ENV, NAMESPACE, NMSTATE_CONFIG, SECRET
from .desired import BELONGS_TO, DesiredInfraEnv, own_pull_secret, read_requested
from .image import COOLDOWN, Written, boot_artifacts, image_condition, infra_env_id, iso_url, wait_for_image
from .plan import InfraEnvPlan, ObservedInfraEnv, plan_absent, plan_present, replan


@dataclasses.dataclass(frozen=True)
class ImageWait:
    """Whether and how long to wait, in seconds; ``cooldown`` is how old an image must be."""

    wait: bool = True
    timeout: float = 600.0
    cooldown: float = COOLDOWN


@dataclasses.dataclass(frozen=True)
class Result:
    """``value`` is what the module returns; ``diff`` Ansible's diff."""

    value: Mapping[str, Any]
    diff: Sequence[Mapping[str, str]] = ()
    warnings: Sequence[str] = ()


@dataclasses.dataclass(frozen=True)
class InfraEnvSession:
    """How the work is done.

    ``secrets`` receives values that must not be shown as soon as they are read, ``tell`` receives lines of progress.
    ``state`` records the UID of an InfraEnv that is created.
    """

    client: KubeClient
    check_mode: bool = False
    forks: int = 8
    clock: Clock = dataclasses.field(default_factory=SystemClock)
    tell: Callable[[str], None] = lambda text: None
    secrets: Callable[[set[str]], None] = lambda found: None
    state: StateFile | None = None


def make_present(options: Mapping[str, Any], waiting: ImageWait, session: InfraEnvSession) -> Result:
    """The InfraEnv as described and, by default, its image ready to boot from.

    Raises :class:`InvalidInput` before anything is written, :class:`PartialFailure` with a complete account where the
    hub refused some of it, and what :func:`wait_for_image` raises.
    """
    requested = read_requested(options)
    observed = _observe(requested, session.client)
    session.secrets(secret_values(observed.infra_env))
    plan = plan_present(requested, observed)
    warnings = [*plan.warnings, *_missing_pull_secret(requested, session.client, waiting), *_named(plan)]
    outcomes = _carry_out(plan, requested, session)
    now = _after(outcomes, observed)
    if waiting.wait and not session.check_mode:
        try:
            now = wait_for_image(
                session.client,
                requested.namespace,
                requested.name,
                timeout=waiting.timeout,
                cooldown=waiting.cooldown,
                clock=session.clock,
                written=Written(session.client.server_time(), image_condition(observed.infra_env or {}))
                if any(map(_affects_image, outcomes))
                else None,
                tell=session.tell,
            )
        except ZeroTouchError as error:
            error.result = _account(plan, outcomes) | {"infra_env": _identity(requested.name, requested.namespace, now)}
            raise
    return Result(
        _account(plan, outcomes) | describe(requested.name, requested.namespace, now), diff_of(outcomes), warnings
    )


def make_absent(name: str, namespace: str, waiting: ImageWait, session: InfraEnvSession) -> Result:
    """No InfraEnv of that name, nor what this collection made for it.

    Raises what :func:`plan_absent` raises.
    """
    client = session.client
    created = created_uid(session.state.read(), f"{INFRA_ENV.kind} {namespace}/{name}") if session.state else ""
    observed = ObservedInfraEnv(
        infra_env=_find(client, INFRA_ENV.path(namespace, name)),
        secret=client.find(SECRET.path(namespace, own_pull_secret(name))),
        nmstate_configs=tuple(client.list(NMSTATE_CONFIG.path(namespace), label_selector=f"{BELONGS_TO}={name}")),
        agents=tuple(client.list(AGENT.path(namespace), label_selector=f"{BELONGS_TO}={name}")),
        secret_user=_user_of_pull_secret(client, namespace, name),
    )
    session.secrets(secret_values(observed.infra_env))
    plan = plan_absent(name, namespace, observed, created)
    outcomes = _carry_out(plan, None, session)
    if waiting.wait and not session.check_mode and observed.infra_env:
        _await_absence(session, name, namespace, waiting.timeout)
    return Result(_account(plan, outcomes) | describe(name, namespace, None), diff_of(outcomes), plan.warnings)


def _user_of_pull_secret(client: KubeClient, namespace: str, name: str) -> str:
    """A cluster of the InfraEnv's name shares its pull secret (module agent_cluster_install gives it the same name).

    Who may not look needs no cluster.
    """
    try:
        deployment = client.find(CLUSTER_DEPLOYMENT.path(namespace, name))
    except ForbiddenError:
        return ""
    used = ((deployment or {}).get("spec") or {}).get("pullSecretRef") or {}
    return f"ClusterDeployment {namespace}/{name} uses it" if used.get("name") == own_pull_secret(name) else ""


def describe(name: str, namespace: str, infra_env: Object | None) -> dict[str, Any]:
    """The InfraEnv as results show it."""
    found = infra_env or {}
    return {
        "infra_env": _identity(name, namespace, infra_env),
        "iso_url": iso_url(found),
        "created_time": str(found.get("status", {}).get("createdTime") or ""),
        "boot_artifacts": boot_artifacts(found),
    }


def _identity(name: str, namespace: str, infra_env: Object | None) -> dict[str, str]:
    return {"name": name, "namespace": namespace, "id": infra_env_id(infra_env or {})}


def _observe(requested: DesiredInfraEnv, client: KubeClient) -> ObservedInfraEnv:
    infra_env = _find(client, INFRA_ENV.path(requested.namespace, requested.name))
    installed = False
    reference = (infra_env or {}).get("spec", {}).get("clusterRef")
    if reference and requested.infra_env["spec"].get("osImageVersion"):
        cluster = client.find(CLUSTER_DEPLOYMENT.path(reference["namespace"], reference["name"]))
        installed = bool((cluster or {}).get("spec", {}).get("installed"))
    return ObservedInfraEnv(
        namespace=None if infra_env else _namespace_exists(client, requested.namespace),
        infra_env=infra_env,
        secret=client.find(SECRET.path(requested.namespace, requested.secret["metadata"]["name"]))
        if requested.secret
        else None,
        nmstate_configs=()
        if requested.nmstate_configs is None
        else tuple(client.list(NMSTATE_CONFIG.path(requested.namespace), label_selector=requested.selector)),
        cluster_installed=installed,
    )


def _namespace_exists(client: KubeClient, name: str) -> bool | None:
    try:
        return client.find(NAMESPACE.path(name=name)) is not None
    except ForbiddenError:
        return None  # then it exists, or the first write will say that it does not


def _find(client: KubeClient, path: str) -> Object | None:
    """The object; a hub that does not know the kind is said to be none."""
    try:
        return client.find(path)
    except UnknownKindError as error:
        raise ZeroTouchError(
            f"{client.server} has no InfraEnvs: {error.detail}.",
            ("Check that this is the hub, and that the Infrastructure Operator is installed there."),
        ) from error


def _missing_pull_secret(requested: DesiredInfraEnv, client: KubeClient, waiting: ImageWait) -> list[str]:
    if not requested.pull_secret_name:
        return []
    try:
        secret = client.find(SECRET.path(requested.namespace, requested.pull_secret_name))
    except ForbiddenError:
        return []  # the operator will say what is wrong with it
    if secret and ".dockerconfigjson" in (secret.get("data") or {}):
        return []
    what = "has no key .dockerconfigjson" if secret else "does not exist"
    message = f"Secret {requested.namespace}/{requested.pull_secret_name} (pull_secret_name) {what}"
    if waiting.wait:
        raise ZeroTouchError(
            f"{message}, so the hub will not make an image.",
            ("Create it first, or give pull_secret; with wait false it may come later."),
        )
    return [f"{message}; the hub makes no image until it does."]


def _named(plan: InfraEnvPlan) -> list[str]:
    return [f"{each['option']}: {each['reason']} {each['remedy']}" for each in plan.not_propagated]


def _carry_out(plan: InfraEnvPlan, requested: DesiredInfraEnv | None, session: InfraEnvSession) -> list[WriteOutcome]:
    done: list[WriteOutcome] = []
    state = None if session.check_mode else session.state
    if state is not None:
        forget_created(state, plan.changes, INFRA_ENV, session.clock)
    new_namespace = any(change.resource == NAMESPACE for change in plan.changes)
    for stage in plan.stages:

        def again(change: Change, observed: Object | None) -> Change | None:
            return replan(requested, change, observed)

        if session.check_mode and new_namespace and stage[0].resource != NAMESPACE:
            outcomes = [WriteOutcome(change, changed=True) for change in stage]  # there is no namespace to try it in
        else:
            outcomes = apply_changes(
                session.client, stage, forks=session.forks, check_mode=session.check_mode, replan=again
            )
        if state is not None:
            record_created(state, outcomes, INFRA_ENV)
        done += outcomes
        failed = [outcome for outcome in outcomes if outcome.error]
        if failed:
            account = _account(plan, done)
            open_ends = len(plan.changes) - len(account["done"])
            message = "\n".join(
                f"{outcome.change.verb} {outcome.change.title}: {_words(outcome.error)}" for outcome in failed
            )
            raise PartialFailure(
                (f"{message}\n{len(account['done'])} of {len(plan.changes)} changes were made, {open_ends} were not."),
                account,
            )
    return done


def _words(error: Exception | None) -> str:
    if isinstance(error, RemoteError) and error.status == 404 and error.detail.startswith("namespaces "):
        return f"{str(error).rstrip('.')}. Create the namespace first."
    return str(error)


def _account(plan: InfraEnvPlan, outcomes: Sequence[WriteOutcome]) -> dict[str, Any]:
    done = [outcome.change.describe() for outcome in outcomes if outcome.changed]
    return {
        "changed": bool(done),
        "plan": [change.describe() for change in plan.changes],
        "done": done,
        "not_propagated": list(plan.not_propagated),
        "stays": list(plan.stays),
    }


def _after(outcomes: Sequence[WriteOutcome], observed: ObservedInfraEnv) -> Object | None:
    return next((outcome.object for outcome in outcomes if outcome.change.resource == INFRA_ENV), observed.infra_env)


def _affects_image(outcome: WriteOutcome) -> bool:
    change = outcome.change
    if change.resource != INFRA_ENV or change.verb != "patch":
        return outcome.changed
    return outcome.changed and not set(change.body.get("spec", {})) <= {"agentLabels", "agentApproval"}


def _await_absence(session: InfraEnvSession, name: str, namespace: str, timeout: float) -> None:
    """Until the object is gone. Its Agents are collected as garbage afterwards, which is not waited for."""
    for event in session.client.follow(INFRA_ENV.path(namespace), timeout, field_selector=f"metadata.name={name}"):
        if event.type == "DELETED" or (event.type == "LISTED" and not event.objects):
            return
    raise LimitReached(
        f"InfraEnv {namespace}/{name} was not deleted within {timeout:g} s.",
        timeout,
        "Its finalizer waits for the service; older releases also wait until no Agent is bound to it.",
    )
