# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Which platform is meant, and its own rules (reference agent-based-installer.md 3.2, 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

from ...common.problems import Problem
from .baremetal import baremetal, bmc_hosts
from .findings import invalid, unsupported
from .given import Given
from .nutanix import agent_nutanix, nutanix
from .vsphere import agent_credentials, vsphere

# In the order of the installer's checks; none and external have no rules there and do not clash with others.
_CHECKED = ("aws", "azure", "gcp", "ibmcloud", "openstack", "powervs", "vsphere", "baremetal", "ovirt", "nutanix")
_RULES = {"vsphere": vsphere, "baremetal": baremetal, "nutanix": nutanix}
_KNOWN = ("aws", "azure", "baremetal", "external", "gcp", "ibmcloud", "none", "nutanix", "openstack", "powervs", "vsphere")


def platform(given: Given) -> Iterator[Problem]:
    known = sorted({*_KNOWN, *(("powervc",) if given.profile.powervc else ())})
    if given.platform not in known:
        yield invalid("platform", given.platform, f"must specify one of the platforms ({', '.join(known)})")
    for name in _CHECKED:
        if name not in given.platforms:
            continue
        if name != given.platform:
            yield invalid("platform", given.platform, f'must only specify a single type of platform; cannot use both "{given.platform}" and "{name}"')
        if name in _RULES:
            yield from _RULES[name](given)


def agent_platform(given: Given) -> Iterator[Problem]:
    """What only the agent installer says: its own choice of platforms, then of what each of them needs."""
    name, architecture = given.platform, given.control_plane["architecture"]
    if name and name not in given.profile.platforms:
        yield unsupported("platform", name, given.profile.platforms)
    for limited in ("ppc64le", "s390x"):
        if name != "none" and architecture == limited:
            yield invalid("platform", name, f'CPU architecture "{limited}" only supports platform "none".')
    if name == "external":
        yield from _external(given)
    if name == "vsphere":
        yield from agent_credentials(given)
    if name == "nutanix":
        yield from agent_nutanix(given)
    if name == "baremetal":
        yield from bmc_hosts(given)


def _external(given: Given) -> Iterator[Problem]:
    path, manager = "platform.external.cloudControllerManager", given.options().get("cloudControllerManager", "")
    if given.options().get("platformName") == "oci" and manager != "External":
        yield invalid(path, manager, f"When using external oci platform, {path} must be set to External")
