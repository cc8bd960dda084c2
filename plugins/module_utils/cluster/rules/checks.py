# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the checks whose severity a user can set in ``openshift_checks``, and create the problems that they report.

Errors that the installer itself reports have no name there: the installer would refuse the input anyway.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any, Literal

from ...common.problems import INVALID, UNSUPPORTED, Layer, Problem, Severity, nearest

INSTALL_CONFIG = "install-config.yaml"
AGENT_CONFIG = "agent-config.yaml"
_LEVELS: dict[str, Severity] = {"error": "error", "warn": "warning"}
# YAML reads the bare word off as false.
_OFF = ("false", "no")


@dataclasses.dataclass(frozen=True)
class Check:
    """``default`` is the severity unless ``openshift_checks`` sets another one. ``text`` is the rule and its reason,
    ``correction`` what the user can do.
    """

    default: Literal["error", "warn"]
    text: str
    correction: str
    layer: Layer = "ours"


CHECKS: Mapping[str, Check] = {
    "address-families": Check(
        "error",
        "Machine, cluster and service networks must have the same address families. Each virtual IP must have one of "
        "them. Otherwise the service does not start the installation (validation networks-same-address-families).",
        "give every list a network of each address family",
    ),
    "address-in-cluster-network": Check(
        "warn",
        "No host or name server may have an address in the networks of pods, services or OVN-Kubernetes: packets to "
        "such an address do not leave the host.",
        "choose another network for the cluster, or another address",
    ),
    "address-outside-machine-network": Check(
        "warn",
        "A host with static addresses must have an address in every machine network: the service waits for it before "
        "it installs. With a user-managed load balancer one of the networks is enough. With user-managed networking "
        "and several nodes this is not checked.",
        "correct the address or the machine networks",
    ),
    "address-unusable": Check(
        "error",
        "No static address or virtual IP may be the network or broadcast address of its network: the service refuses "
        "such virtual IPs.",
        "choose an address inside the network, or correct the prefix length",
    ),
    "base-interface-missing": Check(
        "warn",
        "The base interface of a VLAN must be an interface of the host, in its networkConfig or in its interface "
        "table.",
        "add the interface, or correct its name",
    ),
    "bond-port-missing": Check(
        "error",
        "Every port of a bond must be an interface of the host, in its networkConfig or in its interface table.",
        "add the port to the interfaces, or correct its name",
    ),
    "certificate-expired": Check(
        "warn",
        "No certificate of the additional trust bundle may have expired: servers with a certificate of this CA are "
        "not trusted any more.",
        "renew the certificate of the registry or proxy",
    ),
    "certificate-not-yet-valid": Check(
        "warn",
        "The validity of every certificate of the additional trust bundle must have begun.",
        "correct the clock, or use a certificate that is valid now",
    ),
    "default-route-missing": Check(
        "warn",
        ("A host with only static addresses must have a default route: without one it reaches only its own networks."),
        "add a route to 0.0.0.0/0 or ::/0",
    ),
    "dns-missing": Check(
        "warn",
        "A host with only static addresses must have a DNS server: the host resolves the names of the registry and "
        "of api-int.",
        "add dns-resolver.config.server",
    ),
    "duplicate-address": Check(
        "error",
        "No static address may be configured twice. Exceptions are link-local addresses, addresses inside one host, "
        "and addresses of a direct link between two hosts.",
        "give each interface a different address",
    ),
    "duplicate-bmc": Check(
        "error",
        ("No two hosts may have the same BMC address: one of them would be rebooted in place of the other."),
        "correct the address",
    ),
    "duplicate-hostname": Check(
        "error",
        ("No two hosts may have the same name: the configuration of the second would overwrite that of the first."),
        "give each host a different name",
    ),
    "duplicate-mac": Check(
        "error", "No two NICs may have the same MAC address, in any notation.", "correct the MAC address"
    ),
    "fencing-host": Check(
        "warn",
        "A fencing credential that has only a MAC address must have the address of a host in `hosts[]`. Otherwise the "
        "image gets a separate directory `host-N` for it, as for a host that is not described.",
        "use the address of a NIC in hosts[].interfaces, or hostName",
    ),
    "gateway-unreachable": Check(
        "error",
        "The next hop of a route must be in a network of the route's interface. Otherwise the kernel refuses the "
        "route.",
        "correct the next hop, the interface or the prefix length",
    ),
    "hostname-invalid": Check(
        "error",
        "Host names must be valid DNS names in lower case with at most 63 characters, and not localhost. The service "
        "refuses hosts with other names.",
        "choose another name",
    ),
    "interface-mac-mismatch": Check(
        "error",
        "networkConfig and the interface table must name the same MAC address for an interface. Otherwise "
        "networkConfig changes the MAC address of the NIC.",
        "correct one of them, or leave mac-address out of networkConfig",
    ),
    "interface-table": Check(
        "error",
        "The interface table may contain only NICs. If it names a bond, VLAN or bridge, this name is replaced by the "
        "NIC's name in the whole network configuration of the host.",
        "name the NIC as networkConfig does; remove bonds, VLANs and bridges from the table",
    ),
    "mtu": Check(
        "warn",
        "MTUs must be consistent: at least 1280; a VLAN at most that of its parent; a bond port at least that of its "
        "bond; the same on all hosts in the machine network.",
        "correct the mtu",
    ),
    "network-config-ignored": Check(
        "warn", "networkConfig should contain only properties that nmstate writes.", "remove it"
    ),
    "port-missing": Check(
        "error",
        "Every port of a bridge or VRF must be an interface of the host, in its networkConfig or in its interface "
        "table.",
        "add the port to the interfaces, or correct its name",
    ),
    "prefix-mismatch": Check(
        "warn",
        "Static addresses in a machine network must have its prefix length. A longer prefix is accepted if the "
        "virtual IPs are still in the hosts' network.",
        "correct the prefix length of the addresses or the machine network",
    ),
    "pull-secret-auth": Check(
        "error",
        "Each auth of the pull secret must be base64 of user:password. Otherwise the service on the rendezvous host "
        "refuses the pull secret.",
        "download the pull secret again, or encode user:password with base64",
    ),
    "registry-without-credentials": Check(
        "warn",
        "The pull secret must contain credentials for every registry with mirrors.",
        "add the registry to the pull secret",
    ),
    "release-image": Check(
        "error",
        "The release image must have the form `registry/repository:tag` or `registry/repository@sha256:…`, without "
        "`https://` and white space. Otherwise no host can pull it.",
        "name the release image as registry/repository:tag or registry/repository@sha256:<64 hexadecimal digits>",
    ),
    "release-image-mismatch": Check(
        "error",
        "The tag of the release image must match the version and the architecture of the hosts. Otherwise the "
        "version of the image is installed.",
        "correct the version or the release image",
    ),
    "release-image-tag": Check(
        "warn",
        "A mirrored release image must be named by its digest: mirrors are used for digests only.",
        "name the release image as …@sha256:…",
    ),
    "release-mirror": Check(
        "warn",
        "If the release is mirrored, one `source` must be exactly the repository of the release image. Otherwise the "
        "hosts do not use the mirror for this image.",
        "add the repository of the release image to the sources",
    ),
    "release-unknown": Check(
        "error",
        "The release must be known to this version of the collection. With `warn`, the rules and files of the newest "
        "known release are used: rules that upstream added later are missing.",
        "use a newer version of zerotouch.openshift, or set openshift_checks: {release-unknown: warn} for a trial",
    ),
    "release-not-pinned": Check(
        "warn",
        "A release image that is named by tag must be pinned: the first run reads the digest from the registry, and "
        "all later runs use it. Without a digest, hosts install the image that the tag names when they pull it. With "
        "`off`, no registry is contacted.",
        "name the image by digest in openshift_release_image (repository@sha256:…)",
    ),
    "release-registry-without-credentials": Check(
        "warn",
        "The pull secret must contain the registry of the release image, unless the registry is quay.io or has "
        "mirrors. Otherwise the service refuses the pull secret.",
        "add the registry to the pull secret",
    ),
    "rendezvous-host": Check(
        "error",
        "The rendezvous IP must be an address of a control-plane host or of the arbiter. Otherwise no host starts "
        "the installation, or a worker does.",
        "use a static address of a control-plane host",
    ),
    "rendezvous-network": Check(
        "error",
        "The rendezvous IP must be in a machine network.",
        ("correct the rendezvous IP or the machine networks"),
    ),
    "root-device-conflict": Check(
        "error",
        "At least one disk must be able to match the root device hints. One disk must match all hints; the service "
        "waits for it before it installs.",
        "remove the hints that do not match the disk; one matching hint is enough",
    ),
    "subnets-overlap": Check(
        "error",
        "No two interfaces of a host may be in the same network: the service refuses such hosts (validation "
        "non-overlapping-subnets).",
        "give one interface an address of another network, or both to a bond",
    ),
    "text-expected": Check(
        "error",
        "A string field must contain a string. openshift-install converts a number, true or false to a string, but "
        "not always to the text that you wrote (010 becomes 8, 1.10 becomes 1.1, on becomes true). With `warn`, the "
        "value is converted as openshift-install does it.",
        "write the value in quotes",
    ),
    "unknown-value": Check(
        "error",
        "cpuPartitioningMode and cloudControllerManager must have a value that the cluster accepts. The installer "
        "passes any value on; the cluster rejects an unknown one.",
        "use one of the values in the message",
    ),
    "vip-clash": Check(
        "error",
        (
            "No virtual IP may be the address of a host or gateway, or in a DHCP range: two machines would answer for "
            "it."
        ),
        "choose an unused address",
    ),
    "boot-mac": Check(
        "warn",
        "bootMACAddress must be the MAC address of an interface in networkConfig.",
        "correct one of them",
        "installer",
    ),
    "certificate-authority": Check(
        "warn",
        "Every certificate of the additional trust bundle must be a CA certificate. With a certificate that is not a "
        "CA, only a server with exactly this certificate is trusted.",
        "replace it with the CA certificate that signed it",
        "installer",
    ),
    "deprecated-field": Check(
        "warn", "No deprecated field should be used.", "use the field that the message names", "installer"
    ),
    "docker-bridge-overlap": Check(
        "warn", "No network should overlap 172.17.0.0/16.", "choose another network", "installer"
    ),
    "fewer-hosts": Check(
        "warn",
        "The number of hosts should equal the number of replicas.",
        ("describe the missing hosts, or boot them from the same image"),
        "installer",
    ),
    "hosts-defined-twice": Check(
        "warn", "Hosts should be defined in one file only.", "remove the hosts from install-config.yaml", "installer"
    ),
    "ignored-field": Check("warn", "No field should be set that has no effect.", "remove it", "installer"),
    "interface-name": Check(
        "warn",
        "The interface names in the interface table and in networkConfig must match (from 4.23 on the installer also "
        "warns). A NIC with another name keeps its kernel name.",
        "name the interface as networkConfig does",
        "installer",
    ),
    "layout-upgraded": Check(
        "warn", "Files should have the present layout.", ("convert the file to the layout that the message names")
    ),
}


