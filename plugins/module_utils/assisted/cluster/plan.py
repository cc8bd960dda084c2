# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Plan the requests that bring a cluster of an assisted-service to the desired state. Pure.

Values that the service itself adds are not reported as a difference: defaults, operators that other operators need, the
machine network that it derives from the hosts.

Source: openshift/assisted-service internal/bminventory/inventory.go,
  internal/cluster/validations/pull_secret_validation.go, internal/manifests/manifests.go.
"""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Mapping, Sequence
from typing import Any

from ...common import json_text
from ...common.addresses import canonical_ip
from ...common.errors import InvalidInput, ZeroTouchError
from ...common.problems import FORBIDDEN, REQUIRED
from ..change import Difference, Equal, ServiceChange, differing, same_json, same_list, same_value
from ..lookup import host_title
from ..rest.client import Document, members
from ..shown_text import shown_yaml
from .desired import ONLY_UPDATED, DesiredServiceCluster, problem

# Fields that a PATCH does not accept.
FIXED = ("openshift_version", "ocp_release_image", "cpu_architecture", "high_availability_mode")
# Field -> option, where their names differ.
_OPTIONS = {"cpu_architecture": "arch"}
# States of a cluster in which the service accepts changes.
CHANGEABLE = frozenset({"insufficient", "ready", "pending-for-input", "adding-hosts"})
OVERRIDES, MANIFEST, IGNORED = "install-config overrides of", "manifest", "ignored validations of"


@dataclasses.dataclass(frozen=True)
class ObservedCluster:
    """``manifests`` holds the content by folder and name of those that the desired state speaks of and that exist;
    ``ignored`` is read if it is spoken of.
    """

    document: Document
    manifests: Mapping[tuple[str, str], str] = dataclasses.field(default_factory=dict)
    ignored: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class ServiceClusterPlan:
    changes: Sequence[ServiceChange] = ()
    warnings: Sequence[str] = ()


def plan_present(requested: DesiredServiceCluster, observed: ObservedCluster | None) -> ServiceClusterPlan:
    """What makes the cluster as described.

    Raises :class:`InvalidInput` for what is missing or cannot be changed, :class:`ZeroTouchError` where the service
    takes no changes any more.
    """
    title = f"cluster {requested.name}"
    if observed is None:
        changes = [
            _creation(requested, title),
            *_after_import(requested, title),
            *_around(requested, title, ObservedCluster({})),
        ]
        return ServiceClusterPlan(changes)
    document = observed.document
    differences, warnings = _differences(requested, document)
    changes = (
        [ServiceChange("update", title, {item.field: item.after for item in differences}, differences)]
        if differences
        else []
    )
    changes += _around(requested, title, observed)
    status = str(document.get("status") or "")
    if changes and status not in CHANGEABLE:
        listed = "; ".join(change.text() for change in changes)
        raise ZeroTouchError(
            f"Cluster {requested.name} is {status}, so the service accepts no changes. These settings differ: "
            f"{listed}.",
            "Reset the installation with assisted_install first, or keep the present values.",
        )
    return ServiceClusterPlan(changes, warnings)


def plan_absent(name: str, document: Document | None) -> ServiceClusterPlan:
    """What takes the cluster away; the service forgets its hosts with it."""
    if document is None:
        return ServiceClusterPlan()
    hosts = [host_title(host) for host in members(document.get("hosts"))]
    return ServiceClusterPlan(
        [
            ServiceChange(
                "delete",
                f"cluster {name}",
                reason=(f"and with it its hosts {', '.join(sorted(hosts))}") if hosts else "",
            )
        ]
    )


def _creation(requested: DesiredServiceCluster, title: str) -> ServiceChange:
    if requested.existing is not None:
        return ServiceChange("import", title, requested.existing, reason="the service does not know it")
    missing = [
        name
        for name, value in (
            ("openshift_version", requested.params.get("openshift_version")),
            ("pull_secret", requested.pull_secret),
        )
        if not value
    ]
    if missing:
        raise InvalidInput(
            [
                problem(name, REQUIRED, (f"there is no cluster {requested.name} yet, and a new one needs this"))
                for name in missing
            ]
        )
    params = {name: value for name, value in requested.params.items() if name not in ONLY_UPDATED}
    return ServiceChange(
        "create",
        title,
        {"name": requested.name, **params, "pull_secret": requested.pull_secret},
        reason="it does not exist",
    )


def _after_import(requested: DesiredServiceCluster, title: str) -> list[ServiceChange]:
    """An import takes names and version only; the rest follows as a change, as the client of the agent ISO does it."""
    rest = {name: value for name, value in requested.params.items() if name not in FIXED}
    if requested.existing is None or not rest:
        return []
    return [ServiceChange("update", title, rest, [Difference(name, None, value) for name, value in rest.items()])]


def _differences(requested: DesiredServiceCluster, document: Document) -> tuple[list[Difference], list[str]]:
    shown = {
        **document,
        "additional_ntp_source": document.get("additional_ntp_source"),
        "olm_operators": list(members(document.get("monitored_operators"))),
    }
    found = differing(requested.params, shown, _EQUAL)
    fixed = [
        problem(
            _OPTIONS.get(item.field, item.field), FORBIDDEN, f"cannot be changed; it is {item.before}", str(item.after)
        )
        for item in found
        if item.field in FIXED
    ]
    if fixed:
        raise InvalidInput(fixed)
    warnings = []
    if any(item.field == "machine_networks" for item in found) and _derives_networks(requested, document):
        networks = (
            ", ".join(str(each.get("cidr")) for each in members(document.get("machine_networks"))) or "not known yet"
        )
        warnings = [
            (
                f"The service derives machine_networks of cluster {requested.name} from hosts and VIPs "
                f"({networks}), and accepts no other value."
            )
        ]
        found = [item for item in found if item.field != "machine_networks"]
    if requested.replace_pull_secret and requested.pull_secret:
        found.append(Difference("pull_secret", None, requested.pull_secret))
    return found, warnings


def _derives_networks(requested: DesiredServiceCluster, document: Document) -> bool:
    """Whether setting the machine network is forbidden.

    Source: openshift/assisted-service internal/bminventory/inventory.go, internal/cluster/validations.
    """

    def value(name: str) -> Any:
        return requested.params[name] if requested.params.get(name) is not None else document.get(name)

    balancer = (value("load_balancer") or {}).get("type")
    return not value("vip_dhcp_allocation") and balancer != "user-managed" and not value("user_managed_networking")


def _around(requested: DesiredServiceCluster, title: str, observed: ObservedCluster) -> list[ServiceChange]:
    """What is set by requests of its own."""
    changes = []
    before = observed.document.get("install_config_overrides")
    if requested.overrides is not None and not same_json(requested.overrides, before):
        difference = Difference("install_config_overrides", before or None, requested.overrides)
        # An empty text would be refused as no JSON; an empty object overrides nothing.
        changes.append(
            ServiceChange("update", f"{OVERRIDES} {title}", {"overrides": requested.overrides or "{}"}, [difference])
        )
    for manifest in requested.manifests:
        found = observed.manifests.get((manifest.folder, manifest.name))
        name = f"{MANIFEST} {manifest.folder}/{manifest.name}"
        key = {"folder": manifest.folder, "file_name": manifest.name}
        if manifest.absent and found is not None:
            changes.append(ServiceChange("delete", name, key))
        elif not manifest.absent and found != manifest.content:
            verb = "create" if found is None else "update"
            difference = Difference(
                "content", None if found is None else shown_yaml(found), shown_yaml(manifest.content)
            )
            changes.append(ServiceChange(verb, name, {**key, "content": manifest.content}, [difference]))
    return changes + _ignored(requested, title, observed)


def _ignored(requested: DesiredServiceCluster, title: str, observed: ObservedCluster) -> list[ServiceChange]:
    now = {name: ignored_ids(observed.ignored, name) for name in ("host", "cluster")}
    wanted = {"host": requested.ignored_hosts, "cluster": requested.ignored_cluster}
    differences = [
        Difference(f"{name} validations", now[name] or None, sorted(ids))
        for name, ids in wanted.items()
        if ids is not None and sorted(ids) != now[name]
    ]
    if not differences:
        return []
    body = {name: sorted(ids) if ids is not None else now[name] for name, ids in wanted.items()}
    return [ServiceChange("update", f"{IGNORED} {title}", body, differences)]


def ignored_ids(document: Mapping[str, Any], name: str) -> list[str]:
    """The ids in the service's answer, which holds lists as text."""
    text = document.get(f"{name}-validation-ids")
    try:
        ids = json_text.parse_remote(text) if isinstance(text, str) and text.strip() else text
    except ValueError:
        return []
    return sorted(str(each) for each in ids) if isinstance(ids, list) else []


