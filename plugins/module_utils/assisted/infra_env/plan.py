# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Convert the user's options to the desired InfraEnv of an assisted-service, and plan the requests that are needed.
Pure.

An omitted option leaves its field unchanged; an empty option clears it. Values that the service itself adds are not
reported as a difference.

Source: openshift/assisted-service internal/bminventory/inventory.go, internal/bminventory/inventory_v2_handlers.go.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...cluster.discovery_options import check_ignition, check_interfaces, check_pull_secret, check_texts, image_problem
from ...common import libraries, yaml_text
from ...common.addresses import normal_mac
from ...common.errors import InvalidInput
from ...common.problems import DUPLICATE, FORBIDDEN, REQUIRED, Problem
from ..change import Difference, Equal, ServiceChange, differing, same_json, same_list
from ..lookup import host_title
from ..rest.client import Document, members

# Options with a field of the same name; those whose field is a comma-separated list are in _LISTS.
_SAME = ("image_type", "openshift_version", "ignition_config_override", "additional_trust_bundle")
_NUMBERS = ("network_discovery_delay_seconds", "rendezvous_ip")
_LISTS = ("additional_ntp_sources", "ntp_sources")
_FIXED = ("cpu_architecture", "cluster_id")


@dataclasses.dataclass(frozen=True)
class DesiredServiceInfraEnv:
    """``params`` are fields of infra-env-create-params, only what the user gave; ``cluster_id`` None: not given.

    ``replace_pull_secret``: send it although the service does not show whether it differs.
    """

    name: str
    params: Mapping[str, Any]
    cluster_id: str | None = None
    pull_secret: str = dataclasses.field(default="", repr=False)
    replace_pull_secret: bool = False


def read_requested(options: Mapping[str, Any], cluster_id: str | None = None) -> DesiredServiceInfraEnv:
    """The desired state in a module's options. Raises :class:`InvalidInput` with everything that is wrong with them."""
    problems = [problem for check in _CHECKS for problem in check(options)]
    if problems:
        raise InvalidInput(problems)
    params: dict[str, Any] = {name: str(options[name]).strip() for name in _SAME if options.get(name) is not None}
    if options.get("ssh_public_keys") is not None:
        params["ssh_authorized_key"] = "\n".join(options["ssh_public_keys"]).strip()
    if options.get("arch") is not None:
        params["cpu_architecture"] = options["arch"]
    params |= {name: options[name] for name in _NUMBERS if options.get(name) is not None}
    params |= {name: ",".join(options[name]) for name in _LISTS if options.get(name) is not None}
    if options.get("image_proxy") is not None:
        params["proxy"] = {
            key: options["image_proxy"].get(key) or "" for key in ("http_proxy", "https_proxy", "no_proxy")
        }
    if options.get("kernel_arguments") is not None:
        params["kernel_arguments"] = [
            {"operation": each["operation"], "value": each["value"]} for each in options["kernel_arguments"]
        ]
    if options.get("hosts") is not None:
        params["static_network_config"] = [
            static_network(host["interfaces"], host["network_config"]) for host in options["hosts"]
        ]
    return DesiredServiceInfraEnv(
        options["name"],
        params,
        cluster_id,
        pull_secret_text(options.get("pull_secret")),
        bool(options.get("replace_pull_secret")),
    )


def static_network(interfaces: Sequence[Mapping[str, Any]], network_config: Mapping[str, Any]) -> dict[str, Any]:
    """One element of ``static_network_config``: the nmstate document with sorted keys, as the client of the agent ISO
    sends it.
    """
    names = [{"mac_address": each["mac_address"], "logical_nic_name": each["name"]} for each in interfaces]
    return {"mac_interface_map": names, "network_yaml": libraries.yaml.safe_dump(dict(network_config), sort_keys=True)}


def pull_secret_text(provided: Any) -> str:
    """The pull secret as the service takes it, from text or mapping."""
    if not provided:
        return ""
    return provided.strip() if isinstance(provided, str) else json.dumps(provided)


def plan_present(requested: DesiredServiceInfraEnv, observed: Document | None) -> list[ServiceChange]:
    """What makes the InfraEnv as described.

    Raises :class:`InvalidInput` for what cannot be changed, or is missing for a new one.
    """
    title = f"infra-env {requested.name}"
    if observed is None:
        if not requested.pull_secret:
            raise InvalidInput(
                [
                    image_problem(
                        "pull_secret",
                        REQUIRED,
                        (f"there is no InfraEnv {requested.name} yet, and a new one needs a pull secret"),
                    )
                ]
            )
        body = {
            "name": requested.name,
            **requested.params,
            "pull_secret": requested.pull_secret,
            **({"cluster_id": requested.cluster_id} if requested.cluster_id else {}),
        }
        return [ServiceChange("create", title, body, reason="it does not exist")]
    shown = {**observed, "image_type": observed.get("type")}
    wanted = {**requested.params, **({} if requested.cluster_id is None else {"cluster_id": requested.cluster_id})}
    found = differing(wanted, shown, _EQUAL)
    problems = [_fixed(item) for item in found if item.field in _FIXED]
    if problems:
        raise InvalidInput(problems)
    if requested.replace_pull_secret and requested.pull_secret:
        found.append(Difference("pull_secret", None, requested.pull_secret))
    return [ServiceChange("update", title, {item.field: item.after for item in found}, found)] if found else []


