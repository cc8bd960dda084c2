# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: the deployment from which the tests render manifests."""

from __future__ import annotations

import dataclasses

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    Cluster,
    Deployment,
    Host,
    Networking,
    Pool,
    Proxy,
)

RELEASE = "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"
PULL_SECRET = '{"auths": {"quay.io": {"auth": "c3VwZXItc2VjcmV0Cg=="}}}'


def cluster(**changes: object) -> Cluster:
    base = Cluster(
        name="ostest",
        base_domain="test.metalkube.org",
        version="4.22.0",
        release_image=RELEASE,
        platform="none",
        namespace="cluster0",
        control_plane=Pool(1),
        compute=Pool(0),
        networking=Networking(machine_networks=("192.168.111.0/24",)),
        pull_secret=PULL_SECRET,
        ssh_key="ssh-rsa AAAA",
        rendezvous_ip="192.168.111.20",
    )
    return dataclasses.replace(base, **changes)  # type: ignore[arg-type]


def deployment(hosts: tuple[Host, ...] = (), **changes: object) -> Deployment:
    return Deployment(cluster(**changes), hosts, "192.168.111.20")


PROXY = Proxy(
    "http://192.168.111.1:8215", "http://192.168.111.1:8215", "172.22.0.0/24,virthost.ostest.test.metalkube.org"
)
