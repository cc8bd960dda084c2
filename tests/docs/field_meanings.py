# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Describe how openshift-install uses each field of install-config.yaml and agent-config.yaml: default, first release,
effect. docs/reference/fields.md is generated from these descriptions.

Paths, types and allowed values come from the collection's own tables (plugins/module_utils/cluster/fields.py). A field
without a meaning here has the text of its row in plugins/module_utils/cluster/field_table.py; a field without either,
or a meaning without a field, fails the test of the generated page. ``hosts*`` is one meaning for the field and all
fields below it.

Source: openshift/installer pkg/types/conversion/installconfig.go, pkg/types/validation/installconfig.go,
  pkg/asset/agent/installconfig.go; docs/upstream/releases.md.
"""

from __future__ import annotations

from typing import NamedTuple

IGNORED = "ignored, with a warning"
REFUSED = "refused"


class Meaning(NamedTuple):
    """``since`` is empty for a field that every supported release has."""

    text: str
    default: str = ""
    since: str = ""


_M = Meaning

# Fields of every Kubernetes object; the files are not Kubernetes objects.
_METADATA_KEYS = (
    *(
        "generateName",
        "selfLink",
        "uid",
        "resourceVersion",
        "creationTimestamp",
        "deletionTimestamp",
        "generation",
        "deletionGracePeriodSeconds",
    ),
    *("labels", "annotations", "ownerReferences", "managedFields", "finalizers"),
)
_METADATA = {f"metadata.{key}": _M("not used") for key in _METADATA_KEYS}

INSTALL_CONFIG: dict[str, Meaning] = {
    "apiVersion": _M("required; `v1`. Without it, or with another, nothing else of the file is checked"),
    "kind": _M("not checked"),
    "metadata.name": _M(
        "required: name of the cluster, at most 54 characters; part of its domain, so without dots on baremetal, "
        "vsphere and nutanix"
    ),
    "metadata.namespace": _M("namespace of all generated manifests", "empty"),
    **_METADATA,
    "baseDomain": _M(
        "required: domain below which `api.<name>`, `api-int.<name>` and `*.apps.<name>` live; a dot at its end is "
        "dropped"
    ),
    "platform": _M("required: exactly one of the keys below, each with its options"),
    "pullSecret": _M(
        'required: JSON text `{"auths": {"host[:port]": {"auth": …}}}`; into the Secret `<cluster>-pull-secret`'
    ),
    "sshKey": _M(
        (
            "public keys that may log in as `core`, one a line; into InfraEnv and AgentClusterInstall. With `fips` "
            "only "
            "RSA and ECDSA"
        ),
        "empty",
    ),
    "additionalTrustBundle": _M(
        ("PEM certificates: trusted by the live system, by the service for mirrors, and by the cluster"), "empty"
    ),
    "additionalTrustBundlePolicy": _M(
        ("`Always`: the cluster trusts the bundle without a proxy as well; only this value is handed on"), "`Proxyonly`"
    ),
    "fips": _M("FIPS mode: kernel argument `fips=1` and an override", "`false`"),
    "cpuPartitioningMode": _M("workload partitioning, for all nodes and permanently; handed on when given", "empty"),
    "capabilities.baselineCapabilitySet": _M(
        "required inside `capabilities`: the set to begin with, `None`, `v4.11` … `v4.18`, `vCurrent`",
        "without `capabilities`: `vCurrent`",
    ),
    "capabilities.additionalEnabledCapabilities": _M(
        ("components beside the set; `Ingress` is always needed, `baremetal` on baremetal"), "none"
    ),
    "featureSet": _M(
        ("`TechPreviewNoUpgrade`, `DevPreviewNoUpgrade` or `CustomNoUpgrade`: such a cluster cannot be upgraded"),
        "empty",
    ),
    "featureGates": _M("`Name=true` or `Name=false`; only with `featureSet: CustomNoUpgrade`", "none"),
    "publish": _M(f"only `External`, the default; `Internal` and `Mixed` are {REFUSED}", "`External`"),
    "operatorPublishingStrategy.ingress": _M(f"{REFUSED}: it belongs to `publish: Mixed`"),
    "operatorPublishingStrategy.apiserver": _M(f"{REFUSED}: it belongs to `publish: Mixed`"),
    "credentialsMode": _M(
        f"{REFUSED} on none, baremetal, vsphere and external; on nutanix `Manual`", "empty; nutanix: `Manual`"
    ),
    "bootstrapInPlace.installationDisk": _M(f"{IGNORED}; use `rootDeviceHints` of the host"),
    "osImageStream": _M(
        "operating system of the hosts, `rhel-9` or `rhel-10`, for OKD `centos-10`. 4.22 needs the feature gate "
        "OSStreams for any value, and installs `rhel-9`",
        "`rhel-9`; from 5.0 on `rhel-10`; OKD: `centos-10`",
        "4.22",
    ),
    "pki.signerCertificates.key.algorithm": _M(
        f"`RSA` or `ECDSA`; needs the feature gate ConfigurablePKI. {IGNORED}", "", "4.23"
    ),
    "pki.signerCertificates.key.rsa.keySize": _M("with RSA: 2048 to 8192, a multiple of 1024", "", "4.23"),
    "pki.signerCertificates.key.ecdsa.curve": _M("with ECDSA", "", "4.23"),
    "imageContentSources": _M("older name of `imageDigestSources`, without sourcePolicy", "none"),
    "imageContentSources[].source": _M("as in `imageDigestSources`"),
    "imageContentSources[].mirrors": _M("as in `imageDigestSources`"),
    "imageDigestSources": _M(
        (
            "mirrors; into registries.conf of the live system and of the cluster. Exclusive with the older "
            "`imageContentSources`, which is read as this"
        ),
        "none",
    ),
    "imageDigestSources[].source": _M(
        "repository or registry whose images are mirrored, without tag or digest. Write the release image's own "
        "repository to the letter"
    ),
    "imageDigestSources[].mirrors": _M("repositories that are tried in its place, in order, for pulls by digest"),
    "imageDigestSources[].sourcePolicy": _M(
        ("`NeverContactSource` blocks the source where no mirror has the image; needs mirrors"),
        "`AllowContactingSource`",
    ),
    "proxy.httpProxy": _M("proxy of hosts and cluster for HTTP; scheme http"),
    "proxy.httpsProxy": _M("the same for HTTPS; scheme http or https"),
    "proxy.noProxy": _M(
        "names, addresses, networks that are reached directly; `*` alone for everything. The machine network of "
        "the "
        "rendezvous IP is added"
    ),
    "networking.networkType": _M(
        (
            "`OVNKubernetes`; OpenShiftSDN and Kuryr are refused, other names are handed on as an override for their "
            "own manifests"
        ),
        "`OVNKubernetes`",
    ),
    "networking.machineNetwork": _M(
        "networks of the hosts. VIPs must be in one of them, and each host must have an address in each. With a load "
        "balancer of your own, VIPs may be outside, and one of the networks is enough for a host. Several nodes on "
        "platform none or external are not checked",
        "`10.0.0.0/16`",
    ),
    "networking.machineNetwork[].cidr": _M("a network without host bits that overlaps none of the others"),
    "networking.clusterNetwork": _M("networks of the pods", "`10.128.0.0/14`"),
    "networking.clusterNetwork[].cidr": _M("a network without host bits that overlaps none of the others"),
    "networking.clusterNetwork[].hostPrefix": _M(
        ("size of each host's part: the network must have one for each host; IPv6 always 64"), "23"
    ),
    "networking.serviceNetwork": _M("network of the services, one; with dual stack two", "`172.30.0.0/16`"),
    "networking.clusterNetworkMTU": _M(f"{REFUSED}: for AWS only"),
    "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet": _M(
        ("validated, but not applied to the cluster: write a manifest for the Network operator"), "`100.64.0.0/16`"
    ),
}

POOL: dict[str, Meaning] = {
    "name": _M(
        "`worker` in `compute`, `arbiter` in `arbiter`; the name of the control plane is always `master`", "the pool's"
    ),
    "replicas": _M(
        "hosts that the installation waits for. Control plane: 1, 3, 4, 5, or 2 with an arbiter or with fencing. A "
        "single node needs `compute` with 0",
        "3; arbiter 0",
    ),
    "architecture": _M(
        (
            "all hosts have the same architecture. Exception: arm64 workers with an amd64 control plane on platform "
            "baremetal. ppc64le and s390x need platform none"
        ),
        "`amd64`",
    ),
    "hyperthreading": _M(f"{IGNORED} unless `Enabled`", "`Enabled`"),
    "platform": _M(f"{IGNORED}; its key must be that of the cluster's platform"),
    "fencing.credentials": _M(
        (
            "control plane only: two BMCs of two control-plane hosts that fence each other; with 4.20 and 4.21 in a "
            "preview feature set"
        ),
        "none",
        "4.20",
    ),
    "fencing.credentials[].hostName": _M("which host it is; from 4.23 on, this or `macAddress`", "", "4.20"),
    "fencing.credentials[].macAddress": _M(
        ("which host it is, by one of its NICs; an older image would reject all credentials"), "", "4.23"
    ),
    "fencing.credentials[].username": _M("required", "", "4.20"),
    "fencing.credentials[].password": _M("required", "", "4.20"),
    "fencing.credentials[].address": _M(
        "required: a Redfish address, `redfish+https://HOST/redfish/v1/Systems/ID`", "", "4.20"
    ),
    "fencing.credentials[].certificateVerification": _M(
        "whether the BMC's certificate is checked", "`Enabled`", "4.20"
    ),
    "diskSetup": _M(
        "disks for etcd, swap or data; needs a feature gate, and has no effect in an agent-based installation",
        "none",
        "4.20",
    ),
    "diskSetup[].type": _M("which of the following keys is used", "", "4.20"),
    "diskSetup[].userDefined.platformDiskID": _M("the platform's name of the disk", "", "4.20"),
    "diskSetup[].userDefined.mountPath": _M("where it is mounted", "", "4.20"),
    "diskSetup[].etcd.platformDiskID": _M("control plane only: the platform's name of the disk", "", "4.20"),
    "diskSetup[].swap.platformDiskID": _M("the platform's name of the disk", "", "4.20"),
    "management": _M(f"{REFUSED}: for clouds", "", "4.22"),
}

_PROVISIONING = "only if a host has BMC data: checked, and passed to the cluster as an override"
BAREMETAL: dict[str, Meaning] = {
    "apiVIPs": _M("required: address of the API, one for each address family; moves between control-plane hosts"),
    "ingressVIPs": _M(
        "required: address of the ingress, one for each address family; not that of the API, unless you use a load "
        "balancer of your own"
    ),
    "hosts": _M("hosts, when agent-config.yaml has none; sorted by role", "none"),
    "hosts[].name": _M("hostname"),
    "hosts[].role": _M("`master`, `worker`, `arbiter`, or none: the pools are filled in that order"),
    "hosts[].bootMACAddress": _M("required: MAC address of the NIC, where networkConfig names none"),
    "hosts[].bmc.address": _M(
        "BMC address that is passed to the cluster; if one host has one, every host in this list needs address, user "
        "and password"
    ),
    "hosts[].bmc.username": _M("see `address`"),
    "hosts[].bmc.password": _M("see `address`; it reaches the image and the cluster"),
    "hosts[].bmc.disableCertificateVerification": _M("see `address`", "`false`"),
    "hosts[].rootDeviceHints": _M("disk to install on, see below"),
    "hosts[].networkConfig": _M("nmstate document of the host", "DHCP"),
    "hosts[].hardwareProfile": _M("not used"),
    "hosts[].bootMode": _M(f"{IGNORED} unless `UEFI`"),
    "provisioningNetwork": _M(_PROVISIONING, "`Managed`"),
    "provisioningNetworkCIDR": _M(_PROVISIONING, "`172.22.0.0/24`"),
    "provisioningNetworkInterface": _M(_PROVISIONING),
    "provisioningNetworkGateway": _M(_PROVISIONING, "", "4.22"),
    "provisioningDHCPRange": _M(f"`first,last`; {_PROVISIONING}", "from .10 to the last address"),
    "clusterProvisioningIP": _M(_PROVISIONING, "the third address"),
    "bootstrapProvisioningIP": _M("not used", "the second address"),
    "loadBalancer.type": _M(
        (
            "`UserManaged`: the VIPs are those of a load balancer of your own, may be one address and outside the "
            "machine networks"
        ),
        "`OpenShiftManagedDefault`",
    ),
    "dnsRecordsType": _M("`External` needs the user's load balancer and a feature gate", "`Internal`", "4.21"),
    "additionalNTPServers": _M("NTP servers, unless agent-config.yaml names some", "none"),
    "bmcVerifyCA": _M("checked, and not handed on", "", "4.21"),
    **dict.fromkeys(
        (
            "provisioningBridge",
            "provisioningMACAddress",
            "bootstrapExternalStaticIP",
            "bootstrapExternalStaticGateway",
            "bootstrapExternalStaticDNS",
        ),
        _M("ignored"),
    ),
    **dict.fromkeys(("bootstrapOSImage", "clusterOSImage", "externalMACAddress", "libvirtURI"), _M("ignored")),
    **dict.fromkeys(("defaultMachinePlatform", "externalBridge"), _M(IGNORED)),
}

_OLD_VSPHERE = "older form of `vcenters` and `failureDomains`"
_PLACEHOLDER = "without it placeholders are put in"
VSPHERE: dict[str, Meaning] = {
    "apiVIPs": BAREMETAL["apiVIPs"],
    "ingressVIPs": BAREMETAL["ingressVIPs"],
    "vcenters": _M("where the hosts are; all fields of an entry or none", "none"),
    "vcenters[].server": _M("required once one of the fields is given"),
    "vcenters[].port": _M("port of the vCenter", "443"),
    "vcenters[].user": _M("required once one of the fields is given"),
    "vcenters[].password": _M("required once one of the fields is given"),
    "vcenters[].datacenters": _M("required once one of the fields is given"),
    "failureDomains": _M(f"where hosts may be; {_PLACEHOLDER}", "generated"),
    "failureDomains[].name": _M("required, unique"),
    "failureDomains[].region": _M("required"),
    "failureDomains[].zone": _M("required"),
    "failureDomains[].server": _M("required: one of `vcenters`"),
    "failureDomains[].regionType": _M("with host groups: what kind of object the tag of the region is on"),
    "failureDomains[].zoneType": _M("with host groups: what kind of object the tag of the zone is on"),
    "failureDomains[].topology.datacenter": _M("required"),
    "failureDomains[].topology.computeCluster": _M("required: `/<datacenter>/host/<cluster>`"),
    "failureDomains[].topology.networks": _M("required: one to ten"),
    "failureDomains[].topology.datastore": _M("required: `/<datacenter>/datastore/<datastore>`"),
    "failureDomains[].topology.resourcePool": _M("`/<datacenter>/host/<cluster>/Resources/…`", "the cluster's"),
    "failureDomains[].topology.folder": _M("required with credentials: `/<datacenter>/vm/<folder>`"),
    "failureDomains[].topology.template": _M("not used: hosts boot the agent image"),
    "failureDomains[].topology.tagIDs": _M("at most ten"),
    "failureDomains[].topology.hostGroup": _M("with `zoneType: HostGroup`"),
    "nodeNetworking*": _M(
        "for `external` and `internal` addresses of nodes: networks from which they are chosen, networks that are "
        "excluded, and a network of the failure domains"
    ),
    "loadBalancer.type": _M(IGNORED, "`OpenShiftManagedDefault`"),
    "dnsRecordsType": BAREMETAL["dnsRecordsType"],
    **dict.fromkeys(
        (
            "vCenter",
            "username",
            "password",
            "datacenter",
            "defaultDatastore",
            "cluster",
            "network",
            "folder",
            "resourcePool",
        ),
        _M(_OLD_VSPHERE),
    ),
    **dict.fromkeys(("clusterOSImage", "diskType", "defaultMachinePlatform*", "hosts*"), _M(IGNORED)),
}

NUTANIX: dict[str, Meaning] = {
    "apiVIPs": BAREMETAL["apiVIPs"],
    "ingressVIPs": BAREMETAL["ingressVIPs"],
    "prismCentral.endpoint.address": _M("required", "", "4.19"),
    "prismCentral.endpoint.port": _M("required, 1 to 65535", "", "4.19"),
    "prismCentral.username": _M("required", "", "4.19"),
    "prismCentral.password": _M("required", "", "4.19"),
    "prismElements": _M("required: exactly one", "", "4.19"),
    "prismElements[].uuid": _M("required", "", "4.19"),
    "prismElements[].name": _M("a name for it", "", "4.19"),
    "prismElements[].endpoint.address": _M("required", "", "4.19"),
    "prismElements[].endpoint.port": _M("required, 1 to 65535", "", "4.19"),
    "subnetUUIDs": _M("required: at least one, each once", "", "4.19"),
    "dnsRecordsType": BAREMETAL["dnsRecordsType"],
    **dict.fromkeys(
        (
            "loadBalancer.type",
            "clusterOSImage",
            "preloadedOSImageName",
            "defaultMachinePlatform*",
            "failureDomains*",
            "prismAPICallTimeout",
        ),
        _M(IGNORED, "", "4.19"),
    ),
}

EXTERNAL: dict[str, Meaning] = {
    "platformName": _M(
        ("name of the platform; `oci` makes the image for Oracle's cloud and needs `cloudControllerManager: External`"),
        "empty",
    ),
    "cloudControllerManager": _M("`External`: a cloud controller manager comes by manifests of your own", "empty"),
}

PLATFORMS = {"baremetal": BAREMETAL, "vsphere": VSPHERE, "nutanix": NUTANIX, "external": EXTERNAL, "none": {}}

AGENT_CONFIG: dict[str, Meaning] = {
    "apiVersion": _M("required; `v1beta1`, or the older `v1alpha1`"),
    "kind": _M("`AgentConfig`; not checked"),
    "metadata.name": _M("not used: the cluster's name is in install-config.yaml"),
    "metadata.namespace": _M("not used"),
    **_METADATA,
    "rendezvousIP": _M(
        "address of the control-plane host that runs the installation",
        "the first static address of a control-plane host",
    ),
    "additionalNTPSources": _M(
        "NTP servers, addresses or names; into the live system's chrony.conf and the InfraEnv", "none"
    ),
    "bootArtifactsBaseURL": _M(
        ("URL below which you publish what network boot and the minimal ISO load; slashes at its ends are dropped"),
        "none",
    ),
    "minimalISO": _M(
        (
            "an image without root file system, which the host loads from `bootArtifactsBaseURL` or the internet; "
            "always on external"
        ),
        "`false`",
        "4.18",
    ),
    "hosts": _M("the hosts; when none are given, those of `platform.baremetal.hosts`", "none"),
    "hosts[].hostname": _M(
        "name of the host; without it the host gets its name from DHCP or from the DNS entry of its address", "none"
    ),
    "hosts[].role": _M("`master`, `worker`, `arbiter`, or none: the pools are filled in that order", "none"),
    "hosts[].interfaces": _M("required, at least one: NICs by MAC address"),
    "hosts[].interfaces[].name": _M(
        "logical name; where networkConfig uses it, it becomes the name of the NIC with the MAC address"
    ),
    "hosts[].interfaces[].macAddress": _M("required, unique; the first one is how the host is recognised"),
    "hosts[].rootDeviceHints": _M("disk to install on, see below; without it the service chooses"),
    "hosts[].networkConfig": _M(
        ("nmstate document: keyfiles of NetworkManager in the live system and on the installed host"), "DHCP"
    ),
    "hosts[].bmc.address": _M("BMC address that is passed to the cluster as an override; on platform baremetal only"),
    "hosts[].bmc.username": _M("see `address`"),
    "hosts[].bmc.password": _M("see `address`; it reaches the image and the cluster"),
    "hosts[].bmc.disableCertificateVerification": _M("see `address`", "`false`"),
}

ROOT_DEVICE_HINTS: dict[str, Meaning] = {
    "deviceName": _M("`/dev/<name>` or `/dev/disk/by-path/<path>`, exactly"),
    "hctl": _M("SCSI address `host:channel:target:lun`, exactly"),
    "model": _M("a part of the model's name"),
    "vendor": _M("a part of the vendor's name"),
    "serialNumber": _M("serial number, exactly"),
    "minSizeGigabytes": _M("at least so many gigabytes of 10^9 bytes"),
    "wwn": _M("World Wide Name, exactly, as the machine says it (lower case)"),
    "wwnWithExtension": _M(REFUSED),
    "wwnVendorExtension": _M(REFUSED),
    "rotational": _M("`true`: a disk that rotates; `false`: one that does not"),
}

# cluster/field_table.py describes the fields inside an option of openshift_host that have no counterpart of that name
# upstream.
