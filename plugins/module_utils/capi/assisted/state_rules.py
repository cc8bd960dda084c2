# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the desired state of a cluster against the objects that exist on the hub, with a table of rules. Each rule has
its source. Pure.

Paths without a repository are those of openshift-assisted/cluster-api-provider-openshift-assisted.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ...common.listed import listed
from ...common.problems import FORBIDDEN, INVALID, REQUIRED, OwnCheck, Problem
from ...hub.bare_metal_hosts.desired import DesiredBareMetalHosts
from ...hub.bare_metal_hosts.plan import ObservedBareMetalHosts, host_refusals
from ...hub.kinds import CONFIG_MAP, SECRET
from ...kube.write import is_ours
from ..objects import Object, deleting, part, text
from .desired import DesiredControlPlane, cluster_value
from .kinds import AssistedKinds
from .objects import WantedObject, bare_metal_hosts
from .observe import OPEN_STATES, ObservedControlPlane
from .release import is_older
from .rules import pull_secret_problems, registry_problems

_problem = OwnCheck("assisted-control-plane")
Found = Iterator[Problem]


class State(NamedTuple):
    """A description, its objects, and the objects on the hub."""

    desired: DesiredControlPlane
    kinds: AssistedKinds
    objects: tuple[WantedObject, ...]
    observed: ObservedControlPlane

    def present(self, kind: str) -> Object | None:
        return self.observed.objects.get((kind, self.desired.name))

    def wanted(self, kind: str) -> Object:
        return next(each.desired for each in self.objects if each.resource.kind == kind)


class StateRule(NamedTuple):
    """One check of a description against the hub. ``source`` is where the providers, or what they use, decide it."""

    check: Callable[[State], Found]
    source: str


def state_problems(state: State) -> list[Problem]:
    """Everything that cannot be as described, as the hub is now."""
    return [problem for rule in STATE_RULES for problem in rule.check(state)]


def _elsewhere(state: State) -> Found:
    if state.observed.elsewhere:
        detail = (
            f"is used by {listed(state.observed.elsewhere, 5)}; the providers search ClusterDeployments of all "
            "namespaces by this name"
        )
        yield _problem("name", FORBIDDEN, detail, state.desired.name, "Choose a name that is unique on the hub.")


def _going(state: State) -> Found:
    for kind in (state.kinds.core.cluster.kind, state.kinds.control_plane.kind):
        if deleting(state.present(kind)):
            yield _problem(
                "name",
                INVALID,
                f"{kind} {state.desired.namespace}/{state.desired.name} is being deleted",
                hint="Run again once it is deleted.",
            )


def _references(state: State) -> Found:
    """A Cluster of this name with another control plane or infrastructure is another cluster."""
    kind = state.kinds.core.cluster.kind
    present = state.present(kind)
    for field in ("controlPlaneRef", "infrastructureRef"):
        found, wanted = part(present, "spec", field), state.wanted(kind)["spec"][field]
        if found and any(found.get(key) != wanted[key] for key in ("kind", "name")):
            detail = (
                f"{kind} {state.desired.namespace}/{state.desired.name} has {field} {found.get('kind')} "
                f"{found.get('name')}"
            )
            yield _problem("name", FORBIDDEN, f"{detail}: it is another cluster", state.desired.name)


def _user_objects(state: State) -> Found:
    desired, observed = state.desired, state.observed
    if desired.user_pull_secret:
        secret = observed.get(SECRET, desired.user_pull_secret)
        if secret is None:
            yield _problem(
                "pull_secret_name", REQUIRED, "there is no such Secret in the namespace", desired.user_pull_secret
            )
        else:
            yield from pull_secret_problems(_decoded(secret, ".dockerconfigjson"), "pull_secret_name")
    for index, name in enumerate(cluster_value(desired, "manifests_config_maps") or ()):
        if observed.get(CONFIG_MAP, name) is None:
            yield _problem(
                f"manifests_config_maps[{index}]", REQUIRED, "there is no such ConfigMap in the namespace", name
            )
    if desired.registry_name and not desired.registry:
        config_map = observed.get(CONFIG_MAP, desired.registry_name)
        if config_map is None:
            yield _problem(
                "image_registry_name", REQUIRED, "there is no such ConfigMap in the namespace", desired.registry_name
            )
        else:
            yield from registry_problems(part(config_map, "data"), "image_registry_name")
    for plane in observed.control_planes if desired.registry_name else ():
        if plane["metadata"]["name"] != desired.name and text(plane, "spec", "config", "imageRegistryRef", "name"):
            detail = (
                f"{state.kinds.control_plane.kind} {plane['metadata']['name']} of this namespace has mirrors too; the "
                "provider keeps those of one alone"
            )
            yield _problem("image_registry_name", FORBIDDEN, detail, hint="Use another namespace.")


def _decoded(secret: Mapping[str, Any], key: str) -> str:
    try:
        return base64.b64decode(str(part(secret, "data").get(key) or ""), validate=True).decode()
    except ValueError:
        return ""


