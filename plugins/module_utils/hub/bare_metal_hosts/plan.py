# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the writes with which the hub boots the hosts that the user describes, and refuse writes that must not happen.
Pure.

A BareMetalHost has several writers: the user, BMAC (``image``, ``customDeploy``, ``inspect.metal3.io``, detached,
paused), baremetal-operator (``status``, finalizers). A patch of this collection contains only what the user set.

Source: openshift/assisted-service internal/controller/controllers/bmh_agent_controller.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...cluster.host_states import BINDABLE
from ...common import json_text
from ...common.addresses import normal_mac
from ...common.errors import InvalidInput
from ...common.problems import DUPLICATE, FORBIDDEN, INVALID, Problem
from ...kube.write import MANAGED_BY, OURS, Change, is_ours, plan_deletion, plan_object
from ..agents.change import condition_text
from ..agents.model import INFRA_ENV_LABEL, Agent
from ..install.status import InstallCondition
from ..kinds import BARE_METAL_HOST, NAMESPACE, SECRET
from .desired import (
    CLUSTER_REFERENCE,
    JSON_ANNOTATIONS,
    NODE_LABEL,
    DesiredBareMetalHosts,
    DesiredHost,
    Object,
    same_bmc,
    secret_name,
)
from .problems import problem as _problem

DETACHED = "baremetalhost.metal3.io/detached"
PAUSED = "baremetalhost.metal3.io/paused"
REMOVE_NODE = "bmac.agent-install.openshift.io/remove-agent-and-node-on-delete"
_INSPECT = "inspect.metal3.io"
# Where baremetal-operator still takes another BMC.
_NEW_STATES = ("", "registering", "unmanaged")


@dataclasses.dataclass(frozen=True)
class ObservedBareMetalHosts:
    """The namespace as it is: BareMetalHosts (all of them) and Secrets by name, the InfraEnv, Agents that a
    BareMetalHost manages.

    ``namespace`` is whether the namespace exists (None: not read, or not allowed). ``infra_env`` and ``agents`` are
    looked at where they matter.
    """

    hosts: Mapping[str, Object] = dataclasses.field(default_factory=dict)
    secrets: Mapping[str, Object] = dataclasses.field(default_factory=dict, repr=False)
    infra_env: Object | None = None
    agents: tuple[Agent, ...] = ()
    namespace: bool | None = True


@dataclasses.dataclass(frozen=True)
class BareMetalHostsPlan:
    """Changes in ``stages``: everything in one is done before the next begins.

    ``stays`` is what is not deleted, and why.
    """

    stages: tuple[tuple[Change, ...], ...] = ()
    warnings: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(change for stage in self.stages for change in stage)


def hold_back(
    requested: DesiredBareMetalHosts, observed: ObservedBareMetalHosts
) -> tuple[DesiredBareMetalHosts, dict[str, str]]:
    """The desired state without the clusters that hosts cannot be bound to yet, and what each of those waits for.

    BMAC tells an Agent everything at once, and the service binds before it takes over the rest (5.2): a host that is
    not ``known-unbound``, for want of a hostname for instance, would then be refused again and again and never get its
    name.
    """
    agents = {
        agent.bare_metal_host: agent
        for agent in sorted(observed.agents, key=lambda each: each.created)
        if not agent.deleting
    }
    waits = {
        host.name: reason
        for host in requested.hosts
        if (reason := _binding_waits_for(host, observed.hosts.get(host.name), agents.get(host.name)))
    }
    return dataclasses.replace(
        requested, hosts=tuple(_without_cluster(host) if host.name in waits else host for host in requested.hosts)
    ), waits


def _binding_waits_for(host: DesiredHost, present: Mapping[str, Any] | None, agent: Agent | None) -> str:
    reference = host.bare_metal_host["metadata"]["annotations"].get(CLUSTER_REFERENCE)
    if not reference or (present is not None and _annotations(present).get(CLUSTER_REFERENCE) == reference):
        return ""
    if agent is None:
        return f"it is bound to {reference} once its Agent is there and {BINDABLE}"
    if str(agent.cluster or "") == reference or (agent.cluster is None and agent.state == BINDABLE):
        return ""
    return f"it is bound to {reference} once its Agent is {BINDABLE}: {condition_text(agent)}"


def _without_cluster(host: DesiredHost) -> DesiredHost:
    metadata = host.bare_metal_host["metadata"]
    annotations = {key: value for key, value in metadata["annotations"].items() if key != CLUSTER_REFERENCE}
    return dataclasses.replace(
        host, bare_metal_host={**host.bare_metal_host, "metadata": {**metadata, "annotations": annotations}}
    )


