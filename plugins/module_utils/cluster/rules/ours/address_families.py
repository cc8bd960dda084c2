# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check that the address families of machine, cluster and service networks and of the VIPs agree."""

from __future__ import annotations

from collections.abc import Iterator

from ....common.problems import INVALID, Problem
from ...upstream.texts import parse_cidr, parse_ip
from ..checks import own
from ..facts import Facts

# The usual network of each list and family (openshift/assisted-service swagger.yaml).
_USUAL = {
    ("serviceNetwork", 4): "172.30.0.0/16",
    ("serviceNetwork", 6): "fd02::/112",
    ("clusterNetwork", 4): "10.128.0.0/14 with host prefix 23",
    ("clusterNetwork", 6): "fd01::/48 with host prefix 64",
}


def address_families(facts: Facts) -> Iterator[Problem]:
    """All three lists have the same families: the installer requires that only if the service networks have both, the
    service always, and only once the machines run.

    What two of the lists agree on is taken for meant where the user has written it; the machine networks decide
    otherwise.

    Source: openshift/assisted-service internal/cluster/validator.go.
    """
    networking = facts.cluster.networking
    by_name = {
        "machineNetwork": networking.machine_networks,
        "serviceNetwork": networking.service_networks,
        "clusterNetwork": tuple(entry.cidr for entry in networking.cluster_networks),
    }
    if any(parse_cidr(text) is None for listed in by_name.values() for text in listed) or not all(by_name.values()):
        return
    families: dict[str, set[int]] = {
        name: {parsed.version for text in listed if (parsed := parse_cidr(text))} for name, listed in by_name.items()
    }
    if families["serviceNetwork"] == {4, 6}:
        return  # dual stack as the installer knows it: ip_versions
    others_agree = families["serviceNetwork"] == families["clusterNetwork"]
    meant = families["serviceNetwork" if others_agree and 6 in families["serviceNetwork"] else "machineNetwork"]
    for name, found in families.items():
        if found != meant:
            decisive = "service and cluster networks" if name == "machineNetwork" else "machine networks"
            detail = f"the {decisive} are {_family_names(meant)}, these are {_family_names(found)}"
            value = ", ".join(by_name[name])
            yield own(
                "address-families",
                f"networking.{name}",
                INVALID,
                detail,
                value=value,
                hint=_family_hint(name, meant, found),
            )
    yield from _vip_families(facts)


def _vip_families(facts: Facts) -> Iterator[Problem]:
    """With a load balancer of the user's own, VIPs may be outside the machine networks; the address family is the
    hosts' all the same.
    """
    if not facts.user_managed_load_balancer:
        return  # each is in a machine network, or the installer says so
    versions: set[int] = {network.version for network in facts.machine_networks}
    for path, vip in facts.vips:
        ip = parse_ip(vip)
        if ip is not None and ip.version not in versions:
            detail = f"the machine networks are {_family_names(versions)}, this is an IPv{ip.version} address"
            yield own(
                "address-families", path, INVALID, detail, value=vip, hint="choose an address of the hosts' family"
            )


def _family_names(versions: set[int]) -> str:
    return " and ".join(f"IPv{version}" for version in sorted(versions))


def _family_hint(name: str, meant: set[int], found: set[int]) -> str:
    if name == "machineNetwork":
        return f"write the {_family_names(meant)} network of the hosts"
    usual = " and ".join(_USUAL[name, version] for version in sorted(meant - found))
    extra = found - meant
    drop = f"take {_family_names(extra)} out" if extra else ""
    verb = "write" if drop else "add"
    add = f"{verb} {usual}" if usual else ""
    return " and ".join(part for part in (add, drop) if part)
