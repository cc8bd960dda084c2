# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the choice of the platform in install-config.yaml, and apply the rules of that platform.

Source: openshift/installer pkg/types/validation/installconfig.go, pkg/asset/agent/installconfig.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...common.problems import Problem
from .baremetal import baremetal, bmc_hosts
from .findings import invalid, unsupported
from .nutanix import agent_nutanix, nutanix
from .provided import Provided
from .vsphere import agent_credentials, vsphere

# In the order of the installer's checks; none and external have no rules there and do not clash with others.
_CHECKED = ("aws", "azure", "gcp", "ibmcloud", "openstack", "powervs", "vsphere", "baremetal", "ovirt", "nutanix")
_RULES = {"vsphere": vsphere, "baremetal": baremetal, "nutanix": nutanix}
_KNOWN = (
    "aws",
    "azure",
    "baremetal",
    "external",
    "gcp",
    "ibmcloud",
    "none",
    "nutanix",
    "openstack",
    "powervs",
    "vsphere",
)


def platform(provided: Provided) -> Iterator[Problem]:
    known = sorted({*_KNOWN, *(("powervc",) if provided.profile.powervc else ())})
    if provided.platform not in known:
        yield invalid("platform", provided.platform, f"must specify one of the platforms ({', '.join(known)})")
    for name in _CHECKED:
        if name not in provided.platforms:
            continue
        if name != provided.platform:
            yield invalid(
                "platform",
                provided.platform,
                (f'must only specify a single type of platform; cannot use both "{provided.platform}" and "{name}"'),
            )
        if name in _RULES:
            yield from _RULES[name](provided)


def agent_platform(provided: Provided) -> Iterator[Problem]:
    """What only the agent installer says: its own choice of platforms, then of what each of them needs."""
    name, architecture = provided.platform, provided.control_plane["architecture"]
    if name and name not in provided.profile.platforms:
        yield unsupported("platform", name, provided.profile.platforms)
    for limited in ("ppc64le", "s390x"):
        if name != "none" and architecture == limited:
            yield invalid("platform", name, f'CPU architecture "{limited}" only supports platform "none".')
    if name == "external":
        yield from _external(provided)
    if name == "vsphere":
        yield from agent_credentials(provided)
    if name == "nutanix":
        yield from agent_nutanix(provided)
    if name == "baremetal":
        yield from bmc_hosts(provided)


def _external(provided: Provided) -> Iterator[Problem]:
    path, manager = "platform.external.cloudControllerManager", provided.options().get("cloudControllerManager", "")
    if provided.options().get("platformName") == "oci" and manager != "External":
        yield invalid(path, manager, f"When using external oci platform, {path} must be set to External")