def _foreign_secrets(state: State) -> Found:
    """Contents of a Secret or ConfigMap that another tool made are not replaced."""
    for wanted in state.objects:
        found = state.observed.objects.get(wanted.key)
        if wanted.resource in (SECRET, CONFIG_MAP) and found is not None and not is_ours(found):
            detail = (
                f"{wanted.resource.kind} {state.desired.namespace}/{wanted.name} exists and was not created by this "
                "collection"
            )
            yield _problem(
                "name", FORBIDDEN, detail, hint=("Name it in pull_secret_name or image_registry_name, or delete it.")
            )


def _release(state: State) -> Found:
    present, version = (
        text(state.present(state.kinds.control_plane.kind), "spec", "distributionVersion"),
        state.desired.version,
    )
    if is_older(version, present):
        yield _problem(
            "version", FORBIDDEN, (f"the cluster has {present}; OpenShift does not return to an older version"), version
        )
    elif present and present != version and not _is_open(state) and not state.observed.installed:
        yield _problem(
            "version",
            FORBIDDEN,
            (f"the cluster is {state.observed.state}; its version changes again once it is installed"),
            version,
        )


def _new_size(state: State) -> Found:
    if state.present(state.kinds.control_plane.kind) is None and not state.desired.control_plane.replicas:
        yield _problem("control_plane.replicas", REQUIRED, "a new control plane without a number has no machines")


def _quorum(state: State) -> Found:
    present = part(state.present(state.kinds.control_plane.kind), "spec").get("replicas")
    number = state.desired.control_plane.replicas
    if isinstance(present, int) and number is not None and number < present and number < 3:
        detail = f"etcd loses its quorum below 3 of {present} members, and the provider does not check it"
        yield _problem("control_plane.replicas", FORBIDDEN, detail, str(number))


def _counts(state: State) -> Found:
    """assisted-service installs exactly as many hosts as were counted before it began."""
    if _is_open(state) or state.observed.installed:
        return
    hint = "Wait until it is installed, then run again."
    rows = [("control_plane", state.kinds.control_plane.kind, state.desired.name, state.desired.control_plane.replicas)]
    rows += [
        (pool.path, state.kinds.core.machine_deployment.kind, pool.name, pool.replicas) for pool in state.desired.pools
    ]
    for path, kind, name, replicas in rows:
        present = state.observed.objects.get((kind, name))
        before = part(present, "spec").get("replicas") or 0
        if replicas is not None and replicas != before:
            detail = (
                f"the cluster is {state.observed.state}, and the number of its hosts cannot change from {before} "
                "until it is installed"
            )
            yield _problem(f"{path}.replicas", FORBIDDEN, detail, str(replicas), hint)


def _is_open(state: State) -> bool:
    return state.observed.state in OPEN_STATES


def _machines(state: State) -> Found:
    """BareMetalHosts of other owners, addresses in use, machines that are another one by now."""
    observed = ObservedBareMetalHosts(hosts=state.observed.bare_metal_hosts)
    hosts = bare_metal_hosts(state.desired)
    described = DesiredBareMetalHosts(state.desired.namespace, "", hosts)
    for host in hosts:
        yield from host_refusals(host, described, observed)
        found = state.observed.bare_metal_hosts.get(host.name)
        if found is not None and not is_ours(found):
            detail = (
                f"BareMetalHost {state.desired.namespace}/{host.name} exists and was not created by this collection"
            )
            yield _problem(
                f"hosts[{host.name}].name",
                FORBIDDEN,
                detail,
                hint=("Its owner boots this machine: release it there, or select it by host_selector."),
            )


STATE_RULES = (
    StateRule(
        _elsewhere,
        (
            "bootstrap/internal/controller/openshiftassistedconfig_controller.go (search of the ClusterDeployment); "
            "ClusterImageSets have no namespace"
        ),
    ),
    StateRule(_going, "kubernetes-sigs/cluster-api internal/controllers/cluster/cluster_controller.go (deletion)"),
    StateRule(_references, "kubernetes-sigs/cluster-api api/core/v1beta2/cluster_types.go"),
    StateRule(_user_objects, "controlplane/internal/imageregistry/image_registry.go, controlplane/internal/auth"),
    StateRule(_foreign_secrets, "this collection: only what it created is changed"),
    StateRule(
        _release,
        ("controlplane/internal/upgrade/upgrade.go; openshift/assisted-service pkg/webhooks/hiveextension/v1beta1"),
    ),
    StateRule(
        _new_size, "controlplane/api/v1alpha3/openshiftassistedcontrolplane_types.go (replicas without a default)"
    ),
    StateRule(
        _quorum,
        (
            "controlplane/internal/controller/openshiftassistedcontrolplane_controller.go (scale down without a look "
            "at "
            "etcd)"
        ),
    ),
    StateRule(
        _counts,
        ("openshift/assisted-service pkg/webhooks/hiveextension/v1beta1/agentclusterinstall_validation_hook.go"),
    ),
    StateRule(
        _machines, ("metal3-io/baremetal-operator internal/webhooks/metal3.io/v1alpha1/baremetalhost_validation.go")
    ),
)
