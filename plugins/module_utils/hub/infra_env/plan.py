# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the writes that bring an InfraEnv to the desired state, and report what the hub would refuse or ignore. Pure.

Source: openshift/assisted-service internal/controller/controllers/infraenv_controller.go,
  pkg/webhooks/agentinstall/v1beta1.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...cluster.discovery_options import image_problem as _problem
from ...common import json_text
from ...common.errors import InvalidInput, PartialFailure, ZeroTouchError
from ...common.listed import listed
from ...common.problems import FORBIDDEN, REQUIRED, Problem
from ...kube.write import MANAGED_BY, OURS, Change, is_ours, plan_deletion, plan_object
from ..created import OTHER_HUB, other_uid
from ..kinds import INFRA_ENV, NAMESPACE, NMSTATE_CONFIG, SECRET
from .desired import BELONGS_TO, DesiredInfraEnv, Object

# Maps of the spec that are the user's as a whole: what he no longer names goes.
OWNED = (
    "spec.agentLabels",
    "spec.nmStateConfigLabelSelector",
    "spec.clusterRef",
    "spec.mirrorRegistryRef",
    "spec.proxy",
)
# Fields that the operator does not take back from an InfraEnv that it knows (2.4), with the option of ours.
NOT_CLEARED = {
    "proxy": "image_proxy",
    "additionalNTPSources": "additional_ntp_sources",
    "ntpSources": "ntp_sources",
    "sshAuthorizedKey": "ssh_public_keys",
    "ignitionConfigOverride": "ignition_config_override",
}
RECREATE = (
    "Create the InfraEnv again (state absent, then present) if hosts must not boot with the old value; Agents "
    "that are not bound are deleted with it and register again."
)


@dataclasses.dataclass(frozen=True)
class ObservedInfraEnv:
    """What is there: the InfraEnv, its Secret, the NMStateConfigs that belong to the InfraEnv, whether its cluster is
    installed, its Agents.

    ``namespace`` is whether the namespace exists (None: not read, or not allowed). ``secret_user`` says why the Secret
    is not to go with the InfraEnv; empty if no other object needs it.
    """

    infra_env: Object | None = None
    secret: Object | None = dataclasses.field(default=None, repr=False)
    nmstate_configs: tuple[Object, ...] = ()
    cluster_installed: bool = False
    agents: tuple[Object, ...] = ()
    namespace: bool | None = None
    secret_user: str = ""


