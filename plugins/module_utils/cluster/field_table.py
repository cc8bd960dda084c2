# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the table of fields: one row for each field of ``openshift_cluster`` and of ``openshift_host``.

The code that parses and renders configurations, the JSON schema, the documentation and the requests of all installation
methods read this table. A field whose value is copied unchanged to install-config.yaml or agent-config.yaml needs only
its row; for a field with rules, the row names the code. Option names are upstream's names in snake_case.
"""

from __future__ import annotations

from ..boot.methods import METHODS
from .field_row import ClusterRow, HostRow
from .nested_fields import AGENT_PLATFORMS, CAPABILITIES, DIGEST_SOURCE, INTERFACE, POOL, PROXY, ROLES
from .platform_fields import MAC, ROOT_DEVICE_HINTS
from .shapes import BOOLEAN, INTEGER, OPAQUE, STRING, STRINGS, AnyOf, Field, ListOf, Scalar, record
from .spec import ARCHITECTURES, ImageDigestSource, Interface, Proxy

_POOL_TEXT = "Machine pool of the {}. replicas is the number of hosts of that role in the inventory unless given."
_CLUSTER_NETWORK = record({"cidr": STRING, "hostPrefix": INTEGER})
_EXTRA_MANIFEST = record({"name": STRING, "content": AnyOf((STRING, OPAQUE, ListOf(OPAQUE)))})

CLUSTER_FIELDS = (
    ClusterRow(
        "name",
        STRING,
        "Name of the cluster.",
        "metadata.name",
        passed_on=False,
        required=True,
        was=("cluster_name", "metadata"),
        hosted="rule",
    ),
    ClusterRow("namespace", STRING, "Namespace of the generated manifests.", "metadata.namespace", passed_on=False),
    ClusterRow(
        "base_domain",
        STRING,
        "Domain below which the cluster's names live: api.<name>.<base_domain>.",
        "baseDomain",
        required=True,
        was=("domain", "base_dns_domain"),
        hosted="same",
    ),
    ClusterRow(
        "version",
        Scalar("string", hint='write the whole version in quotes, for example "4.22.0"'),
        "OpenShift version, for example 4.22.0.",
        was=("openshift_version", "ocp_version"),
        hosted="rule",
    ),
    ClusterRow(
        "release_image",
        STRING,
        "Pullspec of the release image; default quay.io/openshift-release-dev/ocp-release:<version>-<architecture>, "
        "for OKD quay.io/okd/scos-release:<version>.",
        hosted="rule",
    ),
    ClusterRow(
        "platform",
        Scalar("string", AGENT_PLATFORMS),
        "Platform of the cluster; default: none for a single node, baremetal for other clusters.",
        "platform",
        passed_on=False,
    ),
    ClusterRow(
        "platform_options",
        OPAQUE,
        "Further keys of the platform in install-config.yaml, in upstream's spelling.",
        "platform.*",
        passed_on=False,
    ),
    ClusterRow(
        "api_vips",
        STRINGS,
        "Virtual addresses of the API, at most one per address family.",
        "platform.*.apiVIPs",
        passed_on=False,
        was=("api_vip", "apiVIP"),
    ),
    ClusterRow(
        "ingress_vips",
        STRINGS,
        "Virtual addresses of the ingress, at most one per address family.",
        "platform.*.ingressVIPs",
        passed_on=False,
        was=("ingress_vip", "ingressVIP"),
    ),
    ClusterRow(
        "network_type",
        STRING,
        "Network plug-in; default OVNKubernetes.",
        "networking.networkType",
        passed_on=False,
        hosted="rule",
    ),
    ClusterRow(
        "machine_networks",
        STRINGS,
        "Networks of the hosts, in CIDR notation; default 10.0.0.0/16.",
        "networking.machineNetwork",
        passed_on=False,
        was=("machine_cidr", "machine_network"),
        hosted="rule",
    ),
    ClusterRow(
        "cluster_networks",
        ListOf(_CLUSTER_NETWORK),
        "Networks of the pods; default 10.128.0.0/14 with host_prefix 23.",
        "networking.clusterNetwork",
        passed_on=False,
        was=("cluster_network",),
        hosted="rule",
    ),
    ClusterRow(
        "service_networks",
        STRINGS,
        "Networks of the services; default 172.30.0.0/16.",
        "networking.serviceNetwork",
        passed_on=False,
        was=("service_cidr", "service_network"),
        hosted="rule",
    ),
    ClusterRow(
        "control_plane",
        POOL,
        _POOL_TEXT.format("control plane"),
        "controlPlane",
        passed_on=False,
        was=("masters", "control_plane_replicas"),
    ),
    ClusterRow(
        "compute",
        POOL,
        _POOL_TEXT.format("workers"),
        "compute[0]",
        passed_on=False,
        was=("workers", "compute_replicas"),
    ),
    ClusterRow(
        "arbiter",
        POOL,
        _POOL_TEXT.format("arbiter"),
        "arbiter",
        passed_on=False,
        was=("arbiters",),
        since=(4, 19),
    ),
    ClusterRow(
        "architecture",
        Scalar("string", ARCHITECTURES),
        "CPU architecture of all hosts; default amd64.",
        was=("cpu_architecture", "arch"),
        hosted="rule",
    ),
    ClusterRow(
        "pull_secret",
        AnyOf((STRING, OPAQUE)),
        "Pull secret: the JSON document, as text or as a mapping.",
        "pullSecret",
        passed_on=False,
        required=True,
        hosted="rule",
    ),
    ClusterRow(
        "ssh_public_keys",
        STRINGS,
        "SSH public keys that may log in to the hosts as core.",
        "sshKey",
        passed_on=False,
        was=("ssh_key", "ssh_keys", "ssh_public_key", "sshKey"),
        hosted="rule",
    ),
    ClusterRow(
        "additional_trust_bundle",
        STRING,
        "PEM certificates that the cluster trusts in addition.",
        "additionalTrustBundle",
        infra_env="additional_trust_bundle",
        hosted="same",
    ),
    ClusterRow(
        "additional_trust_bundle_policy",
        Scalar("string", ("Proxyonly", "Always")),
        "Whether the bundle is used with a proxy only; default Proxyonly.",
        "additionalTrustBundlePolicy",
        override=True,
        default="Proxyonly",
    ),
    ClusterRow(
        "image_digest_sources",
        ListOf(DIGEST_SOURCE),
        "Mirrors of image repositories.",
        "imageDigestSources",
        holds=ImageDigestSource,
        was=("image_content_sources", "mirrors", "imageContentSources"),
        hosted="rule",
    ),
    ClusterRow("proxy", PROXY, "Proxy of the cluster and its hosts.", "proxy", holds=Proxy, hosted="rule"),
    ClusterRow("fips", BOOLEAN, "Run the cluster in FIPS mode; default false.", "fips", override=True, hosted="same"),
    ClusterRow(
        "cpu_partitioning_mode",
        Scalar("string", ("None", "AllNodes")),
        "Workload partitioning.",
        "cpuPartitioningMode",
        override=True,
    ),
    ClusterRow("capabilities", CAPABILITIES, "Optional components of the cluster.", "capabilities", override=True),
    ClusterRow("feature_set", STRING, "Feature set of the cluster.", "featureSet", override=True),
    ClusterRow(
        "feature_gates",
        STRINGS,
        "Feature gates as Name=true or Name=false; only with feature_set CustomNoUpgrade.",
        "featureGates",
        override=True,
    ),
    ClusterRow(
        "os_image_stream",
        STRING,
        "Operating system stream of the hosts; default rhel-9, from 5.0 rhel-10, for OKD centos-10. 4.22 installs "
        "rhel-9 whatever it says.",
        "osImageStream",
        override=True,
        since=(4, 22),
    ),
    ClusterRow(
        "rendezvous_ip",
        STRING,
        "Address of the host that runs the installation; default: the first static address of a control-plane host.",
        "rendezvousIP",
        document="agent",
    ),
    ClusterRow(
        "ntp_sources",
        STRINGS,
        "NTP servers, addresses or names.",
        "additionalNTPSources",
        document="agent",
        was=("additional_ntp_sources", "ntp_servers", "additionalNTPSources"),
        infra_env="additional_ntp_sources",
        hosted="rule",
    ),
    ClusterRow(
        "boot_artifacts_base_url",
        STRING,
        "URL below which the artifacts of network boot and of the minimal ISO are published.",
        "bootArtifactsBaseURL",
        document="agent",
    ),
    ClusterRow(
        "minimal_iso",
        BOOLEAN,
        "Build the minimal ISO; default false.",
        "minimalISO",
        document="agent",
        since=(4, 18),
    ),
    ClusterRow(
        "live_kernel_arguments",
        STRINGS,
        "Kernel arguments that are appended to those of the live system from which the hosts are installed.",
        was=("kernel_arguments", "kargs"),
        hosted="rule",
    ),
    ClusterRow(
        "extra_manifests",
        ListOf(AnyOf((STRING, _EXTRA_MANIFEST))),
        "Manifests to apply at installation: paths of YAML files or directories, from the directory in which the "
        "playbook is started, or {name, content}.",
        was=("manifests",),
    ),
    ClusterRow(
        "install_config_overrides",
        OPAQUE,
        "Merge patch for install-config.yaml, in upstream's spelling; applied last, then checked.",
    ),
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
        "ca_cert": Field(
            STRING,
            "CA that the BMC's certificate is verified with: path or PEM.",
            was=("ca", "ca_bundle", "ca_path"),
        ),
        "fingerprint": Field(STRING, "SHA-256 fingerprint of the BMC's certificate, trusted instead of a CA."),
        "clear_jobs": Field(
            BOOLEAN,
            (
                "Whether all jobs of an iDRAC are deleted if one of them keeps the boot device from being set; default "
                "false."
            ),
        ),
    }
)
LIBVIRT = record(
    {
        "uri": Field(
            STRING,
            ("Connection URI of the hypervisor, for example qemu:///system or qemu+ssh://user@host/system."),
            required=True,
        ),
        "domain": Field(STRING, "Name or UUID of the domain; default: the name of the host."),
        "pool": Field(STRING, "Storage pool to which the image is uploaded; default: default."),
    }
)
_VM = record(
    {
        "cpus": Field(INTEGER, "Number of virtual CPUs; default 4."),
        "memory_mib": Field(INTEGER, "Memory in MiB; default 16384."),
        "disks": Field(
            ListOf(
                record(
                    {
                        "size_gib": Field(INTEGER, "Size in GiB.", required=True),
                        "pool": Field(STRING, "Storage pool; default: libvirt.pool."),
                        "serial": Field(
                            STRING,
                            (
                                "Serial number for root device hints; default: name of the domain "
                                "and number of the disk."
                            ),
                        ),
                    }
                )
            ),
            "Disks; default: one of 120 GiB.",
        ),
        "networks": Field(STRINGS, "Virtual networks, one for all interfaces or one for each; default: default."),
        "arch": Field(Scalar("string", ("x86_64", "aarch64")), "Architecture; default: that of the hypervisor."),
        "secure_boot": Field(BOOLEAN, "Secure boot with enrolled keys; default false."),
        "tpm": Field(BOOLEAN, "A virtual TPM 2.0; default false."),
    }
)
_INTERFACE = record(
    {
        "name": Field(STRING, "Logical name, as network_config uses it."),
        "mac_address": Field(MAC, "MAC address.", was=("mac", "macaddress")),
    }
)
_BOOT = record(
    {
        "method": Field(
            Scalar("string", tuple(METHODS)), ("bmc if the host has a bmc, libvirt if it has libvirt, else manual.")
        ),
        "take_over": Field(
            BOOLEAN,
            "The machine may be taken over although it is on and no record says what runs on it; default false.",
        ),
    }
)

HOST_FIELDS = (
    HostRow(
        "hostname",
        STRING,
        "Host name; default: the inventory name.",
        "hostname",
        was=("name", "fqdn"),
        own_request=True,
    ),
    HostRow(
        "role",
        Scalar("string", ROLES),
        "Role of the host; the group of the inventory says it.",
        "role",
        in_variables=False,
        own_request=True,
    ),
    HostRow(
        "interfaces",
        ListOf(INTERFACE),
        "The NICs of the host; the first one's MAC address identifies it.",
        "interfaces",
        variable_shape=ListOf(_INTERFACE),
        holds=Interface,
        was=("nics",),
    ),
    HostRow(
        "root_device_hints",
        ROOT_DEVICE_HINTS,
        "Which disk to install on, in upstream's spelling.",
        "rootDeviceHints",
        verbatim=True,
        own_request=True,
    ),
    HostRow(
        "network_config",
        OPAQUE,
        "nmstate document of the host; DHCP without.",
        "networkConfig",
        was=("nmstate", "network"),
    ),
    HostRow("bmc", BMC, "How to reach the host's BMC."),
    HostRow("libvirt", LIBVIRT, "The virtual machine that is the host."),
    HostRow("vm", _VM, "The virtual machine that role libvirt_hosts defines."),
    HostRow("boot", _BOOT, "How the host is booted.", was=("boot_method",)),
    HostRow(
        "machine_config_pool",
        STRING,
        "Its machine config pool.",
        in_variables=False,
        agent="machineConfigPool",
        annotation="machine-config-pool",
        service="machine_config_pool_name",
    ),
)

# Rows whose value a document has as it is.
INSTALL_FIELDS = tuple(row for row in CLUSTER_FIELDS if row.upstream and row.passed_on and row.document == "install")
AGENT_FIELDS = tuple(row for row in CLUSTER_FIELDS if row.upstream and row.passed_on and row.document == "agent")
AGENT_HOST_FIELDS = tuple(row for row in HOST_FIELDS if row.upstream and row.passed_on)
# Rows whose value an Agent, an annotation of a BareMetalHost or an update of assisted-service has as it is.
AGENT_REQUESTS = tuple(row for row in HOST_FIELDS if row.agent)
ANNOTATION_REQUESTS = tuple(row for row in HOST_FIELDS if row.annotation)
SERVICE_REQUESTS = tuple(row for row in HOST_FIELDS if row.service)
OWN_REQUESTS = tuple(row for row in HOST_FIELDS if row.own_request)
