# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define a table of the fields of an OpenshiftAssistedControlPlane and of an OpenshiftAssistedConfig.

Each row has the module option, the path in upstream's spec, the type, and the conversion of the value. The argument
spec and the rendered objects follow from the rows. A test compares them with the definitions of both versions of each
kind.

Source: openshift-assisted/cluster-api-provider-openshift-assisted
bootstrap/api/v1alpha2/openshiftassistedconfig_types.go,
controlplane/api/v1alpha3/openshiftassistedcontrolplane_types.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Spec = dict[str, Any]

_TEXT: Spec = {"type": "str"}
_TEXTS: Spec = {"type": "list", "elements": "str"}
_ENCRYPTED = [
    "none",
    "all",
    "masters",
    "arbiters",
    "workers",
    "masters,arbiters",
    "masters,workers",
    "arbiters,workers",
    "masters,arbiters,workers",
]


def _same(value: Any) -> Any:
    return value


def _lines(value: Iterable[str]) -> str:
    return "\n".join(value)


def _named(value: Iterable[str]) -> list[dict[str, str]]:
    return [{"name": name} for name in value]


def _arguments(value: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    return [{"operation": each["operation"], "value": each["value"]} for each in value]


@dataclasses.dataclass(frozen=True)
class AssistedField:
    """One field. ``option`` is its dotted name in the options, ``upstream`` its place in the spec, ``spec`` its
    argument spec.

    ``since`` is the first version of the kind that has it, where an older version lacks it. ``refused`` says why no
    value of it works.
    """

    option: str
    upstream: str
    spec: Mapping[str, Any] = dataclasses.field(default_factory=lambda: _TEXT)
    form: Callable[[Any], Any] = _same
    since: str = ""
    refused: str = ""


_NEW = "v1alpha2"
# spec of an OpenshiftAssistedConfig. pullSecretRef has no row: it is the cluster's, in all places where it is needed.
CONFIG_FIELDS = (
    AssistedField("image_proxy.http_proxy", "proxy.httpProxy"),
    AssistedField("image_proxy.https_proxy", "proxy.httpsProxy"),
    AssistedField("image_proxy.no_proxy", "proxy.noProxy"),
    AssistedField("additional_ntp_sources", "additionalNTPSources", _TEXTS),
    AssistedField("ssh_public_keys", "sshAuthorizedKey", {**_TEXTS, "no_log": False}, _lines),
    AssistedField("nmstate_config_selector", "nmStateConfigLabelSelector", {"type": "dict"}),
    AssistedField("arch", "cpuArchitecture", {"type": "str", "choices": ["x86_64", "aarch64", "ppc64le", "s390x"]}),
    AssistedField(
        "kernel_arguments",
        "kernelArguments",
        {
            "type": "list",
            "elements": "dict",
            "options": {
                "operation": {"type": "str", "choices": ["append", "replace", "delete"], "default": "append"},
                "value": {"type": "str", "required": True},
            },
        },
        _arguments,
    ),
    AssistedField("additional_trust_bundle", "additionalTrustBundle"),
    AssistedField(
        "os_image_version",
        "osImageVersion",
        refused=(
            "the provider's InfraEnvs name their cluster, and assisted-service accepts no osImageVersion beside a "
            "cluster"
        ),
    ),
    AssistedField("pre_bootstrap_commands", "preBootstrapCommands", _TEXTS, since=_NEW),
    AssistedField("post_bootstrap_commands", "postBootstrapCommands", _TEXTS, since=_NEW),
    AssistedField("bootstrap_command_sentinel_dir", "bootstrapCommandSentinelDir", since=_NEW),
    AssistedField("post_bootstrap_kubeconfig_path", "postBootstrapKubeconfigPath", since=_NEW),
    AssistedField("node_name", "nodeRegistration.name"),
    AssistedField("kubelet_extra_labels", "nodeRegistration.kubeletExtraLabels", _TEXTS),
    AssistedField("provider_id", "nodeRegistration.providerID", since=_NEW),
)

# spec.config of an OpenshiftAssistedControlPlane. clusterName and pullSecretRef have no rows: they follow from the
# cluster.
CLUSTER_FIELDS = (
    AssistedField("base_domain", "baseDomain"),
    AssistedField("api_vips", "apiVIPs", _TEXTS),
    AssistedField("ingress_vips", "ingressVIPs", _TEXTS),
    AssistedField("manifests_config_maps", "manifestsConfigMapRefs", _TEXTS, _named),
    AssistedField("disk_encryption.enable_on", "diskEncryption.enableOn", {"type": "str", "choices": _ENCRYPTED}),
    AssistedField("disk_encryption.mode", "diskEncryption.mode", {"type": "str", "choices": ["tpmv2", "tang"]}),
    AssistedField("disk_encryption.tang_servers", "diskEncryption.tangServers"),
    AssistedField("cluster_proxy.http_proxy", "proxy.httpProxy"),
    AssistedField("cluster_proxy.https_proxy", "proxy.httpsProxy"),
    AssistedField("cluster_proxy.no_proxy", "proxy.noProxy"),
    AssistedField("masters_schedulable", "mastersSchedulable", {"type": "bool"}),
    AssistedField("ssh_public_keys", "sshAuthorizedKey", {**_TEXTS, "no_log": False}, _lines),
    AssistedField("capabilities.baseline_capability", "capabilities.baselineCapability"),
    AssistedField("capabilities.additional_enabled_capabilities", "capabilities.additionalEnabledCapabilities", _TEXTS),
)


def option_specs(fields: Iterable[AssistedField]) -> dict[str, Spec]:
    """The argument specs of the rows; names with a dot are options within a dict."""
    found: dict[str, Spec] = {}
    for field in fields:
        outer, dot, inner = field.option.partition(".")
        if dot:
            found.setdefault(outer, {"type": "dict", "options": {}})["options"][inner] = dict(field.spec)
        else:
            found[outer] = dict(field.spec)
    return found


def value_of(field: AssistedField, options: Mapping[str, Any]) -> Any:
    """The user's value, None where there is none."""
    value: Any = options
    for name in field.option.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def rendered(fields: Iterable[AssistedField], options: Mapping[str, Any]) -> dict[str, Any]:
    """The spec that the options mean. Empty values are absent: the API stores them so. False deletes the key: the
    conversion webhooks of the providers store it so.
    """
    spec: dict[str, Any] = {}
    for field in fields:
        value = value_of(field, options)
        if value is None or value in ("", [], {}):
            continue
        *parents, last = field.upstream.split(".")
        place = spec
        for name in parents:
            place = place.setdefault(name, {})
        place[last] = None if value is False else field.form(value)
    return spec
