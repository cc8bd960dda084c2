# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the options that describe a cluster of an assisted-service, and convert them to ``cluster-create-params``, the
body of the request that creates it.

Source: openshift/assisted-service internal/bminventory/inventory.go, internal/cluster/validations.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...cluster.discovery_options import check_pull_secret
from ...common.errors import InvalidInput
from ...common.problems import FORBIDDEN, INVALID, REQUIRED, OwnCheck, Problem
from ..infra_env.plan import pull_secret_text

problem = OwnCheck("assisted-cluster")

# Options that are fields of the same name.
SAME = (
    "base_dns_domain",
    "openshift_version",
    "ocp_release_image",
    "control_plane_count",
    "high_availability_mode",
    "user_managed_networking",
    "vip_dhcp_allocation",
    "network_type",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "hyperthreading",
    "schedulable_masters",
    "api_vip_dns_name",
)
_NAME = re.compile(r"(?=.{1,54}$)[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
_LISTS = {"ntp_sources": "ntp_sources", "additional_ntp_sources": "additional_ntp_source", "tags": "tags"}
# What a PATCH takes and a creation does not.
ONLY_UPDATED = ("api_vip_dns_name",)


@dataclasses.dataclass(frozen=True)
class Manifest:
    """A manifest of the cluster that should exist, or should not."""

    folder: str
    name: str
    content: str = dataclasses.field(repr=False)
    absent: bool = False


@dataclasses.dataclass(frozen=True)
class DesiredServiceCluster:
    """``params`` are in the words of cluster-create-params, only what the user gave; what is None or empty besides was
    not spoken of.

    ``existing`` are the parameters of an import: a cluster that runs already and gets more hosts. ``overrides`` is JSON
    text.
    """

    name: str
    params: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    pull_secret: str = dataclasses.field(default="", repr=False)
    replace_pull_secret: bool = False
    existing: Mapping[str, Any] | None = None
    overrides: str | None = dataclasses.field(default=None, repr=False)
    manifests: Sequence[Manifest] = ()
    ignored_hosts: Sequence[str] | None = None
    ignored_cluster: Sequence[str] | None = None


def read_requested(options: Mapping[str, Any]) -> DesiredServiceCluster:
    """The desired state in a module's options. Raises :class:`InvalidInput` with everything that is wrong with them."""
    problems = [problem for check in _CHECKS for problem in check(options)]
    if problems:
        raise InvalidInput(problems)
    ignored = options.get("ignored_validations") or {}
    return DesiredServiceCluster(
        name=options["name"],
        params=_params(options),
        pull_secret=pull_secret_text(options.get("pull_secret")),
        replace_pull_secret=bool(options.get("replace_pull_secret")),
        existing=_existing(options["existing"], options) if options.get("existing") else None,
        overrides=None
        if options.get("install_config_overrides") is None
        else str(options["install_config_overrides"]).strip(),
        manifests=[_manifest(each) for each in options.get("manifests") or ()],
        ignored_hosts=ignored.get("hosts"),
        ignored_cluster=ignored.get("cluster"),
    )


def _params(options: Mapping[str, Any]) -> dict[str, Any]:
    params: dict[str, Any] = {name: _text(options[name]) for name in SAME if options.get(name) is not None}
    if options.get("arch") is not None:
        params["cpu_architecture"] = options["arch"]
    if options.get("ssh_public_keys") is not None:
        params["ssh_public_key"] = "\n".join(options["ssh_public_keys"]).strip()
    params |= {field: ",".join(options[option]) for option, field in _LISTS.items() if options.get(option) is not None}
    params |= {
        name: [{"ip": str(address)} for address in options[name]]
        for name in ("api_vips", "ingress_vips")
        if options.get(name) is not None
    }
    params |= {
        name: [{"cidr": str(cidr)} for cidr in options[name]]
        for name in ("service_networks", "machine_networks")
        if options.get(name) is not None
    }
    if options.get("cluster_networks") is not None:
        params["cluster_networks"] = [_provided(each) for each in options["cluster_networks"]]
    if options.get("olm_operators") is not None:
        params["olm_operators"] = [_provided(each) for each in options["olm_operators"]]
    if options.get("operator_bundles") is not None:
        params["operator_bundles"] = [_provided(each) for each in options["operator_bundles"]]
    for name in ("disk_encryption", "ignition_endpoint", "platform"):
        if options.get(name) is not None:
            params[name] = _provided(options[name])
    if options.get("load_balancer") is not None:
        params["load_balancer"] = {"type": options["load_balancer"]}
    return params


def _existing(existing: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    version = {"openshift_version": options["openshift_version"]} if options.get("openshift_version") else {}
    return {"name": options["name"], **_provided(existing), **version}


def _manifest(provided: Mapping[str, Any]) -> Manifest:
    return Manifest(
        provided["folder"], provided["file_name"], str(provided.get("content") or ""), provided.get("state") == "absent"
    )


def _provided(mapping: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _provided(value) if isinstance(value, Mapping) else value
        for key, value in mapping.items()
        if value is not None
    }


def _text(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _check_addresses(options: Mapping[str, Any]) -> Iterator[Problem]:
    for option in ("api_vips", "ingress_vips"):
        for index, address in enumerate(options.get(option) or ()):
            if not _readable(ipaddress.ip_address, address):
                yield problem(f"{option}[{index}]", INVALID, "is not an IP address", str(address))
    provided = [options.get(option) for option in ("api_vips", "ingress_vips")]
    if None not in provided and len(provided[0] or ()) != len(provided[1] or ()):
        yield problem("ingress_vips", INVALID, "there must be as many as api_vips, one for each address family")
    networks = [
        (f"{option}[{index}]", each)
        for option in ("service_networks", "machine_networks")
        for index, each in enumerate(options.get(option) or ())
    ]
    networks += [
        (f"cluster_networks[{index}].cidr", each["cidr"])
        for index, each in enumerate(options.get("cluster_networks") or ())
    ]
    yield from (
        problem(path, INVALID, "is not a network in CIDR form", str(cidr))
        for path, cidr in networks
        if not _readable(ipaddress.ip_network, cidr)
    )


def _check_texts(options: Mapping[str, Any]) -> Iterator[Problem]:
    for option in ("http_proxy", "https_proxy"):
        if options.get(option) and not str(options[option]).startswith("http://"):
            yield problem(
                option,
                INVALID,
                "the URL of a proxy must begin with http://, also that for HTTPS",
                str(options[option]).partition("//")[0],
            )
    if options.get("ntp_sources") and options.get("additional_ntp_sources"):
        yield problem("ntp_sources", FORBIDDEN, "the service takes either ntp_sources or additional_ntp_sources")
    for index, tag in enumerate(options.get("tags") or ()):
        if not all(word.replace("_", "a").isalnum() for word in tag.split(" ")):
            yield problem(
                f"tags[{index}]",
                INVALID,
                ("must be words of letters, digits and _; the service accepts no hyphen"),
                tag,
            )
    overrides = options.get("install_config_overrides")
    if overrides and str(overrides).strip() and not _is_object(str(overrides)):
        yield problem("install_config_overrides", INVALID, "is not a JSON object")


def _check_manifests(options: Mapping[str, Any]) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    for index, each in enumerate(options.get("manifests") or ()):
        path, name = f"manifests[{index}]", each["file_name"]
        if name in seen:
            yield problem(
                f"{path}.file_name",
                INVALID,
                (f"manifests[{seen[name]}] has this name; it must differ, also between the folders"),
                name,
            )
        seen.setdefault(name, index)
        if (
            "/" in name
            or " " in name
            or name.startswith(".")
            or not any(end in name for end in (".json", ".yaml", ".yml"))
        ):
            yield problem(
                f"{path}.file_name",
                INVALID,
                ("must be a plain name that ends with .yaml, .yml, .json or .yaml.patch"),
                name,
            )
        if each.get("state") != "absent" and not str(each.get("content") or "").strip():
            yield problem(f"{path}.content", REQUIRED, "a manifest that should exist has content")


def _check_existing(options: Mapping[str, Any]) -> Iterator[Problem]:
    existing = options.get("existing")
    for name in ("api_vip_dnsname", "openshift_cluster_id"):
        if existing and not existing.get(name):
            yield problem(f"existing.{name}", REQUIRED, "set both options to import a running cluster")


def _readable(read: Callable[[str], object], text: Any) -> bool:
    try:
        read(str(text))
    except ValueError:
        return False
    return True


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _check_name(options: Mapping[str, Any]) -> Iterator[Problem]:
    name = str(options["name"])
    # The name of one that is imported is often taken from its API's; dots are for platform none.
    if not _NAME.fullmatch(name):
        yield problem(
            "name",
            INVALID,
            (
                "must be at most 54 lower-case letters, digits and '-', or '.' on platform none, with none of these at "
                "its ends"
            ),
            name,
        )


_CHECKS: tuple[Callable[[Mapping[str, Any]], Iterator[Problem]], ...] = (
    _check_name,
    check_pull_secret,
    _check_addresses,
    _check_texts,
    _check_manifests,
    _check_existing,
)
