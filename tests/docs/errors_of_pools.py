# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What the installer says about machine pools, topologies and fencing.

Source: openshift/installer pkg/types/validation/installconfig.go, pkg/asset/agent/installconfig.go,
  pkg/asset/agent/manifests/nmstateconfig.go.
"""

from __future__ import annotations

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import (
    DUPLICATE,
    FORBIDDEN,
    INVALID,
    REQUIRED,
    UNKNOWN_FIELD,
    UNSUPPORTED,
)

from .error_model import Entry as E
from .error_model import Topic

_SUBDOMAIN = "a lowercase RFC 1123 subdomain must consist of…"
_VALUES = "supported values: …"

POOLS = Topic(
    "Machine pools and topology",
    (
        E(
            "controlPlane.replicas ControlPlane.Replicas",
            UNSUPPORTED,
            _VALUES,
            "",
            ("3; 1 for a single node; 4 or 5; 2 with an arbiter or with fencing"),
        ),
        E(
            "controlPlane.replicas arbiter.replicas compute[].replicas",
            INVALID,
            (
                "number of control plane replicas must be positive",
                "number of arbiter replicas must be positive",
                "number of replicas must not be negative",
            ),
            "",
            "correct the number",
        ),
        E(
            "compute.replicas Compute.Replicas",
            FORBIDDEN,
            "Total number of compute replicas must be 0 when controlPlane.replicas is 1 for platform none or "
            "external. Found …",
            "a single node has no workers; a pool that is left out has 3",
            "`compute: [{name: worker, replicas: 0}]`",
        ),
        E("arbiter.replicas", FORBIDDEN, "Total number of arbiter replicas must be 0 …", "", "take `arbiter` out"),
        E(
            "arbiter.replicas",
            INVALID,
            (
                "number of controlPlane replicas must be at least 2 …",
                ("TNA (Two Node with Arbiter) configuration requires exactly 1 arbiter replica"),
            ),
            "",
            "two control-plane hosts and one arbiter",
        ),
        E(
            "arbiter arbiter.platform",
            "Forbidden, Unsupported value",
            ("HighlyAvailableArbiter feature must be enabled…", _VALUES),
            "an arbiter needs the release and the platform for it",
            "baremetal, none or external; a newer release",
        ),
        E(
            "platform",
            INVALID,
            "Only platform none and external supports 1 ControlPlane and 0 Compute nodes",
            "a single node has no address to move",
            "platform none",
        ),
        E("platform", INVALID, 'CPU architecture … only supports platform "none".', "", "platform none"),
        E(
            "platform",
            INVALID,
            ("must specify one of the platforms …", "must only specify a single type of platform; …"),
            "",
            "one key below `platform`",
        ),
        E(
            "platform",
            UNSUPPORTED,
            _VALUES,
            "agent installations know these platforms",
            ("one of them; none or external for everything else"),
        ),
        E(
            "controlPlane.hyperthreading compute[].hyperthreading arbiter.hyperthreading",
            UNSUPPORTED,
            _VALUES,
            "",
            "`Enabled`, or leave it out",
        ),
        E(
            "controlPlane.architecture compute[].architecture arbiter.architecture",
            UNSUPPORTED,
            _VALUES,
            "",
            "Go's names: amd64, not x86_64",
        ),
        E(
            "compute[].architecture controlPlane.architecture",
            INVALID,
            (
                "het…geneous multi-arch is not supported; …",
                "on …baremetal…",
                ("cannot create … node from a single architecture … release payload"),
            ),
            "all hosts have the architecture of the release image",
            "one architecture; on baremetal arm64 workers of an amd64 control plane with a multi release image",
        ),
        E("compute[].name", DUPLICATE, ("", "there can be one pool of workers"), "", "one pool named worker"),
        E("compute[].name arbiter.name", UNSUPPORTED, _VALUES, "", "`worker`, `arbiter`"),
        E(
            "controlPlane.platform.* compute[].platform.* arbiter.platform.*",
            INVALID,
            "cannot specify … for machine pool when cluster is using …",
            "",
            "take `platform` of the pool out: it is ignored anyway",
        ),
        E(
            "compute[].platform.* controlPlane.platform.* arbiter.platform.* platform.*.defaultMachinePlatform.*",
            "Invalid value, Required value, Unsupported value, Duplicate value",
            (
                "… must be positive",
                "cores per socket must be …",
                "numCPUs specified …",
                "data disk …",
                "cluster name must …",
                "zone not defined in failureDomains",
                "failureDomains must be defined…",
                _SUBDOMAIN,
                _VALUES,
                "",
            ),
            "how clouds make machines; your hosts are made already",
            "take `platform` of the pool out: it is ignored anyway",
        ),
        E(
            "compute[].management controlPlane.management arbiter.management",
            INVALID,
            "machines cannot be managed by Cluster API for platform …",
            "",
            "take it out",
        ),
        E(
            "*.diskSetup *.diskSetup.*",
            "Invalid value, Too many",
            (
                "… configuration must be created",
                "cannot be longer than … characters",
                "cannot specify etcd on worker machine pools",
                "must have at most … item",
            ),
            "",
            "each disk with the key of its type; no more than one of etcd and swap",
        ),
        E(
            "bootstrapInPlace",
            INVALID,
            "Single Node OpenShift is not supported on the baremetal platform",
            "",
            "platform none, and `rootDeviceHints` of the host",
        ),
        E(
            "hosts",
            INVALID,
            "the number of … hosts defined (…) exceeds the configured … replicas (…)",
            "the installation waits for exactly as many hosts as replicas",
            "raise `replicas`, give a host another role, or take it out",
        ),
    ),
)

FENCING = Topic(
    "Fencing of two control-plane hosts",
    (
        E(
            "controlPlane.fencing.credentials",
            "Forbidden, Invalid value",
            ("there should be exactly two fencing credentials …", "must provide exactly 2 fencing credentials …"),
            "two hosts without an arbiter must be able to turn each other off",
            "two entries, one for each host, or an arbiter, or a third host",
        ),
        E(
            "controlPlane.fencing.credentials",
            FORBIDDEN,
            "there should not be any fencing credentials …",
            "",
            "take `fencing` out, or use two control-plane hosts",
        ),
        E(
            "controlPlane.fencing",
            FORBIDDEN,
            "fencing is only supported on …",
            "",
            "platform baremetal, none or external",
        ),
        E(
            "controlPlane.fencing",
            INVALID,
            "fencing configuration requires FeatureGateDualReplica to be enabled",
            "a custom set of feature gates has no other gates than those it names",
            "add `DualReplica=true` to `featureGates`",
        ),
        E(
            "compute[].fencing arbiter.fencing",
            INVALID,
            "fencing is only valid for control plane",
            "",
            "put it below `controlPlane`",
        ),
        E(
            "controlPlane.fencing.credentials[] controlPlane.fencing.credentials[].hostName",
            REQUIRED,
            ("at least one of hostname or macaddress must be provided", "missing HostName"),
            "without it, the credential belongs to no host",
            "`hostName` as in the inventory",
        ),
        E(
            "controlPlane.fencing.credentials[].username controlPlane.fencing.credentials[].password "
            "controlPlane.fencing.credentials[].address",
            REQUIRED,
            "missing …",
            "",
            "give all three",
        ),
        E(
            "controlPlane.fencing.credentials[].*",
            DUPLICATE,
            ("", "is used by another credential"),
            "both hosts would be turned off together",
            "each host its own",
        ),
        E(
            "controlPlane.fencing.credentials[].macAddress",
            INVALID,
            ("…invalid MAC address", "expected unicast mac address, found multicast"),
            "",
            "six pairs with colons",
        ),
        E(
            "controlPlane.fencing.credentials[].macAddress",
            UNKNOWN_FIELD,
            "OpenShift … does not know this field; it came with 4.23",
            "one MAC address, even beside a hostname, makes the client in the image of an older release reject all "
            "fencing credentials",
            "`hostName` as in the inventory, without `macAddress`",
        ),
        E(
            "controlPlane.fencing.credentials[].address",
            INVALID,
            (
                "fencing only supports redfish-compatible BMC addresses, IPMI is not supported",
                "failed to parse redfish address, no port number found",
                "invalid URL format: …",
                "is not a valid address",
                "needs a port",
            ),
            "",
            "`redfish+https://HOST/redfish/v1/Systems/ID`",
        ),
        E(
            "controlPlane.fencing.credentials[][CertificateVerification]",
            "Invalid value, Unsupported value",
            ("invalid certificate verification; …", _VALUES),
            "",
            "`Enabled` or `Disabled`",
        ),
    ),
)

TOPICS = (POOLS, FENCING)
