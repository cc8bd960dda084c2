# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Error messages of openshift-install about machine pools, topologies and fencing: data from which
`docs/reference/errors-configuration.md` is generated.

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
            ("use 3; 1 for a single node; 4 or 5; 2 with an arbiter or with fencing"),
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
            "a single node has no workers, but without `compute` the default is 3 workers",
            "write `compute: [{name: worker, replicas: 0}]`",
        ),
        E("arbiter.replicas", FORBIDDEN, "Total number of arbiter replicas must be 0 …", "", "remove `arbiter`"),
        E(
            "arbiter.replicas",
            INVALID,
            (
                "number of controlPlane replicas must be at least 2 …",
                ("TNA (Two Node with Arbiter) configuration requires exactly 1 arbiter replica"),
            ),
            "",
            "use two control-plane hosts and one arbiter",
        ),
        E(
            "arbiter arbiter.platform",
            "Forbidden, Unsupported value",
            ("HighlyAvailableArbiter feature must be enabled…", _VALUES),
            "an arbiter needs the release and the platform for it",
            "use platform baremetal, none or external, and a newer release",
        ),
        E(
            "platform",
            INVALID,
            "Only platform none and external supports 1 ControlPlane and 0 Compute nodes",
            "a single node has no virtual address",
            "use platform none",
        ),
        E("platform", INVALID, 'CPU architecture … only supports platform "none".', "", "use platform none"),
        E(
            "platform",
            INVALID,
            ("must specify one of the platforms …", "must only specify a single type of platform; …"),
            "",
            "keep one key below `platform`",
        ),
        E(
            "platform",
            UNSUPPORTED,
            _VALUES,
            "agent installations support only these platforms",
            ("use one of them; none or external for everything else"),
        ),
        E(
            "controlPlane.hyperthreading compute[].hyperthreading arbiter.hyperthreading",
            UNSUPPORTED,
            _VALUES,
            "",
            "use `Enabled`, or remove it",
        ),
        E(
            "controlPlane.architecture compute[].architecture arbiter.architecture",
            UNSUPPORTED,
            _VALUES,
            "",
            "use the names of Go: amd64, not x86_64",
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
            "use one architecture; on baremetal a multi release image also allows arm64 workers with an amd64 "
            "control plane",
        ),
        E(
            "compute[].name",
            DUPLICATE,
            ("", "there can be one pool of workers"),
            "",
            "use one pool with the name worker",
        ),
        E("compute[].name arbiter.name", UNSUPPORTED, _VALUES, "", "use `worker` or `arbiter`"),
        E(
            "controlPlane.platform.* compute[].platform.* arbiter.platform.*",
            INVALID,
            "cannot specify … for machine pool when cluster is using …",
            "",
            "remove `platform` of the pool; it has no effect",
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
            "the field sets how clouds create machines; your hosts exist already",
            "remove `platform` of the pool; it has no effect",
        ),
        E(
            "compute[].management controlPlane.management arbiter.management",
            INVALID,
            "machines cannot be managed by Cluster API for platform …",
            "",
            "remove it",
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
            "set the key of its type for each disk; use at most one disk of type etcd and one of type swap",
        ),
        E(
            "bootstrapInPlace",
            INVALID,
            "Single Node OpenShift is not supported on the baremetal platform",
            "",
            "use platform none, and `rootDeviceHints` of the host",
        ),
        E(
            "hosts",
            INVALID,
            "the number of … hosts defined (…) exceeds the configured … replicas (…)",
            "the installation waits for exactly as many hosts as replicas",
            "raise `replicas`, give a host another role, or remove it",
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
            "two hosts without an arbiter must be able to power each other off",
            "add two entries, one for each host; or use an arbiter or a third host",
        ),
        E(
            "controlPlane.fencing.credentials",
            FORBIDDEN,
            "there should not be any fencing credentials …",
            "",
            "remove `fencing`, or use two control-plane hosts",
        ),
        E(
            "controlPlane.fencing",
            FORBIDDEN,
            "fencing is only supported on …",
            "",
            "use platform baremetal, none or external",
        ),
        E(
            "controlPlane.fencing",
            INVALID,
            "fencing configuration requires FeatureGateDualReplica to be enabled",
            "a custom set of feature gates has only the gates in its list",
            "add `DualReplica=true` to `featureGates`",
        ),
        E(
            "compute[].fencing arbiter.fencing",
            INVALID,
            "fencing is only valid for control plane",
            "",
            "move it to `controlPlane`",
        ),
        E(
            "controlPlane.fencing.credentials[] controlPlane.fencing.credentials[].hostName",
            REQUIRED,
            ("at least one of hostname or macaddress must be provided", "missing HostName"),
            "without it, the credential does not belong to a host",
            "set `hostName` as in the inventory",
        ),
        E(
            "controlPlane.fencing.credentials[].username controlPlane.fencing.credentials[].password "
            "controlPlane.fencing.credentials[].address",
            REQUIRED,
            "missing …",
            "",
            "set all three",
        ),
        E(
            "controlPlane.fencing.credentials[].*",
            DUPLICATE,
            ("", "is used by another credential"),
            "both hosts would be powered off together",
            "set a different one for each host",
        ),
        E(
            "controlPlane.fencing.credentials[].macAddress",
            INVALID,
            ("…invalid MAC address", "expected unicast mac address, found multicast"),
            "",
            "write six pairs with colons",
        ),
        E(
            "controlPlane.fencing.credentials[].macAddress",
            UNKNOWN_FIELD,
            "OpenShift … does not have this field; it was added in 4.23",
            "in an older release one MAC address, even with a hostname, makes the client in the image reject all "
            "fencing credentials",
            "set `hostName` as in the inventory, and remove `macAddress`",
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
            "use `redfish+https://HOST/redfish/v1/Systems/ID`",
        ),
        E(
            "controlPlane.fencing.credentials[][CertificateVerification]",
            "Invalid value, Unsupported value",
            ("invalid certificate verification; …", _VALUES),
            "",
            "use `Enabled` or `Disabled`",
        ),
    ),
)

TOPICS = (POOLS, FENCING)
