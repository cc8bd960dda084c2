# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data for the error catalogue: wrong configuration files, variables and release images. Together they cause every
message about reading them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.documents import Release
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import from_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.checks import check_names
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Cluster
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.problems import Problem
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.release_pin import (
    NotResolved,
    pin_release,
)
from ansible_collections.zerotouch.openshift.tests.unit.cluster.reading import from_variables
from ansible_collections.zerotouch.openshift.tests.unit.cluster_rules.base import good_deployment

_HEAD = "apiVersion: v1\nmetadata: {name: demo}\nbaseDomain: example.com\n"
_PLATFORM = "platform: {none: {}}\n"
_AGENT = "apiVersion: v1beta1\n"
_DEEP = "x: " + "[" * 220 + "]" * 220 + "\n"
_BMC_HOSTS = "platform:\n  baremetal:\n    hosts:\n    - {name: a, %s}\n"

# install-config.yaml, agent-config.yaml
FILES: tuple[tuple[str, str], ...] = (
    ("metadata: {name: demo}\n", _AGENT),
    ("apiVersion: v2\n", "metadata: {name: a}\n"),
    (_HEAD, "apiVersion: v3\n"),
    (f"{_HEAD}baseDomain: a\nBaseDomain: b\nbaseDomian: c\n", _AGENT),
    (f"{_HEAD}pullSecret: ''{{\"auths\": {{}}}}''\n", _AGENT),
    ("a: [1\n", "\tb: 1\n"),
    ("[1, 2]\n", "text\n"),
    (f"{_HEAD}x: &a [*a]\n? [1]\n: 2\n<<: 5\ny: !!binary AA==\n{_DEEP}", _AGENT),
    (f"{_HEAD}---\nsecond: 1\n", _AGENT),
    (f"{_HEAD}networking: &n {{type: x}}\nplatform: {{<<: *n, type: y}}\n~: 1\nx: .inf\n", f"%YAML 1.2\n---\n{_AGENT}"),
    (
        f"{_HEAD}fips: 5\nsshKey: 7\nnetworking: []\ncompute: {{replicas: many}}\ncontrolPlane: {{replicas: many}}\n",
        _AGENT,
    ),
    (
        (
            f"{_HEAD}{_PLATFORM}networking: {{type: OVNKubernetes, machineCIDR: 10.0.0.0/16}}\nimageContentSources: "
            f"[{{source: quay.io/a/b}}]\n"
        ),
        _AGENT,
    ),
    (_HEAD + _BMC_HOSTS % "role: master", _AGENT),
    (
        _HEAD
        + _BMC_HOSTS
        % (
            "bootMACAddress: '52:54:00:00:00:01', bootMode: legacy, networkConfig: {interfaces: [{name: eno1, "
            "mac-address: '52:54:00:00:00:02'}]}"
        ),
        _AGENT,
    ),
    (_HEAD + _BMC_HOSTS % "bootMACAddress: '52:54:00:00:00:01'", f"{_AGENT}hosts: [{{hostname: a}}]\n"),
    (_HEAD.replace("v1", "v1beta4") + _PLATFORM, "apiVersion: v1alpha1\n"),
    (
        (
            f"{_HEAD}{_PLATFORM}controlPlane: {{fencing: {{credentials: [{{hostName: a, macAddress: "
            f"'52:54:00:00:00:01'}}]}}}}\n"
        ),
        _AGENT,
    ),
    # Networks that are named without one, beside those of both families.
    (
        (
            f"{_HEAD}{_PLATFORM}networking: {{machineNetwork: [{{cidr: 10.0.0.0/16}}, {{}}], serviceNetwork: "
            f"[172.30.0.0/16, 'fd03::/112']}}\n"
        ),
        f"{_AGENT}hosts: [{{hostname: 7}}]\n",
    ),
    (_HEAD + _PLATFORM, "spec: {rendezvousIP: 10.0.0.1}\nrendezvousIP: 10.0.0.2\n"),
)