def _same_version(wanted: Any, found: Any) -> bool:
    """``4.22`` means its newest release, which the service then shows."""
    return bool(wanted == found) or str(found or "").startswith(f"{wanted}.")


def _same_architecture(wanted: Any, found: Any) -> bool:
    return bool({"aarch64": "arm64"}.get(wanted, wanted) == {"aarch64": "arm64"}.get(str(found), found))


def _same_words(wanted: Any, found: Any) -> bool:
    return sorted(str(wanted).split(",")) == sorted(str(found or "").split(","))


def _same_addresses(wanted: Any, found: Any) -> bool:
    return [canonical_ip(str(each.get("ip"))) for each in wanted] == [
        canonical_ip(str(each.get("ip"))) for each in members(found)
    ]


def _same_networks(wanted: Any, found: Any) -> bool:
    """By network, and by prefix of the hosts where the desired state names one."""
    known = [(_network(each.get("cidr")), each.get("host_prefix")) for each in members(found)]
    asked = [(_network(each.get("cidr")), each.get("host_prefix")) for each in wanted]
    return len(known) == len(asked) and all(
        have[0] == want[0] and want[1] in (None, have[1]) for have, want in zip(known, asked, strict=True)
    )


def _same_operators(wanted: Any, found: Any) -> bool:
    """Those that others need are added by the service, so one too many is no difference; none wanted and some there
    is.
    """
    known = {
        str(each.get("name")): each.get("properties") or ""
        for each in members(found)
        if each.get("operator_type", "olm") == "olm"
    }
    if not wanted:
        return not known
    return all(
        each["name"] in known and same_json(each.get("properties") or "", known[each["name"]]) for each in wanted
    )


