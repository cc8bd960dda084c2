# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create every object of the hub modules, with every option of these modules, on a real API server with upstream's
CRDs: the server accepts it and drops no field of it, and the second run changes nothing.

This needs kube-apiserver and etcd (KUBEBUILDER_ASSETS) and upstream's CRDs (ZT_UPSTREAM_DATA); see CONTRIBUTING.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.hub.kinds import (
    AGENT,
    AGENT_CLUSTER_INSTALL,
    BARE_METAL_HOST,
    INFRA_ENV,
)
from ansible_collections.zerotouch.openshift.plugins.modules import (
    agent_cluster_install,
    agents,
    bare_metal_hosts,
    infra_env,
)
from ansible_collections.zerotouch.openshift.tests.support import upstream
from ansible_collections.zerotouch.openshift.tests.support.hub import agents as made
from ansible_collections.zerotouch.openshift.tests.support.real_api import HAS_ASSETS, RealApi

from .canaries import BMC_PASSWORD, PULL_SECRET

CRDS = upstream.required("crds")
pytestmark = pytest.mark.skipif(
    not HAS_ASSETS, reason=("KUBEBUILDER_ASSETS names no directory with kube-apiserver and etcd")
)


NAMESPACE = "edge"
IGNITION = '{"ignition": {"version": "3.2.0"}}'
Open = Callable[..., dict[str, Any]]

NETWORK = {
    "interfaces": [
        {
            "name": "eth0",
            "type": "ethernet",
            "state": "up",
            "ipv4": {"enabled": True, "dhcp": False, "address": [{"ip": "192.0.2.10", "prefix-length": 24}]},
        }
    ]
}
INFRA_ENV_OPTIONS: dict[str, Any] = {
    "name": "edge",
    "pull_secret": PULL_SECRET,
    "ssh_public_keys": ["ssh-ed25519 AAAA"],
    "image_proxy": {
        "http_proxy": "http://192.0.2.1:3128",
        "https_proxy": "http://192.0.2.1:3128",
        "no_proxy": ".example.com",
    },
    "additional_ntp_sources": ["192.0.2.1"],
    "image_type": "minimal-iso",
    "os_image_version": "4.22",
    "arch": "x86_64",
    "kernel_arguments": [{"operation": "append", "value": "console=ttyS0"}],
    "ignition_config_override": IGNITION,
    "agent_labels": {"site": "edge"},
    "auto_approve": False,
    "ipxe_script_type": "BootOrderControl",
    "additional_trust_bundle": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    "mirror_registry": {"name": "mirrors", "namespace": NAMESPACE},
    "labels": {"team": "edge"},
    "annotations": {"example.com/owner": "edge"},
    "hosts": [
        {
            "name": "node-0",
            "interfaces": [{"name": "eth0", "mac_address": "52:54:00:00:00:01"}],
            "network_config": NETWORK,
        }
    ],
    "wait": False,
}
CLUSTER = {
    "name": "edge",
    "base_domain": "example.com",
    "version": "4.22.0",
    "platform": "baremetal",
    "api_vips": ["192.0.2.5"],
    "ingress_vips": ["192.0.2.6"],
    "machine_networks": ["192.0.2.0/24"],
    "pull_secret": PULL_SECRET,
    "ssh_public_keys": [
        ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFFqxkMhK3Oo0Vb6wiwGPbtNBrNzlP3rl64oT6WvJqp5 lab@example.com")
    ],
    "additional_trust_bundle": "",
    "proxy": {"http_proxy": "http://192.0.2.1:3128", "no_proxy": ".example.com"},
    "image_digest_sources": [
        {"source": "quay.io/openshift-release-dev/ocp-release", "mirrors": ["registry.example.com:5000/ocp/release"]}
    ],
    "control_plane": {"replicas": 3},
    "compute": {"replicas": 2},
}
AGENT_OPTIONS: dict[str, Any] = {
    "name": "node-1",
    "mac_addresses": [made.mac(1)],
    "approved": True,
    "hostname": "node-1",
    "role": "worker",
    "root_device_hints": {"deviceName": "/dev/sda"},
    "agent_labels": {"rack": "a"},
    "node_labels": {"zone": "a"},
    "machine_config_pool": "worker",
    "ignition_config_overrides": IGNITION,
    "installer_args": ["--append-karg", "console=ttyS0"],
}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealApi]:
    server = RealApi(tmp_path_factory.mktemp("hub"))
    try:
        server.define(
            yaml.safe_load(file.read_text())
            for folder in ("assisted-service", "hive", "metal3")
            for file in sorted((CRDS / folder).glob("*.yaml"))
        )
        server.client.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        yield server
    finally:
        server.stop()


