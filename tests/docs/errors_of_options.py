# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Error messages of openshift-install about mirrors, proxies and further options, and its warnings: data from which
`docs/reference/errors-configuration.md` is generated.

Source: openshift/installer pkg/types/validation/installconfig.go, pkg/asset/agent/installconfig.go.
"""

from __future__ import annotations

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import (
    DEPRECATED,
    FORBIDDEN,
    IGNORED,
    INVALID,
    REQUIRED,
    UNSUPPORTED,
)

from .error_model import Entry as E
from .error_model import Topic

_VALUES = "supported values: …"
_GATED = "this field is protected by the … feature gate which must be enabled through either the … feature set"

IMAGES = Topic(
    "Mirrors and proxy",
    (
        E(
            "imageDigestSources[].source imageDigestSources[].mirrors[] imageContentSources[].source "
            "imageContentSources[].mirrors[]",
            INVALID,
            "must be repository--not reference",
            "only repositories can be mirrored",
            "remove `:tag` and `@sha256:…`",
        ),
        E(
            "imageDigestSources[].source imageDigestSources[].mirrors[] imageContentSources[].source "
            "imageContentSources[].mirrors[]",
            INVALID,
            ("failed to parse: …", "the repository provided is invalid…"),
            "",
            "write `HOST[:PORT]/PATH` in lower case, without `https://`",
        ),
        E(
            "imageDigestSources[].sourcePolicy",
            "Invalid value, Unsupported value",
            ("supported values …", _VALUES),
            "",
            "use `NeverContactSource` or `AllowContactingSource`",
        ),
        E(
            "imageDigestSources[].sourcePolicy",
            INVALID,
            ("sourcePolicy cannot be configured without a mirror", "sourcePolicy cannot be configured without mirrors"),
            "",
            "add mirrors, or remove the policy",
        ),
        E(
            "imageContentSources",
            INVALID,
            "cannot set imageContentSources and imageDigestSources at the same time",
            "the first is the old name of the second",
            "move everything to `imageDigestSources`",
        ),
        E(
            "proxy",
            REQUIRED,
            "must include httpProxy or httpsProxy",
            "noProxy alone has no effect",
            "set a proxy, or remove `proxy`",
        ),
        E("proxy.httpProxy proxy.httpsProxy", INVALID, "parse …", "", "write `http://[USER:PASSWORD@]HOST:PORT`"),
        E(
            "proxy.httpProxy proxy.httpsProxy",
            UNSUPPORTED,
            _VALUES,
            "the proxy of httpProxy itself is contacted by HTTP",
            "use `http://…`; for httpsProxy also `https://…`",
        ),
        E(
            "proxy.httpProxy proxy.httpsProxy",
            INVALID,
            "proxy value is part of the …",
            "hosts cannot reach a proxy in the cluster's networks",
            "correct the proxy or the network",
        ),
        E(
            "proxy.noProxy",
            INVALID,
            ("noProxy must not have spaces", "each element of noProxy must be …"),
            "",
            "write it as `.example.com,10.0.0.0/8,host`: commas without spaces, no `*.`; only `*` for all addresses",
        ),
    ),
)

OPTIONS = Topic(
    "Capabilities, feature sets, other options",
    (
        E(
            "capabilities.baselineCapabilitySet",
            UNSUPPORTED,
            _VALUES,
            "it is required inside `capabilities`",
            "use `vCurrent`, `None`, or the set of a release",
        ),
        E(
            "capabilities.additionalEnabledCapabilities[]",
            UNSUPPORTED,
            _VALUES,
            "",
            "use the name as it is in the message",
        ),
        E(
            "additionalEnabledCapabilities",
            INVALID,
            (
                "platform baremetal requires the baremetal capability",
                ("the marketplace capability requires the OperatorLifecycleManager capability"),
            ),
            "one component needs another",
            "add the one that the message names",
        ),
        E(
            "capabilities",
            INVALID,
            (
                "disabling CloudCredential capability …",
                "disabling CloudControllerManager …",
                "the Ingress capability is required",
            ),
            "the platform requires the capability",
            "add the capability that the message names",
        ),
        E("featureSet", UNSUPPORTED, _VALUES, "", "use one of them, or remove the field"),
        E(
            "featureGates",
            FORBIDDEN,
            "featureGates can only be used with the CustomNoUpgrade feature set",
            "",
            "set `featureSet: CustomNoUpgrade`; such a cluster cannot be upgraded",
        ),
        E("featureGates[]", INVALID, "must match the format <feature-name>=<bool>…", "", "write `Name=true`"),
        E(
            "*",
            FORBIDDEN,
            _GATED,
            "the field is a preview",
            ("remove it, or set the feature set; such a cluster cannot be upgraded"),
        ),
        E(
            "publish",
            INVALID,
            (
                "Internal publish strategy is not supported …",
                "mixed publish strategy is not supported …",
                "cannot set both fields to internal …",
                "please specify the operator publishing strategy …",
            ),
            "your own hosts have no internal load balancer",
            "remove it",
        ),
        E("publish ingress apiserver", UNSUPPORTED, _VALUES, "", "remove it"),
        E(
            "operatorPublishingStrategy",
            INVALID,
            ("operator publishing strategy is only allowed with mixed publishing strategy installs"),
            "",
            "remove it",
        ),
        E(
            "credentialsMode",
            "Invalid value, Unsupported value",
            ("cannot be set when using the … platform", _VALUES),
            "no cloud provides credentials",
            "remove it; on nutanix use `Manual`",
        ),
        E("cpuPartitioningMode osImageStream", UNSUPPORTED, _VALUES, "", "use one of them"),
        E(
            "osImageStream",
            FORBIDDEN,
            (
                "Unsupported OS Image Stream. Supported values are: …",
                ("OS Image Streams are only supported on OCP clusters using RHCOS"),
            ),
            "4.22 only",
            "remove it: 4.22 always installs `rhel-9`",
        ),
        E(
            "pki.*",
            "Required value, Unsupported value, Invalid value, Forbidden",
            (
                "algorithm must be specified",
                "… is required when algorithm is …",
                "… must not be set when algorithm is …",
                "must be a multiple of 1024 from 2048 to 8192",
                _VALUES,
            ),
            "",
            "set `signerCertificates.key` with `algorithm: RSA` and `rsa.keySize`, or with `algorithm: ECDSA` and "
            "`ecdsa.curve`",
        ),
    ),
)

WARNINGS = Topic(
    "Warnings of the installer",
    (
        E(
            "*",
            IGNORED,
            "…is ignored…",
            "the agent installer does not use the field",
            "remove it",
            check="ignored-field",
        ),
        E(
            "*",
            INVALID,
            "… overlaps with…Docker Bridge subnet…",
            "tools with Docker's default network cannot reach it",
            "choose another network",
            check="docker-bridge-overlap",
        ),
        E(
            "additionalTrustBundle",
            INVALID,
            (
                "Certificate … from additionalTrustBundle is x509 v… but not a certificate authority",
                ("Certificate … from additionalTrustBundle is x509 v…"),
            ),
            "the certificate is not a CA: only a server with exactly this certificate is trusted",
            "use the CA certificate that signed it",
            check="certificate-authority",
        ),
        E(
            "hosts",
            REQUIRED,
            "…hosts…defined…replicas…",
            "the installation waits for the others",
            "describe them, or boot them from the same image",
            check="fewer-hosts",
        ),
        E("*", IGNORED, "hosts from install-config.yaml are ignored", "", "keep one list", check="hosts-defined-twice"),
        E(
            "*",
            IGNORED,
            "For host …, BootMACAddress … is not in NetworkConfig",
            "",
            "correct one of them",
            check="boot-mac",
        ),
        E(
            "hosts[].interfaces[].name",
            INVALID,
            "interface name … not found in networkConfig interfaces …",
            check="interface-name",
        ),
        E(
            "*",
            DEPRECATED,
            "… is deprecated…",
            "the field was renamed",
            "use the name in the message",
            check="deprecated-field",
        ),
    ),
)

TOPICS = (IMAGES, OPTIONS, WARNINGS)
