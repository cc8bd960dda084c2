# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Add a hint to those messages of the installer that do not say what to do.

The installer's message stays unchanged; the hint follows it.
"""

from __future__ import annotations

import dataclasses
import functools
import re

from ...common.problems import Problem

# (path, detail, what to do): the first row that matches applies. An empty path matches any path.
REMEDIES: tuple[tuple[str, str, str], ...] = (
    (
        r"additionalTrustBundle",
        r"invalid block|x509: .*",
        "the content of a PEM file is expected: certificates only, and nothing behind the last one",
    ),
    (r"sshKey", r"(Fatal error .*)?ssh: no key found", "each line is a whole public key, as in ~/.ssh/id_ed25519.pub"),
    (r"sshKey", r"SSH key type .*", "make a key with ssh-keygen -t ecdsa"),
    (
        r"platform\..*VIPs",
        r"must specify .*",
        ("name an unused address of the machine network; a single node uses platform none, without"),
    ),
    (r"platform\..*VIPs", r"IP expected to be in .*", "correct the address or the machine networks"),
    (r"platform\..*VIPs", r"VIP for API must not be .*", "the API and the ingress need an address each"),
    (r"compute\.replicas", r"Total number of compute replicas .*", "a pool that is not given has 3 replicas: write 0"),
    (
        r"controlPlane\.fencing\.credentials",
        r"there should be exactly two .*",
        ("one for each of the two hosts; or add an arbiter, or a third host"),
    ),
    (
        r"controlPlane\.fencing\.credentials.*\.address",
        r"fencing only supports .*|failed to parse .*",
        "write redfish+https://HOST/redfish/v1/Systems/ID",
    ),
    (
        r"networking\.clusterNetwork.*hostPrefix",
        r"cluster network host subnetwork prefix must not be larger .*",
        "a larger number is meant: 23 is usual",
    ),
    (
        r"networking\.clusterNetwork.*hostPrefix",
        r".*not large enough .*",
        "each host takes one part of the network: make the network larger, or the parts smaller",
    ),
    (r"image.*Sources.*", r"must be repository--not reference", "write it without :tag and @sha256:…"),
    (
        r"image.*Sources.*",
        r"failed to parse.*|the repository provided is invalid.*",
        ("write HOST[:PORT]/PATH in lower case, without https://"),
    ),
    (r"proxy\.https?Proxy", r"parse .*", "write http://HOST:PORT"),
    (
        r"proxy\.noProxy",
        r"noProxy must not have spaces|each element of noProxy .*",
        "names, addresses and networks with commas between them; .example.com is a whole domain",
    ),
    (
        r"hosts",
        r"the number of .* hosts defined .* exceeds .*",
        ("raise the replicas, give a host another role, or remove it"),
    ),
    (
        r"hosts\[\d+\]\.interfaces",
        r"at least one interface .*",
        ("a host is recognised by the MAC address of its first NIC: name it"),
    ),
    (
        r"hosts\[\d+\]\.interfaces.*macAddress",
        r".*invalid MAC address|MAC address .* is incorrectly formatted.*",
        "six pairs with colons, in quotes",
    ),
    (
        r"hosts\[\d+\]\.rootDeviceHints\.deviceName",
        r"Device Name of root device hint .*",
        "or use wwn, serialNumber or hctl",
    ),
    (r"hosts\[\d+\]\.rootDeviceHints\.wwn.*", r"WWN .* not supported .*", "use wwn"),
    (r"rendezvousIP", r"missing rendezvousIP .*", "name the address that a control-plane host will have"),
    (
        r"platform\.baremetal\.hosts.*bmc",
        r"driver .* requires provisioning network",
        ("use redfish-virtualmedia+https://HOST/redfish/v1/Systems/ID"),
    ),
    (
        r".*",
        r"this field is protected by the .* feature gate .*",
        ("remove it, unless the cluster is for trials only: it cannot be upgraded then"),
    ),
)


def with_remedy(problem: Problem) -> Problem:
    """The same problem with a hint, where it has none and there is one to give. Checks have their own."""
    if problem.check or problem.hint or problem.severity != "error":
        return problem
    hint = next(
        (
            hint
            for path, detail, hint in _compiled()
            if path.fullmatch(problem.path) and detail.fullmatch(problem.detail)
        ),
        "",
    )
    return dataclasses.replace(problem, hint=hint) if hint else problem


@functools.cache
def _compiled() -> tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...]:
    return tuple((re.compile(path), re.compile(detail, re.DOTALL), hint) for path, detail, hint in REMEDIES)
