# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test data: a valid hand-written set of cluster-manifests, and changes to it that the installer accepts or rejects. A
rejected change has the path, kind and message of its problem.

The verdict and message of every row were compared with a real installer (November 2025).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    Cluster,
    Host,
    ImageDigestSource,
    Interface,
    Networking,
    Pool,
    Proxy,
)

RELEASE = "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"
INSTALL, DEPLOYMENT, IMAGE_SET = (
    f"cluster-manifests/{name}.yaml" for name in ("agent-cluster-install", "cluster-deployment", "cluster-image-set")
)
INFRA_ENV, NMSTATE, SECRET = (f"cluster-manifests/{name}.yaml" for name in ("infraenv", "nmstateconfig", "pull-secret"))
REGISTRIES, BUNDLE, AGENT = "mirror/registries.conf", "mirror/ca-bundle.crt", "agent-config.yaml"
Files = dict[str, str]
Change = Callable[[Files], object]


def network_config(number: int) -> dict[str, Any]:
    ipv4 = {"enabled": True, "dhcp": False, "address": [{"ip": f"192.168.111.{20 + number}", "prefix-length": 24}]}
    route = {"destination": "0.0.0.0/0", "next-hop-address": "192.168.111.1", "next-hop-interface": "eth0"}
    dns = {"config": {"server": ["192.168.111.1"]}}
    return {
        "interfaces": [{"name": "eth0", "type": "ethernet", "state": "up", "ipv4": ipv4}],
        "dns-resolver": dns,
        "routes": {"config": [route]},
    }


def cluster() -> Cluster:
    return Cluster(
        name="ostest",
        base_domain="test.metalkube.org",
        version="4.22.0",
        release_image=RELEASE,
        platform="baremetal",
        namespace="cluster0",
        control_plane=Pool(3),
        compute=Pool(0),
        api_vips=("192.168.111.5",),
        ingress_vips=("192.168.111.4",),
        networking=Networking(machine_networks=("192.168.111.0/24",)),
        pull_secret='{"auths": {"quay.io": {"auth": "YTpi"}}}',
        ssh_key="ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFFqxkMhK3Oo0Vb6wiwGPbtNBrNzlP3rl64oT6WvJqp5 a",
        rendezvous_ip="192.168.111.20",
        proxy=Proxy("http://192.168.111.1:3128", "", "a.com"),
        image_digest_sources=(
            ImageDigestSource("quay.io/openshift-release-dev/ocp-release", ("r.example.com:5000/ocp",)),
        ),
        ntp_sources=("ntp.example.com",),
    )


def hosts() -> tuple[Host, ...]:
    return tuple(
        Host(f"m{n}", interfaces=(Interface("eth0", f"52:54:00:aa:bb:0{n}"),), network_config=network_config(n))
        for n in range(3)
    )


def changed(path: str, change: Callable[[Any], object]) -> Change:
    def apply(files: Files) -> None:
        documents = [document for document in yaml.safe_load_all(files[path]) if document]
        change(documents if path == NMSTATE else documents[0])
        files[path] = "---\n".join(yaml.safe_dump(document) for document in documents)

    return apply


def spec(path: str, **values: Any) -> Change:
    return changed(path, lambda document: document["spec"].update(values))


def networking(**values: Any) -> Change:
    return changed(INSTALL, lambda document: document["spec"]["networking"].update(values))


def string_data(value: Any) -> Change:
    return changed(SECRET, lambda document: document.update(stringData=value))


def interfaces(*entries: dict[str, str]) -> Change:
    return changed(NMSTATE, lambda documents: documents[0]["spec"].update(interfaces=list(entries)))


def text(path: str, content: str) -> Change:
    return lambda files: files.update({path: content})


def without(path: str) -> Change:
    return lambda files: files.pop(path)


def agent(content: str) -> Change:
    return text(AGENT, f"apiVersion: v1beta1\n{content}")


HOST = "hosts: [{hostname: m0, role: master, interfaces: [{name: eth0, macAddress: '52:54:00:aa:bb:00'}]}]\n"
MISMATCH = (
    "infraEnv and ostest-1 NMState Config labels do not match. Expected: "
    "map[infraenvs.agent-install.openshift.io:ostest] Found: map[a:2 b:1]"
)