def plan_absent(
    name: str, observed: Document | None, hosts: Sequence[Document], *, delete_hosts: bool
) -> list[ServiceChange]:
    """What takes it away, its hosts first. Raises :class:`InvalidInput` where hosts are in the way."""
    if observed is None:
        return []
    if hosts and not delete_hosts:
        listed = ", ".join(f"{host_title(host)} ({host.get('status')})" for host in hosts)
        detail = f"InfraEnv {name} cannot be deleted, because it still has {len(hosts)} hosts: {listed}"
        raise InvalidInput(
            [image_problem("state", FORBIDDEN, detail, hint="With delete_hosts true the service forgets them.")]
        )
    forget = [ServiceChange("delete", f"host {host_title(host)}", {"id": host.get("id")}) for host in hosts]
    return [*forget, ServiceChange("delete", f"infra-env {name}")]


def _fixed(difference: Difference) -> Problem:
    option = {"cluster_id": "cluster_name", "cpu_architecture": "arch"}.get(difference.field, difference.field)
    before = difference.before or "none"
    detail = f"cannot be changed; it is {before}"
    return image_problem(
        option, FORBIDDEN, detail, str(difference.after), ("Delete the InfraEnv first, or choose another name.")
    )


def _same_version(wanted: Any, found: Any) -> bool:
    """The service keeps the version of the live image (``4.22``) for any release of it (``4.22.3``)."""
    return wanted == found or str(found or "").split(".")[:2] == str(wanted).split(".")[:2]


def _same_architecture(wanted: Any, found: Any) -> bool:
    return bool({"aarch64": "arm64"}.get(wanted, wanted) == {"aarch64": "arm64"}.get(str(found), found))


def _same_proxy(wanted: Any, found: Any) -> bool:
    return {key: value for key, value in wanted.items() if value} == {
        key: value for key, value in (found or {}).items() if value
    }


def _same_network(wanted: Any, found: Any) -> bool:
    """The service sorts hosts and NICs, and may write the document in another way."""
    return _networks(wanted) == _networks(found)


def _networks(configs: Any) -> list[str]:
    return sorted(
        json.dumps(
            [
                sorted(
                    (normal_mac(str(nic.get("mac_address"))), str(nic.get("logical_nic_name")))
                    for nic in members(config.get("mac_interface_map"))
                ),
                _nmstate(config.get("network_yaml")),
            ],
            sort_keys=True,
            default=str,
        )
        for config in members(configs)
    )


def _nmstate(text: Any) -> Any:
    try:
        return yaml_text.load_remote(str(text or ""))
    except yaml_text.NotYaml:
        return text


_EQUAL: Mapping[str, Equal] = {
    "additional_ntp_sources": same_list,
    "ntp_sources": same_list,
    "ignition_config_override": same_json,
    "openshift_version": _same_version,
    "cpu_architecture": _same_architecture,
    "proxy": _same_proxy,
    "static_network_config": _same_network,
}


def _check_ntp(options: Mapping[str, Any]) -> Iterator[Problem]:
    if options.get("ntp_sources") and options.get("additional_ntp_sources"):
        yield image_problem(
            "ntp_sources",
            FORBIDDEN,
            ("ntp_sources replaces the servers that additional_ntp_sources would be added to; give one of them"),
        )
    if options.get("rendezvous_ip") and options.get("image_type") not in (None, "disconnected-iso"):
        yield image_problem("rendezvous_ip", FORBIDDEN, "only an image of type disconnected-iso has one")


def _check_hosts(options: Mapping[str, Any]) -> Iterator[Problem]:
    names: set[str] = set()
    macs: dict[str, str] = {}
    for index, host in enumerate(options.get("hosts") or []):
        if host["name"] in names:
            yield image_problem(f"hosts[{index}].name", DUPLICATE, "another host has this name", host["name"])
        names.add(host["name"])
        if not host.get("network_config"):
            yield image_problem(
                f"hosts[{index}].network_config",
                REQUIRED,
                ("the host's nmstate document; leave out hosts that use DHCP"),
            )
        yield from check_interfaces(f"hosts[{index}].interfaces", host, macs)


_CHECKS: tuple[Callable[[Mapping[str, Any]], Iterator[Problem]], ...] = (
    _check_ntp,
    check_pull_secret,
    check_texts,
    check_ignition,
    _check_hosts,
)