def plan_present(requested: DesiredBareMetalHosts, observed: ObservedBareMetalHosts) -> BareMetalHostsPlan:
    """The namespace if it is missing, then all Secrets, then all BareMetalHosts: a BareMetalHost without its Secret
    begins with an error.

    Raises :class:`InvalidInput` with everything that the hub would refuse, undo, or take for another machine; then
    nothing is to be written.
    """
    problems: list[Problem] = []
    secrets: list[Change] = []
    hosts: list[Change] = []
    for host in requested.hosts:
        problems += host_refusals(host, requested, observed)
        try:
            credentials = plan_secret(host, observed.secrets.get(secret_name(host.name)))
            own = plan_host(host, observed.hosts.get(host.name))
        except InvalidInput as error:
            problems += error.problems
            continue
        secrets += [credentials] if credentials else []
        hosts += [own] if own else []
    if problems:
        raise InvalidInput(problems)
    namespace = (
        plan_object(NAMESPACE, {"metadata": {"name": requested.namespace}}, None)
        if observed.namespace is False
        else None
    )
    warnings = [note for host in requested.hosts for note in host.notes]
    if observed.infra_env is None:
        warnings.append(
            f"InfraEnv {requested.namespace}/{requested.infra_env} does not exist. The hub boots the hosts once it "
            "does and has an image."
        )
    return BareMetalHostsPlan(_stages([namespace] if namespace else [], secrets, hosts), tuple(warnings))


def plan_secret(host: DesiredHost, observed: Mapping[str, Any] | None) -> Change | None:
    """The credentials. Raises :class:`InvalidInput` for a Secret of that name that another tool created with other
    content.
    """
    desired = host.secret if observed is None else {key: host.secret[key] for key in ("metadata", "data")}
    change = plan_object(SECRET, desired, observed)
    if change is not None and observed is not None and not is_ours(observed):
        raise InvalidInput([_foreign_secret(f"hosts[{host.name}].bmc", change.title)])
    return change


def plan_host(host: DesiredHost, observed: Mapping[str, Any] | None) -> Change | None:
    """The BareMetalHost. Raises :class:`InvalidInput` for one of another tool."""
    if observed is not None and not _may_change(host, observed):
        raise InvalidInput([_foreign(f"hosts[{host.name}].name", _title(host.bare_metal_host))])
    desired = host.bare_metal_host if observed is None else _against(host, observed)
    return plan_object(BARE_METAL_HOST, desired, observed, owned=("spec.rootDeviceHints",))


def plan_absent(names: Sequence[str], namespace: str, observed: ObservedBareMetalHosts) -> BareMetalHostsPlan:
    """The BareMetalHosts first and, once they are gone, their Secrets: baremetal-operator needs the credentials to
    release a machine.

    Raises :class:`InvalidInput` if that would delete more than we created: an object of another tool, a machine of a
    cluster that would be switched off.
    """
    problems = [problem for name in names for problem in _losses(name, namespace, observed)]
    if problems:
        raise InvalidInput(problems)
    present = [observed.hosts[name] for name in names if name in observed.hosts]
    hosts = [change for host in present if (change := plan_deletion(BARE_METAL_HOST, host, "it must not exist"))]
    secrets, stays = [], []
    for name in names:
        secret = observed.secrets.get(_credentials_name(observed.hosts.get(name)) or secret_name(name))
        if secret is None:
            continue
        users = sorted(
            other
            for other, host in observed.hosts.items()
            if other not in names and _credentials_name(host) == secret["metadata"]["name"]
        )
        title = f"Secret {namespace}/{secret['metadata']['name']}"
        if not is_ours(secret):
            stays.append(f"{title} was not created by this collection")
        elif users:
            stays.append(f"{title} is used by BareMetalHost {', '.join(users)}")
        elif change := plan_deletion(SECRET, secret, "its BareMetalHost must not exist"):
            secrets.append(change)
    return BareMetalHostsPlan(
        _stages(hosts, list({change.name: change for change in secrets}.values())), stays=tuple(dict.fromkeys(stays))
    )


def other_machines(
    hosts: Sequence[Mapping[str, Any]], infra_env: str, observed: ObservedBareMetalHosts
) -> dict[str, str]:
    """BareMetalHosts that have the name of a host and are another machine's, or boot for another InfraEnv; with why
    they are left alone.
    """
    found = {}
    for host in hosts:
        name, mac = str(host["name"]), normal_mac(str(host.get("boot_mac_address") or ""))
        present = observed.hosts.get(name)
        if present is None:
            continue
        if mac and _mac(present) and _mac(present) != mac:
            found[name] = f"{_title(present)} is another machine's (its MAC address is {_mac(present)})"
        elif infra_env and _infra_env(present) not in ("", infra_env):
            found[name] = f"{_title(present)} is of InfraEnv {_infra_env(present)}"
    return found


