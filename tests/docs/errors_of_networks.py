# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Error messages of openshift-install about names, credentials, networks and virtual addresses: data from which
`docs/reference/errors-configuration.md` is generated.

Source: openshift/installer pkg/types/validation/installconfig.go.
"""

from __future__ import annotations

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import (
    INTERNAL,
    INVALID,
    REQUIRED,
    TOO_MANY,
)

from .error_model import Entry as E
from .error_model import Topic

_SUBDOMAIN = "a lowercase RFC 1123 subdomain must consist of…"
_NOT_NETWORK = ("address must be specified", "invalid network address. got …, expecting …")
_CIDR = "invalid CIDR address: …"

NAMES = Topic(
    "Names",
    (
        E(
            "metadata.name baseDomain",
            INVALID,
            _SUBDOMAIN,
            "the names become DNS names",
            "use lower case letters, digits, `-` and `.`, with a letter or digit at both ends",
        ),
        E(
            "metadata.name",
            INVALID,
            "must be no more than … characters",
            "records such as `*.apps.NAME` are limited by DNS",
            "choose a shorter name",
        ),
        E(
            "metadata.name",
            INVALID,
            "cluster name must not contain '.'",
            "baremetal, vsphere and nutanix derive host names from it",
            "remove the dots, or use platform none",
        ),
        E(
            "baseDomain",
            INVALID,
            "must be no more than … characters",
            "the cluster's name and the domain together are too long for DNS",
            "choose a shorter name or domain",
        ),
        E(
            "additionalNTPSources platform.baremetal",
            INVALID,
            "NTP server is not a valid IP or domain name",
            "",
            "write one address or name for each server",
        ),
        E(
            "bootArtifactsBaseURL",
            INVALID,
            ("invalid URI …", "parse …"),
            "hosts load the artifacts from there",
            "write a complete URL: `http://HOST/PATH`",
        ),
    ),
)

CREDENTIALS = Topic(
    "Pull secret, keys, certificates",
    (
        E(
            "pullSecret",
            INVALID,
            ("invalid character …", "unexpected end of JSON input", "json: cannot unmarshal …"),
            "the pull secret must be JSON",
            'write one line in one pair of single quotes: `pullSecret: \'{"auths": {"host:5000": {"auth": '
            '"…"}}}\'`; a path of a file is not supported',
        ),
        E(
            "pullSecret",
            INVALID,
            "auths required",
            "without credentials no image can be pulled",
            "use the complete pull secret, with `auths`",
        ),
        E(
            "pullSecret",
            INVALID,
            "…requires either auth or credsStore…",
            "an entry has no credentials",
            "set `auth` to `user:password` in base64",
        ),
        E(
            "sshKey",
            INVALID,
            ("ssh: no key found", "Fatal error trying to parse configured public key: ssh: no key found"),
            "a line is no public key: cut off, a private key, or a path",
            "paste the content of `~/.ssh/id_….pub`, each key on a separate line",
        ),
        E(
            "sshKey",
            INVALID,
            "SSH key type … unavailable when FIPS is enabled. Please use rsa or ecdsa.",
            "FIPS does not allow this kind of key",
            "create an RSA or ECDSA key",
        ),
        E(
            "additionalTrustBundle",
            INVALID,
            ("invalid block", "x509: …"),
            "only PEM certificates are allowed, and no text after the last one",
            "paste only the certificates, beginning with `-----BEGIN CERTIFICATE-----`",
        ),
        E("additionalTrustBundlePolicy", INVALID, 'supported values "Proxyonly", "Always"', "", "use one of the two"),
    ),
)

NETWORKS = Topic(
    "Networks",
    (
        E(
            "networking.machineNetwork[]* networking.serviceNetwork[] networking.clusterNetwork[].cidr "
            "networking.ovnKubernetesConfig.*",
            INVALID,
            _CIDR,
            "",
            "write an address and the length of its prefix: `192.168.111.0/24`",
        ),
        E(
            "networking.machineNetwork[] networking.serviceNetwork[] networking.clusterNetwork[].cidr "
            "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet",
            INVALID,
            _NOT_NETWORK,
            "a network is meant, not an address in it",
            "write the network's first address: 192.168.111.0/24, not 192.168.111.5/24",
        ),
        E(
            "networking.machineNetwork[] networking.serviceNetwork[] networking.clusterNetwork[].cidr",
            INVALID,
            "… must not overlap with …",
            "an address would belong to two of the networks",
            "choose networks that do not overlap",
        ),
        E(
            "networking.machineNetwork[] networking.serviceNetwork[] networking.clusterNetwork[].cidr",
            INVALID,
            "must not overlap with OVNKubernetes default … subnet …",
            "OVN-Kubernetes uses these networks inside each host",
            "choose another network",
        ),
        E(
            "networking.serviceNetwork[]",
            INVALID,
            "subnet size for IPv… service network …",
            "the API server does not support a larger service network",
            "use at most IPv4 /16, IPv6 /112",
        ),
        E(
            "networking.serviceNetwork",
            INVALID,
            ("only one service network can be specified", "when installing dual-stack …"),
            "",
            "use one network, or for dual stack one of each family",
        ),
        E(
            "networking.machineNetwork networking.serviceNetwork networking.clusterNetwork",
            INVALID,
            "dual-stack IPv4/IPv6 requires an IPv… network in this list",
            "two service networks mean dual stack; each list must then have both families",
            "add a network of the family, or remove the second service network",
        ),
        E(
            "networking.machineNetwork networking.serviceNetwork networking.clusterNetwork platform.nutanix.apiVIPs "
            "platform.nutanix.ingressVIPs",
            INVALID,
            "IPv4 addresses must be listed before IPv6 addresses",
            "nutanix",
            "put IPv4 first in every list",
        ),
        E(
            "networking.clusterNetwork[].hostPrefix",
            INVALID,
            "cluster network host subnetwork prefix must not be larger size than CIDR …",
            "each host gets a part of the network",
            "use a larger network: /14 with hostPrefix 23 is usual",
        ),
        E(
            "networking.clusterNetwork[].hostPrefix",
            INVALID,
            ("cluster network host subnetwork prefix must be …", "hostPrefix must be positive"),
            "",
            "use the same for all IPv4 networks, and 64 for IPv6",
        ),
        E(
            "networking.clusterNetwork[].hostPrefix",
            INVALID,
            ("must be at most …", "…not large enough to accommodate … hosts…"),
            "the part of the network for each host is too small for its pods",
            "use a larger network, or another hostPrefix",
        ),
        E(
            "networking.networkType",
            INVALID,
            "networkType … is not supported…",
            "the plug-in was removed",
            "use `OVNKubernetes`",
        ),
        E(
            "networking.networkType",
            INVALID,
            ("Only OVNKubernetes network type is allowed for Single Node OpenShift (SNO) cluster"),
            "",
            "use `OVNKubernetes`",
        ),
        E(
            "networking.networkType",
            INVALID,
            "ovnKubernetesConfig may only be specified with the OVNKubernetes networkType",
            "",
            "remove `ovnKubernetesConfig`",
        ),
        E(
            "networking.clusterNetworkMTU",
            INVALID,
            "cluster network MTU is allowed only in AWS deployments",
            "",
            "remove it; the MTU is derived from that of the hosts",
        ),
        E(
            "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet",
            INVALID,
            "must not overlap with …",
            "",
            "choose a network that nothing else uses",
        ),
        E(
            "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet",
            INVALID,
            "ipv4InternalJoinSubnet is not large enough…",
            "each node needs an address in it",
            "use a larger network; /16 is usual",
        ),
        E(
            "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet",
            INTERNAL,
            "cannot determine the number of nodes …",
            "the error is caused by a wrong hostPrefix",
            "correct `clusterNetwork` first",
        ),
    ),
)

VIPS = Topic(
    "Virtual addresses",
    (
        E(
            "platform.*.apiVIPs platform.*.ingressVIPs",
            REQUIRED,
            ("must specify at least one VIP …", "must specify VIP for …, when VIP for … is set"),
            "the service does not choose addresses by itself",
            "set two unused addresses of the machine network; for a single node use platform none without them",
        ),
        E(
            "platform.*.apiVIPs platform.*.ingressVIPs",
            TOO_MANY,
            "must have at most … items",
            "",
            "use one for each address family",
        ),
        E("platform.*.apiVIPs platform.*.ingressVIPs", INVALID, "… is not a valid IP", "", "write an address"),
        E(
            "platform.*.apiVIPs platform.*.ingressVIPs",
            INVALID,
            "IP expected to be in one of the machine networks: …",
            "the hosts answer for the address in their own network",
            "correct the address or `machineNetwork`; a load balancer of your own (`loadBalancer.type: UserManaged`) "
            "may be elsewhere",
        ),
        E(
            "platform.*.apiVIPs",
            INVALID,
            "VIP for API must not be one of the Ingress VIPs",
            "different hosts have these addresses",
            "use two addresses",
        ),
        E(
            "platform.*.apiVIPs platform.*.ingressVIPs",
            INVALID,
            "If two … VIPs are given, one must be an IPv4 address, the other an IPv6",
            "",
            "use one of each family, or only one",
        ),
        E(
            "platform.*.apiVIPs platform.*.ingressVIPs",
            INVALID,
            (
                "… primary IP Family and primary IP family for the … VIP should match",
                ("wrong number of VIPs given. Expecting 2 VIPs for dual stack"),
            ),
            "the first address must be of the family that is first in the networks",
            "use the same order in all lists",
        ),
        E(
            "platform.baremetal platform.vsphere platform.nutanix platform.*.apiVIPs platform.*.ingressVIPs",
            INVALID,
            "invalid IP[…]: …",
            "the error is caused by an invalid address",
            "correct the address",
        ),
    ),
)

TOPICS = (NAMES, CREDENTIALS, NETWORKS, VIPS)
