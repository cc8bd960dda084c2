# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the options of an InfraEnv, and render the desired objects for the hub.

An option that is not set is not managed: the object keeps its value. An option that is set to an empty value clears the
field.

Source: openshift/assisted-service internal/controller/controllers/infraenv_controller.go,
  pkg/staticnetworkconfig/generator.go.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...cluster.discovery_options import check_ignition, check_interfaces, check_pull_secret, check_texts, image_problem
from ...common.errors import InvalidInput
from ...common.problems import DUPLICATE, FORBIDDEN, INVALID, REQUIRED, Problem
from ...kube.write import OURS

Object = dict[str, Any]

BELONGS_TO = "infraenvs.agent-install.openshift.io"
# NMStateConfigs are selected in all namespaces (2.4); this keeps those of an InfraEnv of the same name elsewhere out.
BELONGS_TO_NAMESPACE = f"{OURS}/namespace"

# Options that are one field of the spec.
SIMPLE_FIELDS = {
    "additional_ntp_sources": "additionalNTPSources",
    "ntp_sources": "ntpSources",
    "image_type": "imageType",
    "os_image_version": "osImageVersion",
    "arch": "cpuArchitecture",
    "ignition_config_override": "ignitionConfigOverride",
    "ipxe_script_type": "ipxeScriptType",
    "additional_trust_bundle": "additionalTrustBundle",
    "network_discovery_delay_seconds": "networkDiscoveryDelaySeconds",
}
# Named image_proxy because proxy is how we ourselves reach the hub.
_PROXY = {"http_proxy": "httpProxy", "https_proxy": "httpsProxy", "no_proxy": "noProxy"}

_LABEL_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?")


@dataclasses.dataclass(frozen=True)
class DesiredInfraEnv:
    """The desired objects, each with only the fields that the user gave.

    ``nmstate_configs`` is None when the user said nothing about hosts. ``pull_secret_name`` is a Secret that the user
    made himself.
    """

    name: str
    namespace: str
    infra_env: Object
    secret: Object | None = dataclasses.field(default=None, repr=False)
    pull_secret_name: str = ""
    nmstate_configs: tuple[Object, ...] | None = None

    @property
    def selector(self) -> str:
        """Label selector of everything that belongs to the InfraEnv."""
        return f"{BELONGS_TO}={self.name}"


def own_pull_secret(name: str) -> str:
    """The Secret that we make for an InfraEnv."""
    return f"{name}-pull-secret"


def read_requested(options: Mapping[str, Any]) -> DesiredInfraEnv:
    """The desired state in a module's options. Raises :class:`InvalidInput` with everything that is wrong with them."""
    problems = [problem for check in _CHECKS for problem in check(options)]
    if problems:
        raise InvalidInput(problems)
    name, namespace = options["name"], options["namespace"]
    secret_name = options.get("pull_secret_name") or (own_pull_secret(name) if options.get("pull_secret") else "")
    return DesiredInfraEnv(
        name=name,
        namespace=namespace,
        infra_env=_infra_env(options, secret_name),
        secret=_secret(own_pull_secret(name), namespace, options["pull_secret"])
        if options.get("pull_secret")
        else None,
        pull_secret_name=str(options.get("pull_secret_name") or ""),
        nmstate_configs=None
        if options.get("hosts") is None
        else tuple(_nmstate_config(name, namespace, host) for host in options["hosts"]),
    )


def _infra_env(options: Mapping[str, Any], secret_name: str) -> Object:
    spec: Object = {
        field: _cleared(options[option]) for option, field in SIMPLE_FIELDS.items() if options.get(option) is not None
    }
    if options.get("ssh_public_keys") is not None:
        spec["sshAuthorizedKey"] = _cleared("\n".join(options["ssh_public_keys"]))
    if secret_name:
        spec["pullSecretRef"] = {"name": secret_name}
    for option, field in (("cluster", "clusterRef"), ("mirror_registry", "mirrorRegistryRef")):
        if options.get(option) is not None:
            spec[field] = (
                {key: options[option][key] for key in ("name", "namespace")} if _provided(options[option]) else None
            )
    if options.get("image_proxy") is not None:
        proxy = {field: _cleared(options["image_proxy"].get(option)) for option, field in _PROXY.items()}
        spec["proxy"] = proxy if any(proxy.values()) else None
    if options.get("kernel_arguments") is not None:
        spec["kernelArguments"] = [
            {"operation": each["operation"], "value": each["value"]} for each in options["kernel_arguments"]
        ] or None
    if options.get("agent_labels") is not None:
        spec["agentLabels"] = _texts(options["agent_labels"]) or None
    if options.get("auto_approve") is not None:
        spec["agentApproval"] = {"autoApprove": options["auto_approve"]}
    if options.get("hosts") is not None:
        spec["nmStateConfigLabelSelector"] = (
            {"matchLabels": _belonging(options["name"], options["namespace"])} if options["hosts"] else None
        )
    metadata: Object = {"name": options["name"], "namespace": options["namespace"]}
    for part in ("labels", "annotations"):
        if options.get(part):
            metadata[part] = {str(key): None if value is None else str(value) for key, value in options[part].items()}
    return {"metadata": metadata, "spec": spec}


