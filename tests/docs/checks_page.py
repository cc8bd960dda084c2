# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Generate docs/reference/checks.md: the table of checks, grouped by subject."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.checks import CHECKS

from .sentences import sentences

_HEAD = """# Checks

<!-- Generated from plugins/module_utils/cluster/rules/checks.py: PYTHONPATH=.build python tests/generate_docs.py -->

After reading this page you can look up the rule of a check, and set its severity.

The collection checks a configuration with the rules of openshift-install and with checks of its own. This page has the checks with a name: the
collection's own, and the installer's warnings. A message of a check looks like this:

    openshift_host[worker-0].network_config.interfaces[1].mtu: Invalid value: 9000: is above that of its parent eno1 (1500) (correct the mtu)

`problems[].check` in the result of the task has the name of the check, here `mtu`. The messages are in
[errors-configuration.md](errors-configuration.md#checks). Messages of the installer, and about reading files and variables, are in other sections of that page.

`openshift_checks` sets the severity of a check to `error`, `warn` or `off`:

```yaml
openshift_checks: {certificate-expired: error, mtu: "off"}
```

An error of the installer itself cannot be changed to a warning. The column *rule* says what a correct configuration looks like. A rehearsal in the
lab sets `release-not-pinned` to `off`, so that no registry outside of the lab is contacted.
"""  # noqa: E501
_TABLE = "| check | default | rule | correction |\n|---|---|---|---|\n"
GROUPS: Mapping[str, tuple[str, ...]] = {
    "Addresses and networks": (
        "address-families",
        "address-in-cluster-network",
        "address-outside-machine-network",
        "address-unusable",
        "docker-bridge-overlap",
        "duplicate-address",
        "prefix-mismatch",
        "rendezvous-host",
        "rendezvous-network",
        "subnets-overlap",
        "vip-clash",
    ),
    "Interfaces and routes of a host": (
        "base-interface-missing",
        "bond-port-missing",
        "boot-mac",
        "default-route-missing",
        "dns-missing",
        "gateway-unreachable",
        "interface-mac-mismatch",
        "interface-name",
        "interface-table",
        "mtu",
        "network-config-ignored",
        "port-missing",
    ),
    "Hosts": (
        "duplicate-bmc",
        "duplicate-hostname",
        "duplicate-mac",
        "fencing-host",
        "fewer-hosts",
        "hostname-invalid",
        "hosts-defined-twice",
        "root-device-conflict",
    ),
    "Certificates and registries": (
        "certificate-authority",
        "certificate-expired",
        "certificate-not-yet-valid",
        "pull-secret-auth",
        "registry-without-credentials",
        "release-registry-without-credentials",
    ),
    "Release": (
        "release-image",
        "release-image-mismatch",
        "release-image-tag",
        "release-mirror",
        "release-not-pinned",
        "release-unknown",
    ),
    "Files and values": ("deprecated-field", "ignored-field", "layout-upgraded", "text-expected", "unknown-value"),
}


def checks_page() -> str:
    return _HEAD + "".join(_group(title, names) for title, names in GROUPS.items())


def _group(title: str, names: tuple[str, ...]) -> str:
    return f"\n## {title}\n\n{_TABLE}" + "".join(_row(name) for name in names)


def _row(name: str) -> str:
    check = CHECKS[name]
    return f"| `{name}` | {check.default} | {check.text} | {sentences(check.correction)} |\n"