def _same_bundles(wanted: Any, found: Any) -> bool:
    """By id, and by the optional operators of those that name some."""
    known = {str(each.get("id")): sorted(each.get("optional_operators") or ()) for each in members(found)}
    if {str(each["id"]) for each in wanted} != set(known):
        return False
    return all(
        sorted(each["optional_operators"]) == known[str(each["id"])] for each in wanted if "optional_operators" in each
    )


def _same_members(wanted: Any, found: Any) -> bool:
    """Every member that is named, at any depth; texts that are JSON by what they say."""
    have = found if isinstance(found, Mapping) else {}
    for key, value in wanted.items():
        equal = (
            _same_members(value, have.get(key))
            if isinstance(value, Mapping)
            else same_value(value, have.get(key)) or same_json(value, have.get(key))
        )
        if not equal:
            return False
    return True


def _same_balancer(wanted: Any, found: Any) -> bool:
    return bool(wanted.get("type") == ((found or {}).get("type") or "cluster-managed"))


def _network(text: Any) -> str:
    try:
        return str(ipaddress.ip_network(str(text), strict=False))
    except ValueError:
        return str(text)


_EQUAL: Mapping[str, Equal] = {
    "openshift_version": _same_version,
    "cpu_architecture": _same_architecture,
    "hyperthreading": _same_words,
    "api_vips": _same_addresses,
    "ingress_vips": _same_addresses,
    "cluster_networks": _same_networks,
    "service_networks": _same_networks,
    "machine_networks": _same_networks,
    "olm_operators": _same_operators,
    "operator_bundles": _same_bundles,
    "platform": _same_members,
    "disk_encryption": _same_members,
    "ignition_endpoint": _same_members,
    "load_balancer": _same_balancer,
    "tags": same_list,
    "ntp_sources": same_list,
    "additional_ntp_source": same_list,
}