def _belonging(name: str, namespace: str) -> dict[str, str]:
    return {BELONGS_TO: name, BELONGS_TO_NAMESPACE: namespace}


def _cleared(value: Any) -> Any:
    """None, which deletes the field, for an empty value; JSON of an Ignition override as the service takes it."""
    if isinstance(value, str):
        return value.strip() or None
    return None if value in ({}, []) else value


def _provided(reference: Mapping[str, Any]) -> bool:
    return bool(reference.get("name") or reference.get("namespace"))


def _texts(mapping: Mapping[str, Any]) -> dict[str, str]:
    return {str(key): str(value) for key, value in mapping.items()}


def _secret(name: str, namespace: str, pull_secret: Any) -> Object:
    text = pull_secret.strip() if isinstance(pull_secret, str) else json.dumps(pull_secret)
    return {
        "metadata": {"name": name, "namespace": namespace},
        "type": "kubernetes.io/dockerconfigjson",
        "data": {".dockerconfigjson": base64.b64encode(text.encode()).decode()},
    }


def nmstate_config_name(infra_env: str, host: str) -> str:
    """``<infra env>-<host>`` with the characters that a Kubernetes name may have."""
    return f"{infra_env}-{re.sub(r'[^-a-z0-9.]', '-', host.lower()).strip('-.')}"


def _nmstate_config(infra_env: str, namespace: str, host: Mapping[str, Any]) -> Object:
    return {
        "metadata": {
            "name": nmstate_config_name(infra_env, host["name"]),
            "namespace": namespace,
            "labels": _belonging(infra_env, namespace),
        },
        "spec": {
            "interfaces": [
                {"name": each["name"], "macAddress": each["mac_address"].lower()} for each in host["interfaces"]
            ],
            "config": host["network_config"],
        },
    }


def _check_names(options: Mapping[str, Any]) -> Iterator[Problem]:
    for option in ("name", "namespace"):
        if not _LABEL_NAME.fullmatch(str(options[option])):
            detail = "must be lower case letters, digits, '-' and '.', at most 63: it becomes a label of every Agent"
            yield image_problem(option, INVALID, detail, str(options[option]))


def _check_exclusive(options: Mapping[str, Any]) -> Iterator[Problem]:
    if options.get("ntp_sources") and options.get("additional_ntp_sources"):
        yield image_problem(
            "ntp_sources",
            FORBIDDEN,
            ("ntp_sources replaces the servers that additional_ntp_sources would be added to; give one of them"),
        )
    if options.get("pull_secret") and options.get("pull_secret_name"):
        yield image_problem("pull_secret_name", FORBIDDEN, "pull_secret and pull_secret_name are both given; give one")
    for option in ("cluster", "mirror_registry"):
        reference = options.get(option) or {}
        for key in ("name", "namespace") if _provided(reference) else ():
            if not reference.get(key):
                yield image_problem(f"{option}.{key}", REQUIRED, "name and namespace belong together")


def _check_hosts(options: Mapping[str, Any]) -> Iterator[Problem]:
    hosts: Sequence[Mapping[str, Any]] = options.get("hosts") or []
    names: dict[str, str] = {}
    macs: dict[str, str] = {}
    for index, host in enumerate(hosts):
        where = f"hosts[{index}]"
        name = nmstate_config_name(str(options["name"]), host["name"])
        if name in names:
            yield image_problem(
                f"{where}.name", DUPLICATE, f"its NMStateConfig {name} is also that of {names[name]}", host["name"]
            )
        names.setdefault(name, f"{where} ({host['name']})")
        if not host.get("network_config"):
            yield image_problem(
                f"{where}.network_config", REQUIRED, ("the host's nmstate document; leave out hosts that use DHCP")
            )
        yield from check_interfaces(f"{where}.interfaces", host, macs)


_CHECKS: tuple[Callable[[Mapping[str, Any]], Iterator[Problem]], ...] = (
    _check_names,
    _check_exclusive,
    check_pull_secret,
    check_texts,
    check_ignition,
    _check_hosts,
)