def replan(
    requested: DesiredBareMetalHosts | None, change: Change, observed: Mapping[str, Any] | None
) -> Change | None:
    """The same intention against the object as it is now, after a conflict."""
    if change.verb == "delete":
        # An object that has got our object's name since is not the one that was to go.
        same = observed is not None and observed["metadata"].get("uid") == change.before.get("metadata", {}).get("uid")
        return (
            plan_deletion(change.resource, observed, "".join(change.reasons))
            if same and is_ours(observed or {})
            else None
        )
    if requested is None or change.resource == NAMESPACE:
        return None
    if change.resource == SECRET:
        return plan_secret(next(host for host in requested.hosts if secret_name(host.name) == change.name), observed)
    return plan_host(next(host for host in requested.hosts if host.name == change.name), observed)


def _against(host: DesiredHost, observed: Mapping[str, Any]) -> Object:
    """The desired state without what means the same as what is there, and without what controllers have taken over."""
    made, present = host.bare_metal_host, observed.get("spec") or {}
    annotations, there = dict(made["metadata"]["annotations"]), _annotations(observed)
    if host.node_labels is not None:  # a full set, for BMAC too
        stale = (
            name
            for name in there
            if name.startswith(NODE_LABEL) and name.removeprefix(NODE_LABEL) not in host.node_labels
        )
        annotations |= dict.fromkeys(stale)
    annotations = {
        name: there[name] if name in JSON_ANNOTATIONS and _same_document(text, there.get(name)) else text
        for name, text in annotations.items()
    }
    spec = dict(made["spec"])
    if normal_mac(str(present.get("bootMACAddress") or "")) == spec["bootMACAddress"]:
        spec["bootMACAddress"] = present["bootMACAddress"]
    if (bmc := present.get("bmc") or {}) and same_bmc(str(bmc.get("address") or ""), spec["bmc"]["address"]):
        spec["bmc"] = {**spec["bmc"], "address": bmc["address"]}
    if there.get(_INSPECT) == "disabled":
        spec.pop("automatedCleaningMode", None)  # BMAC's in its legacy flow, together with this annotation (10.2)
    if not spec["bmc"]["disableCertificateVerification"] and not bmc.get("disableCertificateVerification"):
        # false as nothing is false
        spec["bmc"] = {key: value for key, value in spec["bmc"].items() if key != "disableCertificateVerification"}
    return {**made, "metadata": {**made["metadata"], "annotations": annotations}, "spec": spec}


def host_refusals(
    host: DesiredHost, requested: DesiredBareMetalHosts, observed: ObservedBareMetalHosts
) -> Iterator[Problem]:
    """Why a BareMetalHost cannot be what is desired."""
    path, present = f"hosts[{host.name}]", observed.hosts.get(host.name)
    reference = ((observed.infra_env or {}).get("spec") or {}).get("clusterRef")
    if host.binds and reference:
        detail = (
            f"InfraEnv {requested.namespace}/{requested.infra_env} binds its hosts to "
            f"{reference.get('namespace')}/{reference.get('name')} (early binding)"
        )
        yield _problem(
            f"{path}.cluster",
            FORBIDDEN,
            f"{detail}, so the host cannot name a cluster",
            hint="leave it out, or use another InfraEnv",
        )
    mac = host.bare_metal_host["spec"]["bootMACAddress"]
    twins = sorted(
        name
        for name, other in observed.hosts.items()
        if name != host.name and _mac(other) == mac and not _deleting(other)
    )
    if twins:
        detail = (
            f"is also that of BareMetalHost {requested.namespace}/{', '.join(twins)}: the hub could not "
            "determine which of them the Agent belongs to"
        )
        yield _problem(f"{path}.boot_mac_address", DUPLICATE, detail, mac)
    if present is None:
        return
    title = f"BareMetalHost {requested.namespace}/{host.name}"
    if _deleting(present):
        yield _problem(f"{path}.name", INVALID, f"{title} is being deleted", hint="run again when it is deleted")
    if _mac(present) and _mac(present) != mac:
        detail = f"cannot be changed once it is set: that of {title} is {present['spec']['bootMACAddress']}"
        yield _problem(
            f"{path}.boot_mac_address",
            FORBIDDEN,
            detail,
            mac,
            ("another machine gets another name, or delete the BareMetalHost first (state absent)"),
        )
    address, wanted = (
        str(((present.get("spec") or {}).get("bmc") or {}).get("address") or ""),
        host.bare_metal_host["spec"]["bmc"]["address"],
    )
    if (
        address
        and not same_bmc(address, wanted)
        and provisioning_state(present) not in _NEW_STATES
        and not is_detached(present)
    ):
        detail = f"the BMC of {title} cannot be changed from {address} while it is {provisioning_state(present)}"
        yield _problem(
            f"{path}.bmc.address", FORBIDDEN, detail, wanted, "delete the BareMetalHost first (state absent)"
        )


