# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Error messages of this collection's checks and file parsers: data from which `docs/reference/errors-configuration.md`
is generated.

The reason and the remedy of each check are in the table of checks (plugins/module_utils/cluster/rules/checks.py).
"""

from __future__ import annotations

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import (
    DEPRECATED,
    DUPLICATE,
    FORBIDDEN,
    IGNORED,
    INVALID,
    REQUIRED,
    SYNTAX,
    UNKNOWN_FIELD,
    UNSUPPORTED,
)

from .error_model import Entry as E
from .error_model import Topic

_ADDRESS = "hosts[].networkConfig.*.address[].ip"
_IMAGE = "openshift_release_image"
_VIP = "platform.*VIPs[]"


def _check(check: str, paths: str, kind: str, *texts: str) -> E:
    return E(paths, kind, texts, check=check)


CHECKS = Topic(
    "Checks",
    (
        _check(
            "address-families",
            "networking.machineNetwork networking.serviceNetwork networking.clusterNetwork",
            INVALID,
            "the … networks are …, these are …",
        ),
        _check("address-families", _VIP, INVALID, "the machine networks are …, this is an IPv… address"),
        _check(
            "address-in-cluster-network",
            f"{_ADDRESS} hosts[].networkConfig.dns-resolver.*",
            INVALID,
            "is in the … network …",
            "is in the network of OVN-Kubernetes …",
        ),
        _check("address-outside-machine-network", _ADDRESS, INVALID, "no address of … is in machine network …"),
        _check(
            "address-outside-machine-network", "networking.machineNetwork[]", INVALID, "no host has an address in it"
        ),
        _check(
            "address-unusable",
            f"{_ADDRESS} {_VIP}",
            INVALID,
            "is the network address of …",
            "is the broadcast address of …",
        ),
        _check(
            "base-interface-missing",
            "hosts[].networkConfig.*.base-iface",
            INVALID,
            ("neither networkConfig nor the interface table of … has this interface"),
        ),
        _check(
            "bond-port-missing",
            "hosts[].networkConfig.*.link-aggregation.port",
            INVALID,
            "… has no interface of this name",
        ),
        _check("certificate-expired", "additionalTrustBundle", INVALID, "the certificate of … expired on …"),
        _check(
            "certificate-not-yet-valid", "additionalTrustBundle", INVALID, "the certificate of … is valid from … on"
        ),
        _check("default-route-missing", "hosts[].networkConfig.routes", REQUIRED, "… has no default route"),
        _check("dns-missing", "hosts[].networkConfig.dns-resolver", REQUIRED, "… has no name server"),
        _check("duplicate-address", _ADDRESS, DUPLICATE, "is the address of … as well"),
        _check("duplicate-bmc", "hosts[].bmc.address", DUPLICATE, "is the BMC of … as well"),
        _check("duplicate-hostname", "hosts[].hostname", DUPLICATE, "is the name of … as well"),
        _check(
            "fencing-host",
            "controlPlane.fencing.credentials[].macAddress",
            INVALID,
            "is the address of no host that is described",
        ),
        _check("duplicate-mac", "hosts[].interfaces[].macAddress", DUPLICATE, "is the same address as …"),
        _check("duplicate-mac", "hosts[].networkConfig.interfaces[].mac-address", DUPLICATE, "is the MAC address of …"),
        _check(
            "gateway-unreachable",
            "hosts[].networkConfig.routes.*.next-hop-address",
            INVALID,
            "is in no network of … (…)",
        ),
        _check(
            "hostname-invalid",
            "hosts[].hostname",
            INVALID,
            "is a name of the machine itself",
            "must be no more than … characters",
            "must consist of …",
        ),
        _check(
            "interface-mac-mismatch", "hosts[].networkConfig.*.mac-address", INVALID, "the interface table says … for …"
        ),
        _check(
            "interface-table",
            "hosts[].interfaces[].name",
            INVALID,
            ("networkConfig says that this is a …; the table is for NICs"),
        ),
        _check(
            "mtu",
            "hosts[].networkConfig.*.mtu",
            INVALID,
            "is below …",
            "is above that of its parent …",
            "… in the machine network, other hosts have …",
        ),
        _check("network-config-ignored", "hosts[].networkConfig.*", IGNORED, "…"),
        _check("port-missing", "hosts[].networkConfig.*.port*", INVALID, "… has no interface of this name"),
        _check(
            "prefix-mismatch",
            "hosts[].networkConfig.*.prefix-length",
            INVALID,
            ("addresses in machine network … have prefix length … instead of …: …"),
        ),
        _check(
            "pull-secret-auth",
            "pullSecret",
            INVALID,
            "the auth of … is not base64",
            "the auth of … is not base64 of user:password",
        ),
        _check(
            "registry-without-credentials", "imageDigestSources[].mirrors[]", INVALID, "the pull secret does not hold …"
        ),
        _check("release-image", _IMAGE, INVALID, "is not the name of an image: …"),
        _check(
            "release-image-mismatch",
            _IMAGE,
            INVALID,
            "the tag names another version than …",
            "the tag names architecture …, the hosts have …",
        ),
        _check("release-image-tag", _IMAGE, INVALID, "mirrors are not used for an image that is named by tag"),
        _check("release-not-pinned", _IMAGE, INVALID, "the tag cannot be resolved to a digest, so …"),
        _check(
            "release-not-pinned",
            "spec.releaseImage",
            INVALID,
            "hosts install what this tag names when they pull it: a hand-written set of manifests is used as it is",
        ),
        _check(
            "release-mirror", _IMAGE, INVALID, "… is only a part of its repository …", "no mirror has … for its source"
        ),
        _check("release-registry-without-credentials", _IMAGE, INVALID, "the pull secret does not hold …"),
        _check(
            "rendezvous-host",
            "rendezvousIP",
            INVALID,
            "is an address of …, which is no control-plane host",
            "is no static address of a control-plane host",
        ),
        _check("rendezvous-network", "rendezvousIP", INVALID, "the rendezvous IP… is in no machine network (…)"),
        _check(
            "root-device-conflict",
            "hosts[].rootDeviceHints.deviceName",
            INVALID,
            "is a partition; the whole disk is needed",
            "is a controller, not its disk",
            "is no disk that can be installed on",
        ),
        _check(
            "root-device-conflict",
            "hosts[].rootDeviceHints.hctl",
            INVALID,
            "four numbers are expected: …",
            "… is no SCSI disk and has none",
            "deviceName says …",
        ),
        _check(
            "root-device-conflict",
            "hosts[].rootDeviceHints.wwn",
            INVALID,
            "… is a virtio disk and has none",
            "is compared letter by letter …",
            "… is an NVMe disk; these have …",
            "is that of an NVMe disk, … is none",
        ),
        _check(
            "root-device-conflict",
            "hosts[].rootDeviceHints.rotational",
            INVALID,
            "… is an NVMe disk, which does not rotate",
        ),
        _check(
            "root-device-conflict",
            "hosts[].rootDeviceHints.minSizeGigabytes",
            INVALID,
            "no disk has … gigabytes; the unit is 10^9 bytes",
        ),
        _check("subnets-overlap", _ADDRESS, INVALID, "its network … overlaps that of … (…)"),
        _check(
            "unknown-value",
            "cpuPartitioningMode platform.external.cloudControllerManager",
            UNSUPPORTED,
            "supported values: …",
        ),
        _check(
            "vip-clash",
            _VIP,
            INVALID,
            "is the static address of …",
            "is the rendezvous IP",
            "is the gateway of …",
            "is the … as well",
            "is in the DHCP range of the provisioning network (…)",
        ),
    ),
    "[checks.md](checks.md) has the rule and the correction of each check; `openshift_checks` sets its severity.",
)

READING = Topic(
    "Reading files and variables",
    (
        E(
            "*",
            UNKNOWN_FIELD,
            "there is no such field",
            "a field with a wrong name would do nothing",
            "use the nearest name, which is in the message; [fields.md](fields.md) has all names",
        ),
        E(
            "*",
            INVALID,
            (
                "a string is expected, not …",
                "a whole number is expected, not …",
                "true or false is expected, not …",
                "a whole number of … bits is expected",
            ),
            "YAML reads some words without quotes as another type",
            "put the value in quotes for a string; remove the quotes for a number, `true` or `false`",
        ),
        E(
            "*",
            INVALID,
            (
                "a mapping is expected, not …",
                "a list of … is expected, not …",
                "a string or … is expected, not …",
                "…mapping… is expected, not …",
            ),
            "",
            "write `key: value` for a mapping, `- value` for an element of a list",
        ),
        E(
            "*",
            DUPLICATE,
            ("the key is defined twice, first on line …", "… and … are the same field"),
            "one of the two would be lost",
            "keep one",
        ),
        E(
            "*",
            DUPLICATE,
            "'<<' also defines this key (line …), and the installer does not allow to override it",
            "the installer merges the keys of `<<` and then refuses a key that is defined twice",
            "remove the key from the mapping that `<<` refers to, and define it in each mapping",
        ),
        E(
            "*",
            SYNTAX,
            "…this is not valid YAML: …",
            "",
            ("check quotes, colons and indentation at the line and column in the message"),
        ),
        E(
            "pullSecret",
            SYNTAX,
            "line …, column …: the value is in doubled single quotes; YAML ends it at the second quote",
            "",
            "write one pair of single quotes around the whole value",
        ),
        E(
            "*",
            SYNTAX,
            (
                "an alias refers to a value that contains the alias itself",
                "aliases make this document too large",
                "this document is nested too deeply",
                "a key must be a word, …",
                "infinity and NaN are no numbers here",
                "'<<' must name a mapping",
                "YAML tags other than !!str are not supported here",
                "YAML … is not read, only 1.1: take the line %YAML out",
                "this is not UTF-8 text",
                "this is not valid JSON",
            ),
            "",
            "write plain values, without aliases",
        ),
        E(
            "*",
            IGNORED,
            "only the first document of the file is read",
            "documents after `---` are not read",
            "write one document in each file",
            check="ignored-field",
        ),
        E(
            "*",
            REQUIRED,
            ("this is not a directory", "there is no such directory", "there is no install-config.yaml here"),
            "",
            "set it to the directory of install-config.yaml and agent-config.yaml",
        ),
        E(
            "*",
            INVALID,
            ("cannot be read: …", "a Kubernetes object is expected", "a mapping is expected"),
            "",
            "correct the file or its permissions",
        ),
        E(
            "apiVersion",
            "Required value, Invalid value",
            (
                "install-config version required",
                "install-config version must be …",
                "no version was provided",
                "cannot upconvert from version …",
            ),
            "the version defines the format of the file",
            "set `v1` in install-config.yaml, `v1beta1` in agent-config.yaml",
        ),
        E(
            "*.bootMACAddress",
            REQUIRED,
            "host bootMACAddress is required",
            ("hosts of install-config.yaml are identified by it"),
            "set it",
        ),
        E(
            "*",
            DEPRECATED,
            ("… is read as …", "this is the layout before the first release; …"),
            "",
            "convert the file to the layout that the message names",
            check="layout-upgraded",
        ),
        E(
            "*",
            IGNORED,
            "… is set under spec and at the top level; the value at the top level is used",
            "",
            "move it out of `spec`",
            check="layout-upgraded",
        ),
    ),
)

VARIABLES = Topic(
    "Variables",
    (
        E(
            "openshift_host[*",
            DUPLICATE,
            ("the host is in two role groups (…)", "the host is listed twice"),
            "a host has one role",
            "remove it from one group",
        ),
        E(
            "openshift_host[*.role",
            "Required value, Unsupported value",
            "a role is needed: master, worker or arbiter",
            "the role is the group of the host",
            "put the host into one of the groups",
        ),
        E(
            "openshift_host[*.boot.method",
            UNSUPPORTED,
            "supported values: bmc, libvirt, manual",
            "",
            "use `bmc`, `libvirt` or `manual`",
        ),
        E(
            "openshift_host[*.bmc",
            REQUIRED,
            "boot method bmc requires the BMC",
            "",
            ("add `bmc`, or boot manually: `boot: {method: manual}`"),
        ),
        E(
            "openshift_host[*.libvirt",
            REQUIRED,
            "boot method libvirt requires the connection to its hypervisor",
            "",
            "add `libvirt: {uri: …, domain: …}`, or boot manually: `boot: {method: manual}`",
        ),
        E(
            "openshift_host[*.bmc.address",
            REQUIRED,
            "the address of the BMC is needed",
            "",
            "use `redfish-virtualmedia+https://HOST/redfish/v1/Systems/ID`",
        ),
        E("openshift_cluster.platform", UNSUPPORTED, "supported values: …", "", "use one of them"),
        E(
            "openshift_cluster.api_vips openshift_cluster.ingress_vips",
            INVALID,
            "platform none has no virtual addresses…",
            "",
            "remove them, or use another platform",
        ),
        E(
            "openshift_cluster.platform_options.*",
            INVALID,
            "no host of the inventory has this name or boot MAC address",
            "",
            "correct it, or remove the entry",
        ),
        E(
            "openshift_cluster.live_kernel_arguments[]",
            INVALID,
            (
                "a kernel argument must not be empty",
                "a kernel argument must not contain white space",
                "a kernel argument must not contain control characters",
                "boot loaders would interpret this argument",
            ),
            "the boot loader interprets these characters",
            "write one argument in each item of the list, without `# \" ' $ \\ ; & < > { }` and vertical bars",
        ),
        E(
            "openshift_cluster.live_kernel_arguments[]",
            FORBIDDEN,
            "… is set where the image is built",
            "the base image or this collection sets it",
            "use the field that the message names, or remove the argument",
        ),
        E(
            "openshift_cluster.extra_manifests[]*",
            DUPLICATE,
            "there are two manifests of this name",
            "one would replace the other",
            "rename one",
        ),
        E(
            "openshift_cluster.extra_manifests[]*",
            "Invalid value, Required value",
            (
                "No such file or directory",
                "the path of a file is expected, not its content",
                "a YAML file (.yaml, .yml) or a directory is expected",
                "a file name that ends in .yaml or .yml is expected",
                "name and content are needed",
            ),
            "paths are from the directory in which the playbook is started",
            "use a path that exists, or `{name: x.yaml, content: …}`",
        ),
        E(
            "*version",
            REQUIRED,
            "the OpenShift version must be named",
            "the version selects the release",
            'set `openshift_cluster.version` or `openshift_version`: "4.22.0"',
        ),
        E("*version", INVALID, "this is not a full OpenShift version", "", "write all three numbers, in quotes"),
        E(
            "*version",
            UNSUPPORTED,
            "OpenShift … is older than the releases that are part of this version: …",
            "the files of the image differ by release",
            "use a release in the message",
        ),
        E("*", INVALID, "a string is expected, not …", check="text-expected"),
        E(
            "*version",
            UNSUPPORTED,
            "… is not among the releases that are part of this version (…)",
            check="release-unknown",
        ),
        E(
            "openshift_checks.*",
            "Unsupported value, Invalid value",
            ("there is no such check", 'must be "error", "warn" or "off"'),
            "",
            "use a name of [checks.md](checks.md), and write `off` in quotes",
        ),
    ),
)

NETWORK_CONFIG = Topic(
    "networkConfig",
    (
        E(
            "hosts[].networkConfig.*",
            UNKNOWN_FIELD,
            "…",
            "nmstate refuses properties that it does not know",
            "use the nearest name in the message",
        ),
        E(
            "hosts[].networkConfig.*",
            UNSUPPORTED,
            "…",
            "the value is not supported",
            "use one of the values in the message",
        ),
        E(
            "hosts[].networkConfig.*",
            "Invalid value, Required value, Duplicate value, Forbidden, Too many",
            "…",
            "nmstate, or the machine, does not accept it",
            "correct the property as the message says",
        ),
    ),
    "Properties that nmstate refuses or that are not written to NetworkManager's keyfiles. The message has the path.",
)

TOPICS = (CHECKS, READING, VARIABLES, NETWORK_CONFIG)