# Changes of a base of verdict_bases.py that no verdict of the installer is recorded for.
DOCUMENTS: tuple[tuple[str, str, Any], ...] = (
    ("baremetal", "platform.baremetal.dnsRecordsType", "External"),
    ("baremetal", "compute[0].management", "ClusterAPI"),
    ("none", "pki", {}),
    ("none", "pki", {"signerCertificates": {"key": {"algorithm": "DSA"}}}),
    ("none", "pki", {"signerCertificates": {"key": {"algorithm": "RSA", "ecdsa": {"curve": "P256"}}}}),
    ("none", "pki", {"signerCertificates": {"key": {"algorithm": "RSA", "rsa": {"keySize": 1000}}}}),
    ("none", "pki", {"signerCertificates": {"key": {"algorithm": "ECDSA", "ecdsa": {"curve": "P1"}}}}),
    ("none", "osImageStream", "rhel-8"),
)

# openshift_cluster beyond a good one, and hosts.
_HOST = {"inventory_name": "a", "role": "master", "interfaces": [{"name": "eno1", "mac_address": "52:54:00:00:00:01"}]}
VARIABLES: tuple[tuple[Mapping[str, Any], list[Mapping[str, Any]]], ...] = (
    ({"version": ""}, [_HOST, _HOST, {**_HOST, "role": "worker"}]),
    ({"version": "5.9.0"}, [_HOST]),
    ({"version": "4.22"}, [{**_HOST, "role": "storage"}, {**_HOST, "inventory_name": "b", "boot": {"method": "pxe"}}]),
    (
        {"version": "3.11.0"},
        [{**_HOST, "boot": {"method": "bmc"}}, {**_HOST, "inventory_name": "b", "bmc": {"username": "a"}}],
    ),
    ({"version": "4.22.0", "platform": "openstack"}, [{**_HOST, "boot": {"method": "carrier pigeon"}}]),
    ({"version": "4.22.0", "platform": "none", "api_vips": ["10.0.0.1"]}, [_HOST]),
    ({"version": "4.22.0", "platform": "baremetal", "platform_options": {"hosts": [{"name": "unknown"}]}}, [_HOST]),
    (
        {
            "version": "4.22.0",
            "pull_secret": 5,
            "extra_manifests": [
                {"name": "a.yaml"},
                "/nowhere.yaml",
                "kind: A\nx: 1",
                {"name": "b", "content": {}},
                "/etc/hostname",
            ],
        },
        [_HOST],
    ),
    (
        {
            "version": "4.22.0",
            "extra_manifests": [
                {"name": "a.yaml", "content": {"kind": "A"}},
                {"name": "a.yaml", "content": {"kind": "A"}},
            ],
        },
        [_HOST],
    ),
)


def problems_of_inputs(directory: Path) -> Iterator[Problem]:
    """Everything that reading says about all of these."""
    for index, (install, agent) in enumerate(FILES):
        place = directory / str(index)
        place.mkdir()
        (place / "install-config.yaml").write_text(install)
        (place / "agent-config.yaml").write_text(agent)
        yield from from_directory(place, version="4.22.0")[1]
    for cluster, hosts in VARIABLES:
        yield from from_variables(
            {"name": "demo", "base_domain": "example.com", "pull_secret": "{}", **cluster}, hosts
        )[1]
    yield from _not_there(directory)
    yield from check_names({"mtuu": "off", "mtu": "no"})
    yield from _not_pinned()


def _not_pinned() -> Iterator[Problem]:
    def ask(cluster: Cluster) -> str:
        raise NotResolved("Registry q.io: it answers 503.")

    described = good_deployment()
    by_tag = dataclasses.replace(
        described, cluster=dataclasses.replace(described.cluster, release_image="q.io/r:4.22.0")
    )
    for deployment in (
        by_tag,
        dataclasses.replace(by_tag, provided_manifests={"cluster-manifests/cluster-image-set.yaml": ""}),
    ):
        problem = pin_release(deployment, Release("4.22.0"), ask).problem
        yield from [problem] if problem else []


def _not_there(directory: Path) -> Iterator[Problem]:
    yield from from_directory(directory / "missing", version="4.22.0")[1]
    empty = directory / "empty"
    empty.mkdir()
    yield from from_directory(empty, version="4.22.0")[1]
    yield from from_directory(empty / "file", version="4.22.0")[1]
    binary = directory / "binary"
    (binary / "openshift").mkdir(parents=True)
    (binary / "install-config.yaml").write_bytes(b"\xff\xff")
    (binary / "agent-config.yaml").mkdir()
    (binary / "openshift" / "a.yaml").write_text("- 1\n")
    yield from from_directory(binary, version="4.22.0")[1]