@pytest.fixture
def run_module(api: RealApi) -> Open:
    """Call a module in the test process, with that API.

    The server prunes what a definition does not know, so that a second run would find it missing.
    """
    kubeconfig = str(api.kubeconfig)

    def opened(module: Any, *, check_mode: bool = False, **options: Any) -> dict[str, Any]:
        params = {name: spec.get("default") for name, spec in module.argument_spec().items()} | {
            "kubeconfig": kubeconfig,
            "namespace": NAMESPACE,
            **options,
        }
        return perform(module.run, Call(params, check_mode=check_mode, diff=True))

    return opened


def settles(run_module: Open, module: Any, **options: Any) -> None:
    """Check mode, the run, and the run again."""
    planned = run_module(module, check_mode=True, **options)
    assert planned["changed"], planned
    done = run_module(module, **options)
    assert done["changed"], done
    again = run_module(module, **options)
    assert not again["changed"], again


def test_an_infra_env(api: RealApi, run_module: Open) -> None:
    settles(run_module, infra_env, **INFRA_ENV_OPTIONS)
    spec = api.client.get(INFRA_ENV.path(NAMESPACE, "edge"))["spec"]
    assert (
        spec["kernelArguments"]
        and spec["mirrorRegistryRef"]
        and spec["ipxeScriptType"]
        and spec["nmStateConfigLabelSelector"]
    )
    assert run_module(infra_env, name="edge", state="absent")["changed"]
    assert api.client.list(INFRA_ENV.path(NAMESPACE)) == []


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("baremetal", {}),
        ("none", {"platform": "none", "api_vips": [], "ingress_vips": []}),
        (
            "sno",
            {
                "platform": "none",
                "api_vips": [],
                "ingress_vips": [],
                "control_plane": {"replicas": 1},
                "compute": {"replicas": 0},
            },
        ),
    ],
)
def test_a_cluster(api: RealApi, run_module: Open, name: str, change: dict[str, Any], tmp_path: Path) -> None:
    extra = tmp_path / "extra.yaml"
    extra.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: extra\n  namespace: default\n")
    options = {
        "name": name,
        "cluster": {**CLUSTER, "name": name, "extra_manifests": [str(extra)], **change},
        "hold": True,
    }
    settles(run_module, agent_cluster_install, **options)
    install = api.client.get(AGENT_CLUSTER_INSTALL.path(NAMESPACE, name))
    assert install["spec"]["holdInstallation"] and install["spec"]["manifestsConfigMapRefs"]
    assert run_module(agent_cluster_install, **{**options, "hold": False})["changed"]
    assert run_module(agent_cluster_install, name=name, state="absent")["changed"]


def test_agents(api: RealApi, run_module: Open) -> None:
    obj = made.agent(1, namespace=NAMESPACE)
    for name in ("uid", "resourceVersion", "creationTimestamp", "managedFields"):
        del obj["metadata"][name]
    created = api.client.create(AGENT.path(NAMESPACE), obj)
    conditions = [
        {**each, "lastTransitionTime": "2026-01-01T00:00:00Z", "lastHeartbeatTime": "2026-01-01T00:00:00Z"}
        for each in obj["status"]["conditions"]
    ]
    name = created["metadata"]["name"]
    api.client.merge_patch(
        f"{AGENT.path(NAMESPACE, name)}/status", {"status": {**obj["status"], "conditions": conditions}}
    )
    settles(run_module, agents, hosts=[AGENT_OPTIONS])
    spec = api.client.get(AGENT.path(NAMESPACE, name))["spec"]
    assert (
        spec["nodeLabels"]
        and spec["machineConfigPool"]
        and spec["ignitionConfigOverrides"]
        and spec["installerArgs"]
        and spec["installation_disk_id"]
    )
    assert run_module(agent_cluster_install, name="fleet", cluster={**CLUSTER, "name": "fleet"}, hold=True)["changed"]
    settles(run_module, agents, hosts=[{**AGENT_OPTIONS, "cluster": {"name": "fleet"}}])


def test_bare_metal_hosts(api: RealApi, run_module: Open) -> None:
    bmc = {
        "address": "redfish-virtualmedia+https://192.0.2.11/redfish/v1/Systems/1",
        "username": "admin",
        "password": BMC_PASSWORD,
        "validate_certs": False,
    }
    more = {
        key: AGENT_OPTIONS[key]
        for key in ("hostname", "role", "root_device_hints", "agent_labels", "node_labels", "machine_config_pool")
    }
    host = {
        "name": "node-0",
        "boot_mac_address": "52:54:00:00:00:01",
        "boot_mode": "UEFI",
        "automated_cleaning_mode": "disabled",
        "bmc": bmc,
        **more,
    }
    settles(run_module, bare_metal_hosts, infra_env_name="edge", hosts=[host], wait=False)
    spec = api.client.get(BARE_METAL_HOST.path(NAMESPACE, "node-0"))["spec"]
    assert (
        spec["bmc"]["credentialsName"]
        and spec["bootMACAddress"]
        and spec["rootDeviceHints"] == {"deviceName": "/dev/sda"}
    )
    assert run_module(bare_metal_hosts, hosts=[{"name": "node-0"}], state="absent", wait=False)["changed"]