def own(
    check: str, path: str, kind: str, detail: str, *, value: object = None, file: str = "", hint: str = ""
) -> Problem:
    """A problem of a named check, with its default severity and layer; ``hint`` where there is more to say than the
    table does.
    """
    known = CHECKS[check]
    severity = _LEVELS[known.default]
    return Problem(
        path,
        kind,
        detail,
        severity=severity,
        layer=known.layer,
        check=check,
        file=file,
        value=shown(value),
        hint=hint or known.correction,
    )


def agent_config(path: str, kind: str, detail: str, *, value: object = None) -> Problem:
    """An error of the installer about agent-config.yaml."""
    return Problem(path=path, kind=kind, detail=detail, file=AGENT_CONFIG, value=shown(value))


def shown(value: object) -> str:
    """A value as the installer prints it: text in quotes; nothing for None."""
    return "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def supported(values: tuple[str, ...]) -> str:
    """The installer's words for an enumeration."""
    return "supported values: " + ", ".join(f'"{value}"' for value in values)


def levels(checks: Mapping[str, Any]) -> dict[str, str]:
    """``openshift_checks`` as it is meant: name -> level in lower case."""
    provided = {str(name): str(level).lower() for name, level in checks.items()}
    return {name: "off" if level in _OFF else level for name, level in provided.items()}


def check_names(checks: Mapping[str, str], path: str = "openshift_checks") -> list[Problem]:
    """What is wrong with ``openshift_checks`` itself: unknown names and levels."""
    problems = []
    for name, level in checks.items():
        if name not in CHECKS:
            problems.append(
                Problem(
                    f"{path}.{name}",
                    UNSUPPORTED,
                    "there is no such check",
                    layer="ours",
                    value=shown(name),
                    hint=nearest(name, CHECKS),
                )
            )
        elif level not in ("error", "warn", "off"):
            problems.append(
                Problem(f"{path}.{name}", INVALID, 'must be "error", "warn" or "off"', layer="ours", value=shown(level))
            )
    return problems