@dataclasses.dataclass(frozen=True)
class InfraEnvPlan:
    """Changes in ``stages``: everything in one is done before the next begins."""

    stages: tuple[tuple[Change, ...], ...]
    not_propagated: tuple[dict[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(change for stage in self.stages for change in stage)


def plan_present(requested: DesiredInfraEnv, observed: ObservedInfraEnv) -> InfraEnvPlan:
    """A namespace that is missing and the pull secret first, then the network of the hosts, then the InfraEnv: so the
    first image is the right one (14).

    Raises :class:`InvalidInput` for what the hub would refuse, :class:`ZeroTouchError` for objects in the way that are
    not ours.
    """
    problems = _missing(requested, observed) + _immutable(requested, observed)
    if problems:
        raise InvalidInput(problems)
    secret = plan_secret(requested.secret, observed.secret) if requested.secret else None
    known = {config["metadata"]["name"]: config for config in observed.nmstate_configs}
    wanted = [(config["metadata"]["name"], config) for config in requested.nmstate_configs or ()]
    configs = [change for name, config in wanted if (change := plan_nmstate_config(config, known.get(name)))]
    stale = _stale(requested, observed)
    own = plan_infra_env(requested, observed.infra_env)
    return InfraEnvPlan(
        stages=_stages(
            [_new_namespace(requested, observed), [secret] if secret else [], [*configs, *stale], [own] if own else []]
        ),
        not_propagated=_not_propagated(own),
        warnings=_replaced_selector(own),
    )


def _new_namespace(requested: DesiredInfraEnv, observed: ObservedInfraEnv) -> list[Change]:
    change = (
        plan_object(NAMESPACE, {"metadata": {"name": requested.namespace}}, None)
        if observed.namespace is False
        else None
    )
    return [change] if change else []


def plan_infra_env(requested: DesiredInfraEnv, observed: Mapping[str, Any] | None) -> Change | None:
    return plan_object(INFRA_ENV, requested.infra_env, observed, owned=OWNED)


def plan_secret(desired: Object, observed: Mapping[str, Any] | None) -> Change | None:
    """The pull secret; one with the same content in another spelling is left as it is."""
    if observed is None:
        return plan_object(SECRET, desired, None)
    if pull_secret_in(observed) == pull_secret_in(desired):
        return None
    if not is_ours(observed):
        name = f"{desired['metadata']['namespace']}/{desired['metadata']['name']}"
        raise ZeroTouchError(
            f"Secret {name} is there with another content and was not created by this collection.",
            f"Name it in pull_secret_name to use it as it is, or label it {MANAGED_BY}={OURS} to have it kept up to "
            "date.",
        )
    return plan_object(SECRET, {key: desired[key] for key in ("metadata", "data")}, observed)


def plan_nmstate_config(desired: Object, observed: Mapping[str, Any] | None) -> Change | None:
    """One host's network. An object of that name which does not belong to the InfraEnv belongs to another tool."""
    if observed is not None and not is_ours(observed) and _owner_label(observed) != _owner_label(desired):
        name = f"{desired['metadata']['namespace']}/{desired['metadata']['name']}"
        raise ZeroTouchError(
            f"NMStateConfig {name} is there, does not belong to this InfraEnv and was not created by this collection.",
            f"Name the host differently, delete the object, or label it {BELONGS_TO}={_owner_label(desired)} to have "
            "it taken over.",
        )
    return plan_object(NMSTATE_CONFIG, desired, observed, owned=("spec.config",))


def plan_absent(name: str, namespace: str, observed: ObservedInfraEnv, created: str = "") -> InfraEnvPlan:
    """Delete the InfraEnv, then what this collection made for it.

    ``created`` is the UID of the InfraEnv that this deployment created; empty if that is not recorded.

    Raises :class:`ZeroTouchError` if that would delete more than was created; for an InfraEnv of another tool or
    deployment one that has the module's ``stays``.
    """
    infra_env = observed.infra_env
    if infra_env is not None and not is_ours(infra_env):
        words = f"InfraEnv {namespace}/{name} was not created by this collection"
        raise PartialFailure(
            f"{words}, and is not changed.",
            {"changed": False, "stays": [words]},
            (f"To have it deleted, label it {MANAGED_BY}={OURS} first."),
        )
    if infra_env is not None and (words := other_uid(infra_env, INFRA_ENV, created)):
        raise PartialFailure(f"{words}. It is not deleted.", {"changed": False, "stays": [words]}, OTHER_HUB)
    bound = sorted(
        f"{agent['metadata']['name']} ({_cluster_of(agent)})" for agent in observed.agents if _cluster_of(agent)
    )
    if infra_env is not None and bound:
        raise ZeroTouchError(
            f"InfraEnv {namespace}/{name} has Agents that are bound to a cluster ({len(bound)}): "
            f"{listed(bound, 5)}. They would be deleted with it, and their nodes would be removed from the "
            "cluster.",
            "Unbind or delete them first (module agents).",
        )
    others = [
        each
        for each in (*observed.nmstate_configs, *([observed.secret] if observed.secret else []))
        if not is_ours(each)
    ]
    own = plan_deletion(INFRA_ENV, infra_env, "it must not exist")
    gone = "its InfraEnv must not exist"
    made = [plan_deletion(NMSTATE_CONFIG, config, gone) for config in observed.nmstate_configs if is_ours(config)]
    made += (
        [plan_deletion(SECRET, observed.secret, gone)]
        if observed.secret and is_ours(observed.secret) and not observed.secret_user
        else []
    )
    unbound = (
        f"The Agents of InfraEnv {namespace}/{name} are deleted with it ({len(observed.agents)}); their machines "
        "register again with another InfraEnv only."
    )
    stays = [
        f"{each.get('kind', 'object')} {namespace}/{each['metadata']['name']} was not created by this collection"
        for each in others
    ]
    if observed.secret and observed.secret not in others and observed.secret_user:
        stays.append(f"Secret {namespace}/{observed.secret['metadata']['name']}: {observed.secret_user}")
    return InfraEnvPlan(
        stages=_stages([[own] if own else [], [change for change in made if change]]),
        warnings=(unbound,) if own and observed.agents else (),
        stays=tuple(stays),
    )


def replan(requested: DesiredInfraEnv | None, change: Change, observed: Mapping[str, Any] | None) -> Change | None:
    """The same intention against the object as it is now, after a conflict."""
    if change.verb == "delete":
        # An object that has got our object's name since is not the one that was to go.
        same = observed is not None and observed["metadata"].get("uid") == change.before.get("metadata", {}).get("uid")
        return (
            plan_deletion(change.resource, observed, "".join(change.reasons))
            if same and observed is not None and is_ours(observed)
            else None
        )
    if requested is None or change.resource == NAMESPACE:
        return None
    if change.resource == SECRET and requested.secret:
        return plan_secret(requested.secret, observed)
    if change.resource == NMSTATE_CONFIG:
        desired = next(
            config for config in requested.nmstate_configs or () if config["metadata"]["name"] == change.name
        )
        return plan_nmstate_config(desired, observed)
    return plan_infra_env(requested, observed)


def _stages(stages: Sequence[Sequence[Change]]) -> tuple[tuple[Change, ...], ...]:
    return tuple(tuple(stage) for stage in stages if stage)


def _stale(requested: DesiredInfraEnv, observed: ObservedInfraEnv) -> list[Change]:
    if requested.nmstate_configs is None:
        return []
    wanted = {config["metadata"]["name"] for config in requested.nmstate_configs}
    stale = [
        config for config in observed.nmstate_configs if is_ours(config) and config["metadata"]["name"] not in wanted
    ]
    return [
        change
        for config in stale
        if (change := plan_deletion(NMSTATE_CONFIG, config, "its host is not listed any more"))
    ]


def _missing(requested: DesiredInfraEnv, observed: ObservedInfraEnv) -> list[Problem]:
    if observed.infra_env is None and "pullSecretRef" not in requested.infra_env["spec"]:
        return [
            _problem(
                "pull_secret",
                REQUIRED,
                ("a new InfraEnv needs pull_secret, or pull_secret_name for a Secret that exists"),
            )
        ]
    spec = requested.infra_env["spec"]
    if observed.infra_env is None and spec.get("clusterRef") and spec.get("osImageVersion"):
        return [
            _problem(
                "os_image_version",
                FORBIDDEN,
                ("an InfraEnv of a cluster takes the cluster's version; give cluster or os_image_version, not both"),
            )
        ]
    return []


def _immutable(requested: DesiredInfraEnv, observed: ObservedInfraEnv) -> list[Problem]:
    if observed.infra_env is None:
        return []
    wanted, present = requested.infra_env["spec"], observed.infra_env.get("spec", {})
    found = []
    if "clusterRef" in wanted and (wanted["clusterRef"] or None) != (present.get("clusterRef") or None):
        detail = f"cannot be changed: the InfraEnv is {_binding(present.get('clusterRef'))}"
        found.append(
            _problem(
                "cluster", FORBIDDEN, detail, hint=("make another InfraEnv, or delete this one first (state absent)")
            )
        )
    if "cpuArchitecture" in wanted and wanted["cpuArchitecture"] != (present.get("cpuArchitecture") or "x86_64"):
        cpu_architecture = present.get("cpuArchitecture") or "x86_64"
        detail = f"cannot be changed: the InfraEnv is for {cpu_architecture}"
        found.append(
            _problem(
                "arch",
                FORBIDDEN,
                detail,
                str(wanted["cpuArchitecture"]),
                "make another InfraEnv for the other architecture",
            )
        )
    added = wanted.get("osImageVersion") and not present.get("osImageVersion")
    if added and present.get("clusterRef") and not observed.cluster_installed:
        detail = "can be added beside a cluster only once that cluster is installed"
        found.append(
            _problem(
                "os_image_version",
                FORBIDDEN,
                detail,
                str(wanted["osImageVersion"]),
                "leave it out: the cluster's version is used",
            )
        )
    return found


def _binding(reference: Mapping[str, Any] | None) -> str:
    return f"bound to {reference.get('namespace')}/{reference.get('name')}" if reference else "bound to no cluster"


def _not_propagated(change: Change | None) -> tuple[dict[str, str], ...]:
    """What the patch says and the operator will not carry out."""
    if change is None or change.verb != "patch":
        return ()
    spec = change.body.get("spec", {})
    found = []
    for field, option in NOT_CLEARED.items():
        gone = field in spec and (
            not spec[field] or (isinstance(spec[field], Mapping) and None in spec[field].values())
        )
        if gone:
            reason = "The operator does not write an empty value to the service: the image keeps the old value."
            found.append({"option": option, "field": f"spec.{field}", "reason": reason, "remedy": RECREATE})
    if "mirrorRegistryRef" in spec:
        reason = "A change of the mirror registries may not reach the image of an InfraEnv that is registered already."
        found.append(
            {"option": "mirror_registry", "field": "spec.mirrorRegistryRef", "reason": reason, "remedy": RECREATE}
        )
    return tuple(found)


def _replaced_selector(change: Change | None) -> tuple[str, ...]:
    if change is None or change.verb != "patch" or "nmStateConfigLabelSelector" not in change.body.get("spec", {}):
        return ()
    before = change.before.get("spec", {}).get("nmStateConfigLabelSelector")
    if not before:
        return ()
    return (
        (
            f"{change.title}: the selector {json.dumps(before, sort_keys=True)} is replaced; NMStateConfigs that only "
            "it "
            "selects are used no more."
        ),
    )


def pull_secret_in(secret: Mapping[str, Any]) -> Any:
    """The document in a Secret, to compare it without regard to its spelling; the raw data if it is damaged."""
    data = (secret.get("data") or {}).get(".dockerconfigjson")
    try:
        return json_text.parse_remote(base64.b64decode(data, validate=True)) if data else None
    except (binascii.Error, ValueError):
        return data


def _owner_label(config: Mapping[str, Any]) -> str:
    return str((config["metadata"].get("labels") or {}).get(BELONGS_TO, ""))


def _cluster_of(agent: Mapping[str, Any]) -> str:
    reference = agent.get("spec", {}).get("clusterDeploymentName")
    return f"{reference.get('namespace')}/{reference.get('name')}" if reference else ""
