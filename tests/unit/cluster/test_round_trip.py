# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test with random deployments that the configuration files of a deployment read back as the same deployment."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import from_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.render import render_files
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rendezvous import with_rendezvous_ip
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import (
    Bmc,
    Cluster,
    ClusterNetwork,
    Deployment,
    ExtraManifest,
    Host,
    ImageDigestSource,
    Interface,
    Networking,
    Pool,
    Proxy,
)
from ansible_collections.zerotouch.openshift.tests.unit.cluster.reading import as_files_hold_it
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
some_text = text.filter(lambda value: value != "")
# Words that YAML readers take for something else.
word = st.one_of(
    some_text,
    st.sampled_from(
        [
            "yes",
            "n",
            "null",
            "~",
            "0o17",
            "1e3",
            "012",
            "0x1f",
            "52:54:00:11:22:33",
            "2022-01-01",
            "=",
            "<<",
            ".inf",
            "-",
            "a: b",
            "#",
            "|",
        ]
    ),
)
leaf = st.one_of(word, st.integers(-5, 5000), st.booleans())
tree = st.recursive(
    leaf, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(word, inner, max_size=3)), max_leaves=8
)
document = st.dictionaries(word, tree, max_size=3)
multiline = st.one_of(word, st.lists(text, min_size=2, max_size=4).map("\n".join)).filter(lambda value: value != "")
stripped = some_text.map(str.strip).filter(bool)
words = st.lists(word, max_size=3).map(tuple)

machine_platforms = st.fixed_dictionaries(
    {}, optional={"vsphere": st.fixed_dictionaries({"cpus": st.integers(0, 9)}), "aws": document}
)
pools = st.builds(
    Pool,
    st.integers(0, 5),
    st.sampled_from(["amd64", "arm64"]),
    st.fixed_dictionaries({}, optional={"hyperthreading": word, "platform": machine_platforms}),
)
networkings = st.builds(
    Networking,
    word.filter(lambda value: value.lower() not in ("ovnkubernetes", "openshiftsdn")),
    st.lists(word, min_size=1, max_size=2).map(tuple),
    st.lists(st.builds(ClusterNetwork, word, st.integers(1, 64)), min_size=1, max_size=2).map(tuple),
    st.lists(word, min_size=1, max_size=2).map(tuple),
)
options = st.fixed_dictionaries(
    {}, optional={"provisioningNetwork": word, "loadBalancer": st.fixed_dictionaries({"type": word})}
)
clusters = st.builds(
    Cluster,
    name=word,
    base_domain=word,
    version=word,
    release_image=word,
    platform=st.sampled_from(["baremetal", "vsphere", "nutanix", "none", "external"]),
    control_plane=pools,
    compute=pools,
    arbiter=st.none() | pools,
    namespace=text,
    api_vips=words,
    ingress_vips=words,
    networking=networkings,
    pull_secret=st.lists(text, max_size=3).map(lambda lines: "\n".join(lines).strip()),
    ssh_key=st.lists(st.from_regex(r"\Assh-[a-z]+ [A-Za-z0-9+/=]+( [a-z@]+)?\Z"), max_size=3).map("\n".join),
    additional_trust_bundle=st.just("") | multiline,
    additional_trust_bundle_policy=text,
    image_digest_sources=st.lists(st.builds(ImageDigestSource, word, words, text), max_size=2).map(tuple),
    proxy=st.builds(Proxy, text, text, text),
    fips=st.booleans(),
    capabilities=st.fixed_dictionaries(
        {},
        optional={
            "baselineCapabilitySet": word,
            "additionalEnabledCapabilities": st.lists(word, min_size=1, max_size=2),
        },
    ),
    cpu_partitioning_mode=text,
    feature_set=text,
    feature_gates=words,
    install_config_extra=st.fixed_dictionaries(
        {},
        optional={
            "publish": word,
            "osImageStream": word,
            "networking": st.fixed_dictionaries({"clusterNetworkMTU": st.integers(1, 9000)}),
        },
    ),
    rendezvous_ip=st.sampled_from(["", "192.0.2.1", "2001:db8::1"]),
    ntp_sources=words,
    boot_artifacts_base_url=text.map(lambda value: value.strip("/")),
    minimal_iso=st.booleans(),
    extra_manifests=st.dictionaries(st.from_regex(r"\A[a-z]{1,6}\.ya?ml\Z"), document, max_size=2).map(
        lambda found: tuple(ExtraManifest(name, "a: 1\r\n") for name in sorted(found))
    ),
)
hosts = st.builds(
    Host,
    name=word,
    hostname=text,
    role=st.sampled_from(["master", "worker", "arbiter", ""]),
    interfaces=st.lists(st.builds(Interface, text, text), max_size=2).map(tuple),
    root_device_hints=st.fixed_dictionaries(
        {}, optional={"deviceName": word, "minSizeGigabytes": st.integers(0, 100), "rotational": st.booleans()}
    ),
    network_config=document,
    bmc=st.none() | st.builds(Bmc, word, password=word),
)


def _platform_form(cluster: Cluster, chosen: dict[str, object]) -> Cluster:
    if cluster.platform in ("none", "external"):
        return dataclasses.replace(cluster, api_vips=(), ingress_vips=())
    return dataclasses.replace(cluster, platform_options=chosen) if cluster.platform == "baremetal" else cluster


@st.composite
def deployments(draw: st.DrawFn) -> Deployment:
    cluster = _platform_form(draw(clusters), draw(options))
    machines = tuple(draw(st.lists(hosts, max_size=3)))
    if cluster.platform == "baremetal" and machines and draw(st.booleans()):
        first = machines[0]
        mac = first.interfaces[0].mac_address if first.interfaces else ""
        entry = {
            "name": first.hostname or "host-0",
            "role": first.role,
            "bootMACAddress": mac,
            "bmc": {"address": "redfish://x", "password": draw(word)},
        }
        cluster = dataclasses.replace(
            cluster,
            platform_options={
                **cluster.platform_options,
                "hosts": [{key: value for key, value in entry.items() if value}],
            },
        )
    return Deployment(cluster, machines, cluster.rendezvous_ip)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    derandomize=True,
)
@given(deployments())
def test_files_read_back_as_the_same_deployment(deployment: Deployment) -> None:
    files = render_files(deployment)
    with tempfile.TemporaryDirectory() as directory:
        for name, content in files.items():
            path = Path(directory) / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content.encode())
        found, _problems = from_directory(Path(directory))
    assert found is not None
    expected = as_files_hold_it(deployment)
    assert found.cluster == expected.cluster
    assert found == with_rendezvous_ip(expected)
    assert render_files(found) == files