REFUSED: list[tuple[str, Change, str, str, str]] = [
    *(
        (f"no {path}", without(path), "", "Required value", "missing configuration or manifest file")
        for path in (INSTALL, DEPLOYMENT, INFRA_ENV, SECRET)
    ),
    ("unknown field", spec(INSTALL, foo=1), "spec.foo", "Unknown field", 'json: unknown field "foo"'),
    (
        "unknown field deep inside",
        networking(machineNetworks=[]),
        "spec.networking.machineNetworks",
        "Unknown field",
        'json: unknown field "machineNetworks"',
    ),
    (
        "unknown field of the InfraEnv",
        spec(INFRA_ENV, sshKey="x"),
        "spec.sshKey",
        "Unknown field",
        'json: unknown field "sshKey"',
    ),
    (
        "wrong type",
        networking(userManagedNetworking="no"),
        "spec.networking.userManagedNetworking",
        "Invalid value",
        "true or false is expected",
    ),
    (
        "OpenShiftSDN with IPv6",
        networking(networkType="OpenShiftSDN", clusterNetwork=[{"cidr": "fd01::/48", "hostPrefix": 64}]),
        "spec.networking.networkType",
        "Required value",
        "clusterNetwork CIDR is IPv6 and is not compatible with networkType OpenShiftSDN",
    ),
    (
        "OpenShiftSDN with IPv6 services",
        networking(networkType="OpenShiftSDN", serviceNetwork=["fd02::/112"]),
        "spec.networking.networkType",
        "Required value",
        "serviceNetwork CIDR is IPv6 and is not compatible with networkType OpenShiftSDN",
    ),
    (
        "prefix of hosts",
        networking(clusterNetwork=[{"cidr": "10.128.0.0/14", "hostPrefix": 26}]),
        "spec.networking.clusterNetwork[0].hostPrefix",
        "Invalid value",
        "must be at most 25",
    ),
    (
        "prefix of hosts in IPv6",
        networking(clusterNetwork=[{"cidr": "fd01::/48", "hostPrefix": 122}]),
        "spec.networking.clusterNetwork[0].hostPrefix",
        "Invalid value",
        "must be at most 121",
    ),
    (
        "too few networks for the hosts",
        networking(clusterNetwork=[{"cidr": "10.128.0.0/23", "hostPrefix": 24}]),
        "spec.networking.clusterNetwork[0]",
        "Invalid value",
        "prefix length 23 not large enough to accommodate 3 hosts with hostPrefix length 24",
    ),
    (
        "no network",
        networking(clusterNetwork=[{"cidr": "10.128.0.0", "hostPrefix": 23}]),
        "spec.networking.clusterNetwork[0].cidr",
        "Required value",
        "error parsing the clusterNetwork CIDR",
    ),
    (
        "platform",
        spec(INSTALL, platformType="AWS"),
        "spec.platformType",
        "Unsupported value",
        'supported values: "BareMetal", "VSphere", "Nutanix", "None", "External"',
    ),
    (
        "platform none",
        spec(INSTALL, platformType="None"),
        "spec.networking.userManagedNetworking",
        "Forbidden",
        "None platform requires user-managed networking",
    ),
    (
        "disk encryption of whom",
        spec(INSTALL, diskEncryption={"enableOn": "some", "mode": "tang"}),
        "spec.diskEncryption.enableOn",
        "Unsupported value",
        'supported values: "none", "all", "masters", "workers"',
    ),
    (
        "disk encryption with what",
        spec(INSTALL, diskEncryption={"enableOn": "all", "mode": "luks"}),
        "spec.diskEncryption.mode",
        "Unsupported value",
        'supported values: "tpmv2", "tang"',
    ),
    (
        "another release",
        spec(IMAGE_SET, releaseImage="quay.io/x:1"),
        "spec.releaseImage",
        "Invalid value",
        f"value must be equal to {RELEASE}",
    ),
    ("pull secret as data", string_data(None), "stringData", "Required value", "the pull secret is empty"),
    (
        "pull secret by another key",
        string_data({"a": "b"}),
        "stringData",
        "Required value",
        ("the pull secret key '.dockerconfigjson' is not defined"),
    ),
    (
        "empty pull secret",
        string_data({".dockerconfigjson": ""}),
        "stringData",
        "Required value",
        "the pull secret does not contain any data",
    ),
    (
        "broken pull secret",
        string_data({".dockerconfigjson": "{"}),
        "stringData",
        "Invalid value",
        "unexpected end of JSON input",
    ),
    (
        "pull secret of nothing",
        string_data({".dockerconfigjson": "{}"}),
        "stringData",
        "Invalid value",
        "auths required",
    ),
    (
        "architecture",
        spec(INFRA_ENV, cpuArchitecture="sparc"),
        "spec.cpuArchitecture",
        "Unsupported value",
        "Config.Spec.CpuArchitecture sparc is not supported",
    ),
    (
        "no labels",
        changed(NMSTATE, lambda documents: documents[1]["metadata"].pop("labels")),
        "labels",
        "Required value",
        "ostest-1 does not have any label set",
    ),
    (
        "other labels",
        changed(NMSTATE, lambda documents: documents[1]["metadata"].update(labels={"b": "1", "a": "2"})),
        "spec.nmStateConfigLabelSelector.matchLabels",
        "Required value",
        MISMATCH,
    ),
    (
        "no interface",
        interfaces(),
        "spec.interfaces",
        "Invalid value",
        ("at least one interface for host 0 must be provided"),
    ),
    (
        "MAC with dashes",
        interfaces({"name": "eth0", "macAddress": "52-54-00-aa-bb-00"}),
        "spec.interfaces",
        "Invalid value",
        "MAC address 52-54-00-aa-bb-00 for host 0 is incorrectly formatted, use XX:XX:XX:XX:XX:XX format",
    ),
    (
        "MAC twice",
        interfaces(
            {"name": "eth0", "macAddress": "52:54:00:aa:bb:00"}, {"name": "eth1", "macAddress": "52:54:00:aa:bb:00"}
        ),
        "spec.interfaces",
        "Invalid value",
        "MACs and Interfaces for host 0 must be unique",
    ),
    (
        "registries that are no TOML",
        text(REGISTRIES, "x = "),
        "",
        "Syntax error",
        ("this is not valid TOML: Invalid value (at end of document)"),
    ),
    (
        "certificates that are none",
        text(BUNDLE, "junk"),
        "",
        "Invalid value",
        "unable to parse certificate, please check the additionalTrustBundle section of install-config.yaml",
    ),
    (
        "a certificate that is none",
        text(BUNDLE, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
        "",
        "Invalid value",
        "x509: malformed certificate",
    ),
    (
        "a network of a wrong form",
        changed(NMSTATE, lambda documents: documents[0]["spec"]["config"].update({"dns-resolver": "5"})),
        "spec.config.dns-resolver",
        "Invalid value",
        "must be a mapping, got text",
    ),
    (
        "no network",
        changed(NMSTATE, lambda documents: documents[1]["spec"].pop("config")),
        "spec.config",
        "Invalid value",
        "nmstate generated an empty NetworkManager config file content",
    ),
    (
        "kind that is a number",
        changed(DEPLOYMENT, lambda document: document.update(kind=5)),
        "kind",
        "Invalid value",
        "a text is expected",
    ),
    *(
        (
            f"time of creation {value}",
            changed(INFRA_ENV, lambda document, value=value: document["metadata"].update(creationTimestamp=value)),
            "metadata.creationTimestamp",
            "Invalid value",
            "a time such as 2026-06-01T12:00:00Z is expected",
        )
        for value in (5, "yesterday", [])
    ),
    (
        "status that is a text",
        changed(INSTALL, lambda document: document.update(status="x")),
        "status",
        "Invalid value",
        "a mapping is expected",
    ),
    (
        "platform that is a number",
        spec(DEPLOYMENT, platform=5),
        "spec.platform",
        "Invalid value",
        "a mapping is expected",
    ),
    *(
        (
            f"data {value}",
            changed(SECRET, lambda document, value=value: document.update(data={"x": value})),
            "data.x",
            "Invalid value",
            "base64 is expected",
        )
        for value in ("x", "²")
    ),
    (
        "one registry",
        text(REGISTRIES, '[registry]\nlocation = "a"\n'),
        "registry",
        "Invalid value",
        "a list of tables is expected",
    ),
    (
        "location that is a number",
        text(REGISTRIES, "[[registry]]\nlocation = 5\n"),
        "registry.location",
        "Invalid value",
        "a text is expected",
    ),
    (
        "mirror that is a text",
        text(REGISTRIES, '[[registry]]\nlocation = "a"\nmirror = "b"\n'),
        "registry.mirror",
        "Invalid value",
        "a list of tables is expected",
    ),
    ("agent-config: address", agent("rendezvousIP: x\n"), "rendezvousIP", "Invalid value", '"x" is not a valid IP'),
    (
        "agent-config: URL",
        agent("bootArtifactsBaseURL: nourl\n"),
        "bootArtifactsBaseURL",
        "Invalid value",
        'invalid URI "nourl" (no scheme)',
    ),
    (
        "agent-config: hosts without networks",
        lambda files: (files.pop(NMSTATE), agent("rendezvousIP: 192.168.111.20\n" + HOST)(files)),
        "hosts",
        "Invalid value",
        "the number of master hosts defined (1) exceeds the configured ControlPlane replicas (0)",
    ),
]


TAKEN: list[tuple[str, Change]] = [
    ("as generated", lambda files: None),
    ("without what may be missing", lambda files: [files.pop(path) for path in (IMAGE_SET, REGISTRIES, BUNDLE)]),
    (
        "names in any case",
        changed(INSTALL, lambda document: document["spec"].update(APIvips=document["spec"].pop("apiVIPs"))),
    ),
    ("platform in its older form", spec(INSTALL, platformType="baremetal")),
    (
        "nothing said of networking",
        changed(
            INSTALL,
            lambda document: [
                document["spec"]["networking"].pop(key) for key in ("networkType", "userManagedNetworking")
            ],
        ),
    ),
    ("architecture by Go's name", spec(INFRA_ENV, cpuArchitecture="amd64")),
    ("a text without quotes", changed(DEPLOYMENT, lambda document: document["metadata"].update(labels={"a": 5}))),
    ("fields that are not read strictly", changed(NMSTATE, lambda documents: documents[0]["spec"].update(foo="x"))),
    ("hosts in agent-config.yaml", agent(HOST)),
    ("smallest network", networking(clusterNetwork=[{"cidr": "10.128.0.0/22", "hostPrefix": 24}])),
    ("disk encryption", spec(INSTALL, diskEncryption={"enableOn": "all", "mode": "tpmv2"})),
]
