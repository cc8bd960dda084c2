# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The options of ``openshift_cluster`` and ``openshift_host`` (design 1.2): the one table behind names, types, hints, paths and JSON schemas.

Names are upstream's in snake_case; documents that upstream leaves to others stay verbatim.
"""

from __future__ import annotations

import re

from ..boot.methods import METHODS
from . import fields
from .platform_fields import MAC, ROOT_DEVICE_HINTS
from .shapes import BOOLEAN, INTEGER, OPAQUE, STRING, STRINGS, AnyOf, Field, ListOf, Scalar, in_snake_case, record
from .spec import ARCHITECTURES

# Inside these, names are upstream's own.
VERBATIM = re.compile(r"\b(network_config|root_device_hints|platform_options|install_config_overrides)\b")

_POOL_DESCRIPTION = "Machine pool of the {}. replicas is the number of hosts of that role in the inventory unless given."
_VERSION = Scalar("string", hint='write the whole version in quotes, for example "4.22.0"')

CLUSTER = record(
    {
        "name": Field(STRING, "Name of the cluster.", required=True, was=("cluster_name", "metadata")),
        "namespace": Field(STRING, "Namespace of the generated manifests."),
        "base_domain": Field(
            STRING, "Domain below which the cluster's names live: api.<name>.<base_domain>.", required=True, was=("domain", "base_dns_domain")
        ),
        "version": Field(_VERSION, "OpenShift version, for example 4.22.0.", was=("openshift_version", "ocp_version")),
        "release_image": Field(STRING, "Pullspec of the release image; default quay.io/openshift-release-dev/ocp-release:<version>-<architecture>."),
        "platform": Field(Scalar("string", fields.AGENT_PLATFORMS), "Platform of the cluster; none for a single node and baremetal otherwise, unless given."),
        "platform_options": Field(OPAQUE, "Further keys of the platform in install-config.yaml, in upstream's spelling."),
        "api_vips": Field(STRINGS, "Virtual addresses of the API, at most one per address family.", was=("api_vip", "apiVIP")),
        "ingress_vips": Field(STRINGS, "Virtual addresses of the ingress, at most one per address family.", was=("ingress_vip", "ingressVIP")),
        "network_type": Field(STRING, "Network plug-in; default OVNKubernetes."),
        "machine_networks": Field(STRINGS, "Networks of the hosts, in CIDR notation; default 10.0.0.0/16.", was=("machine_cidr", "machine_network")),
        "cluster_networks": Field(
            ListOf(in_snake_case(record({"cidr": STRING, "hostPrefix": INTEGER}))),
            "Networks of the pods; default 10.128.0.0/14 with host_prefix 23.",
            was=("cluster_network",),
        ),
        "service_networks": Field(STRINGS, "Networks of the services; default 172.30.0.0/16.", was=("service_cidr", "service_network")),
        "control_plane": Field(in_snake_case(fields.POOL), _POOL_DESCRIPTION.format("control plane"), was=("masters", "control_plane_replicas")),
        "compute": Field(in_snake_case(fields.POOL), _POOL_DESCRIPTION.format("workers"), was=("workers", "compute_replicas")),
        "arbiter": Field(in_snake_case(fields.POOL), _POOL_DESCRIPTION.format("arbiter"), was=("arbiters",)),
        "architecture": Field(Scalar("string", ARCHITECTURES), "CPU architecture of all hosts; default amd64.", was=("cpu_architecture", "arch")),
        "pull_secret": Field(AnyOf((STRING, OPAQUE)), "Pull secret: the JSON document, as text or as a mapping.", required=True),
        "ssh_public_keys": Field(STRINGS, "SSH public keys that may log in to the hosts as core.", was=("ssh_key", "ssh_keys", "ssh_public_key", "sshKey")),
        "additional_trust_bundle": Field(STRING, "PEM certificates that the cluster trusts in addition."),
        "additional_trust_bundle_policy": Field(Scalar("string", ("Proxyonly", "Always")), "Whether the bundle is used with a proxy only; default Proxyonly."),
        "image_digest_sources": Field(
            ListOf(in_snake_case(fields.DIGEST_SOURCE)), "Mirrors of image repositories.", was=("image_content_sources", "mirrors", "imageContentSources")
        ),
        "proxy": Field(in_snake_case(fields.PROXY), "Proxy of the cluster and its hosts."),
        "fips": Field(BOOLEAN, "Run the cluster in FIPS mode; default false."),
        "cpu_partitioning_mode": Field(Scalar("string", ("None", "AllNodes")), "Workload partitioning."),
        "capabilities": Field(in_snake_case(fields.CAPABILITIES), "Optional components of the cluster."),
        "feature_set": Field(STRING, "Feature set of the cluster."),
        "feature_gates": Field(STRINGS, "Feature gates as Name=true or Name=false; only with feature_set CustomNoUpgrade."),
        "os_image_stream": Field(STRING, "Operating system stream of the hosts."),
        "rendezvous_ip": Field(STRING, "Address of the host that runs the installation; default: the first static address of a control-plane host."),
        "ntp_sources": Field(STRINGS, "NTP servers, addresses or names.", was=("additional_ntp_sources", "ntp_servers", "additionalNTPSources")),
        "boot_artifacts_base_url": Field(STRING, "URL below which the artifacts of network boot and of the minimal ISO are published."),
        "minimal_iso": Field(BOOLEAN, "Build the minimal ISO; default false."),
        "extra_manifests": Field(
            ListOf(AnyOf((STRING, record({"name": STRING, "content": AnyOf((STRING, OPAQUE, ListOf(OPAQUE)))})))),
            "Manifests to apply at installation: paths of YAML files or directories, from the directory in which the playbook is started, or {name, content}.",
            was=("manifests",),
        ),
        "install_config_overrides": Field(OPAQUE, "Merge patch for install-config.yaml, in upstream's spelling; applied last, then checked."),
    }
)

BMC = record(
    {
        "address": Field(
            STRING,
            "Address of the BMC: redfish-virtualmedia+https://<host>/redfish/v1/Systems/<id> or a shorter form.",
            required=True,
            was=("url", "host", "ip"),
        ),
        "username": Field(STRING, "User name.", was=("user",)),
        "password": Field(STRING, "Password."),
        "validate_certs": Field(
            BOOLEAN,
            "Whether the BMC's certificate is verified; default true.",
            was=("disableCertificateVerification", "disable_certificate_verification", "verify_ssl", "insecure"),
        ),
        "ca_cert": Field(STRING, "CA that the BMC's certificate is verified with: path or PEM.", was=("ca", "ca_bundle", "ca_path")),
        "fingerprint": Field(STRING, "SHA-256 fingerprint of the BMC's certificate, trusted instead of a CA."),
    }
)

HOST = record(
    {
        "hostname": Field(STRING, "Host name; default: the inventory name.", was=("name", "fqdn")),
        "interfaces": Field(
            ListOf(
                record(
                    {
                        "name": Field(STRING, "Logical name, as network_config uses it."),
                        "mac_address": Field(MAC, "MAC address.", was=("mac", "macaddress")),
                    }
                )
            ),
            "The NICs of the host; the first one's MAC address identifies it.",
            was=("nics",),
        ),
        "root_device_hints": Field(ROOT_DEVICE_HINTS, "Which disk to install on, in upstream's spelling."),
        "network_config": Field(OPAQUE, "nmstate document of the host; DHCP without.", was=("nmstate", "network")),
        "bmc": Field(BMC, "How to reach the host's BMC."),
        "boot": Field(
            record(
                {
                    "method": Field(Scalar("string", tuple(METHODS)), "bmc if the host has a bmc, else manual."),
                    "take_over": Field(BOOLEAN, "The machine may be taken over although it is on and no record says what runs on it; default false."),
                }
            ),
            "How the host is booted.",
            was=("boot_method",),
        ),
    }
)

# Where each option goes in upstream's documents; "*" is the platform. Options without an entry have a meaning of their own in variables.py.
TARGETS_BY_OPTION = {
    "name": "metadata.name",
    "namespace": "metadata.namespace",
    "base_domain": "baseDomain",
    "platform": "platform",
    "platform_options": "platform.*",
    "api_vips": "platform.*.apiVIPs",
    "ingress_vips": "platform.*.ingressVIPs",
    "network_type": "networking.networkType",
    "machine_networks": "networking.machineNetwork",
    "cluster_networks": "networking.clusterNetwork",
    "service_networks": "networking.serviceNetwork",
    "control_plane": "controlPlane",
    "compute": "compute[0]",
    "arbiter": "arbiter",
    "pull_secret": "pullSecret",
    "ssh_public_keys": "sshKey",
    "additional_trust_bundle": "additionalTrustBundle",
    "additional_trust_bundle_policy": "additionalTrustBundlePolicy",
    "image_digest_sources": "imageDigestSources",
    "proxy": "proxy",
    "fips": "fips",
    "cpu_partitioning_mode": "cpuPartitioningMode",
    "capabilities": "capabilities",
    "feature_set": "featureSet",
    "feature_gates": "featureGates",
    "os_image_stream": "osImageStream",
    "rendezvous_ip": "rendezvousIP",
    "ntp_sources": "additionalNTPSources",
    "boot_artifacts_base_url": "bootArtifactsBaseURL",
    "minimal_iso": "minimalISO",
}

# Upstream's path -> the user's.
TARGETS = {
    **{target: f"openshift_cluster.{option}" for option, target in TARGETS_BY_OPTION.items()},
    "compute": "openshift_cluster.compute",
    "networking": "openshift_cluster",
    "metadata": "openshift_cluster",
    "hosts": "openshift_host",
}