def _losses(name: str, namespace: str, observed: ObservedBareMetalHosts) -> Iterator[Problem]:
    host = observed.hosts.get(name)
    if host is None or _deleting(host):
        return
    path, title = f"hosts[{name}]", f"BareMetalHost {namespace}/{name}"
    if not is_ours(host):
        detail = f"{title} was not created by this collection, and is not changed"
        yield _problem(
            path,
            FORBIDDEN,
            detail,
            hint=(
                "its owner controls this machine. Delete it with the tool that created it, or remove the host from "
                "this inventory"
            ),
        )
        return
    bound = next((agent for agent in observed.agents if agent.bare_metal_host == name and _is_bound(agent)), None)
    if bound is None:
        return
    state = bound.state or "state unknown"
    belongs = f"its host belongs to cluster {bound.cluster} ({state})"
    if REMOVE_NODE in _annotations(host):
        detail = f"{belongs} and annotation {REMOVE_NODE} would have the Node deleted as well"
        yield _problem(
            path, FORBIDDEN, f"{title} is not deleted: {detail}", hint="take the host out of its cluster first (unbind)"
        )
    elif not is_detached(host):
        detail = f"{belongs} and it is not detached, so that the machine would be switched off"
        yield _problem(
            path,
            FORBIDDEN,
            f"{title} is not deleted: {detail}",
            hint=("take the host out of its cluster first (unbind), or wait until it is installed"),
        )


def _is_bound(agent: Agent) -> bool:
    """Whether it is in a cluster; a reference alone may be BMAC's to one that is gone."""
    return (
        agent.cluster is not None
        and not agent.deleting
        and agent.conditions.get("Bound", InstallCondition()).status != "False"
    )


def provisioning_state(host: Mapping[str, Any]) -> str:
    """baremetal-operator's state of the host; empty while it has not looked at it."""
    return str((((host.get("status") or {}).get("provisioning")) or {}).get("state") or "")


def is_detached(host: Mapping[str, Any]) -> bool:
    """Whether baremetal-operator keeps its hands off the machine."""
    return DETACHED in _annotations(host) or (host.get("status") or {}).get("operationalStatus") == "detached"


def _may_change(host: DesiredHost, observed: Mapping[str, Any]) -> bool:
    """Those of another InfraEnv are another deployment's, although this collection made them."""
    infra_env = _infra_env(observed)
    return infra_env == _infra_env(host.bare_metal_host) if infra_env else is_ours(observed)


def _infra_env(host: Mapping[str, Any]) -> str:
    return str((host["metadata"].get("labels") or {}).get(INFRA_ENV_LABEL) or "")


def _annotations(host: Mapping[str, Any]) -> Mapping[str, str]:
    return host["metadata"].get("annotations") or {}


def _mac(host: Mapping[str, Any]) -> str:
    return normal_mac(str((host.get("spec") or {}).get("bootMACAddress") or ""))


def _credentials_name(host: Mapping[str, Any] | None) -> str:
    return str((((host or {}).get("spec") or {}).get("bmc") or {}).get("credentialsName") or "")


def _deleting(host: Mapping[str, Any]) -> bool:
    return bool(host["metadata"].get("deletionTimestamp"))


def _title(host: Mapping[str, Any]) -> str:
    return f"{BARE_METAL_HOST.kind} {host['metadata']['namespace']}/{host['metadata']['name']}"


def _same_document(one: str | None, other: str | None) -> bool:
    try:
        return bool(json_text.parse_remote(one or "null") == json_text.parse_remote(other or "null"))
    except ValueError:
        return False


def _stages(*stages: Sequence[Change]) -> tuple[tuple[Change, ...], ...]:
    return tuple(tuple(stage) for stage in stages if stage)


def _foreign_secret(path: str, title: str) -> Problem:
    detail = f"{title} exists with other values, and was not created by this collection"
    return _problem(
        path,
        FORBIDDEN,
        detail,
        hint=(f"name the host differently, or label the Secret {MANAGED_BY}={OURS} to have its values replaced"),
    )


def _foreign(path: str, title: str) -> Problem:
    detail = f"{title} exists, and is of another owner or of another InfraEnv"
    return _problem(
        path,
        FORBIDDEN,
        detail,
        hint=("its owner boots this machine: release it there first, or name the host differently"),
    )
