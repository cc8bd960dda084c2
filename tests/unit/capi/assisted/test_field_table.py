# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the table of fields of module assisted_control_plane: each field of upstream's specs has a row, and each row
renders its option.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.capi.assisted.field_table import (
    CLUSTER_FIELDS,
    CONFIG_FIELDS,
    AssistedField,
    option_specs,
    rendered,
)

# Fields of the two specs (openshift-assisted/cluster-api-provider-openshift-assisted bootstrap/api/v1alpha2,
# controlplane/api/v1alpha3).
CONFIG = """proxy.httpProxy proxy.httpsProxy proxy.noProxy additionalNTPSources sshAuthorizedKey nmStateConfigLabelSelector cpuArchitecture kernelArguments
additionalTrustBundle osImageVersion preBootstrapCommands postBootstrapCommands bootstrapCommandSentinelDir postBootstrapKubeconfigPath nodeRegistration.name
nodeRegistration.kubeletExtraLabels nodeRegistration.providerID"""  # noqa: E501
CLUSTER = """baseDomain apiVIPs ingressVIPs manifestsConfigMapRefs diskEncryption.enableOn diskEncryption.mode diskEncryption.tangServers proxy.httpProxy
proxy.httpsProxy proxy.noProxy mastersSchedulable sshAuthorizedKey capabilities.baselineCapability capabilities.additionalEnabledCapabilities"""  # noqa: E501
NEWER = {
    "preBootstrapCommands",
    "postBootstrapCommands",
    "bootstrapCommandSentinelDir",
    "postBootstrapKubeconfigPath",
    "nodeRegistration.providerID",
}
VALUES: dict[str, Any] = {
    "manifests_config_maps": (["a", "b"], [{"name": "a"}, {"name": "b"}]),
    "ssh_public_keys": (["one", "two"], "one\ntwo"),
    "kernel_arguments": ([{"operation": "append", "value": "x=1"}], [{"operation": "append", "value": "x=1"}]),
}


def test_every_field_has_a_row() -> None:
    assert {row.upstream for row in CONFIG_FIELDS} == set(CONFIG.split())
    assert {row.upstream for row in CLUSTER_FIELDS} == set(CLUSTER.split())
    assert {row.upstream for row in CONFIG_FIELDS if row.since} == NEWER


@pytest.mark.parametrize("row", [*CONFIG_FIELDS, *CLUSTER_FIELDS], ids=lambda row: row.option)
def test_each_row_renders_its_option(row: AssistedField) -> None:
    kind = row.spec.get("type")
    sample = {"str": "text", "list": ["text"], "dict": {"matchLabels": {"a": "b"}}, "bool": True}[kind]
    value, wanted = VALUES.get(row.option, (sample, sample))
    options: dict[str, Any] = value
    for name in reversed(row.option.split(".")):
        options = {name: options}
    found: Any = rendered([row], options)
    for name in row.upstream.split("."):
        found = found[name]
    assert found == wanted
    outer = row.option.partition(".")[0]
    assert outer in option_specs([row])
    assert kind != "bool" or rendered([row], {row.option: False}) == {row.upstream: None}, "no conversion keeps it"
    assert rendered([row], {}) == {} and rendered([row], {outer: None}) == {}
