# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The config as a whole, and the content of its files."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Host, ImageDigestSource, Interface, Pool, Proxy
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import IgnitionFile, LiveIgnition, data_url
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.files.hosts import without_bmcs
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets

Build = Callable[..., LiveIgnition]
SERVICE_ENV = "/usr/local/share/assisted-service/assisted-service.env"


def text(live: LiveIgnition, path: str) -> str:
    file = live.file(path)
    assert file is not None, path
    return file.content.decode()


def env(live: LiveIgnition, path: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text(live, path).splitlines() if "=" in line)


def paths(live: LiveIgnition, head: str) -> list[str]:
    return [file.path.removeprefix(head) for file in live.files if file.path.startswith(head)]


# The document


def test_the_same_input_gives_the_same_bytes(build: Build, everything: dict[str, object]) -> None:
    assert build(**everything).encode() == build(**everything).encode()
    assert build(**everything).sha256() != build().sha256()


def test_ignition_reads_it(build: Build, build_nodes: Build, everything: dict[str, object], tmp_path: Path) -> None:
    program = shutil.which("ignition-validate")
    if program is None:
        pytest.skip("ignition-validate (Debian package ignition) is not installed")
    config = tmp_path / "config.ign"
    for live in (build(()), build(**everything), build(**everything, version="4.14.0"), build_nodes()):
        config.write_bytes(live.encode())
        result = subprocess.run([program, str(config)], capture_output=True, text=True, check=False)
        assert (result.returncode, result.stdout + result.stderr) == (0, "")


def test_the_form_is_upstreams(build: Build, everything: dict[str, object]) -> None:
    document = json.loads(build(**everything).encode())
    assert document["ignition"] == {
        "config": {"replace": {"verification": {}}},
        "proxy": {},
        "security": {"tls": {}},
        "timeouts": {},
        "version": "3.2.0",
    }
    files = {file["path"]: file for file in document["storage"]["files"]}
    assert list(files) == sorted(files)
    assert files["/usr/local/bin/common.sh"]["mode"] == 365
    assert {**files["/root/assisted.te"], "contents": None} == {
        "group": {},
        "path": "/root/assisted.te",
        "user": {"name": "root"},
        "overwrite": True,
        "contents": None,
        "mode": 384,
    }
    appended = files["/etc/containers/containers.conf"]
    assert appended["overwrite"] is False
    assert appended["contents"] == {"verification": {}}
    assert appended["mode"] == 420
    (part,) = appended["append"]
    assert base64.b64decode(part["source"].split(",")[1]).decode().splitlines()[0] == "[engine]"
    assert [file["path"] for file in files.values() if "append" in file] == ["/etc/containers/containers.conf"]
    assert document["storage"]["directories"] == [
        {"group": {}, "overwrite": True, "path": "/etc/assisted/extra-manifests", "user": {"name": "root"}, "mode": 420}
    ]
    units = {unit["name"]: unit for unit in document["systemd"]["units"]}
    assert units["agent.service"]["enabled"] is True
    assert "enabled" not in units["apply-host-config.service"]


def test_the_user_core_has_the_keys_and_the_password(build: Build, secrets: BuildSecrets) -> None:
    (user,) = build().document()["passwd"]["users"]
    assert user == {
        "name": "core",
        "passwordHash": secrets.kubeadmin_hash,
        "sshAuthorizedKeys": ["ssh-ed25519 AAAA one\nssh-ed25519 BBBB two"],
    }
    assert build(ssh_key="").document()["passwd"]["users"][0]["sshAuthorizedKeys"] == [""]


@pytest.mark.parametrize(
    ("content", "head"),
    [
        (b"text\n", "data:text/plain;charset=utf-8;base64,"),
        (b"", "data:text/plain;charset=utf-8;base64,"),
        ("ü".encode(), "data:text/plain;charset=utf-8;base64,"),
        (b"\x00\x01", "data:application/octet-stream;base64,"),
    ],
)
def test_data_urls(content: bytes, head: str) -> None:
    url = data_url(content)
    assert url.startswith(head)
    assert base64.b64decode(url.removeprefix(head)) == content


def test_the_table_names_path_mode_and_size(build: Build) -> None:
    live = build()
    row = next(row for row in live.table() if row["path"] == "/etc/issue")
    assert row == {"path": "/etc/issue", "mode": "0600", "size": len(text(live, "/etc/issue"))}


def test_it_fits_the_embed_area_many_times_over(build: Build, everything: dict[str, object]) -> None:
    assert len(gzip.compress(build(**everything).encode())) < 64 * 1024


def test_printing_a_config_shows_no_content(build: Build, secrets: BuildSecrets) -> None:
    assert secrets.user_token not in repr(build())


def test_of_two_files_with_one_path_the_later_stays(build: Build, new_host: Callable[..., Host]) -> None:
    twins = tuple(dataclasses.replace(new_host(number), hostname="twin") for number in range(2))
    live = build(twins)
    assert [path for path in paths(live, "/etc/assisted/hostconfig/") if path.endswith("mac_addresses")] == ["twin/mac_addresses"]
    assert text(live, "/etc/assisted/hostconfig/twin/mac_addresses") == "52:54:00:aa:00:01\n"


# Env files


def test_rendezvous_host_env(build: Build, secrets: BuildSecrets) -> None:
    assert text(build(), "/etc/assisted/rendezvous-host.env").splitlines() == [
        "#",
        "NODE_ZERO_IP=192.168.0.10",
        "SERVICE_BASE_URL=http://192.168.0.10:8090/",
        "IMAGE_SERVICE_BASE_URL=http://192.168.0.10:8888/",
        f"PULL_SECRET_TOKEN={secrets.agent_token}",
        f"USER_AUTH_TOKEN={secrets.user_token}",
        "WORKFLOW_TYPE=install",
        "AIUI_APP_API_URL=http://192.168.0.10:8090/",
        "AIUI_URL=http://192.168.0.10:3001/",
    ]


def test_an_ipv6_rendezvous_host_is_bracketed_in_urls_only(build: Build) -> None:
    values = env(build(rendezvous_ip="fd00::10"), "/etc/assisted/rendezvous-host.env")
    assert values["NODE_ZERO_IP"] == "fd00::10"
    assert values["SERVICE_BASE_URL"] == "http://[fd00::10]:8090/"
    assert values["AIUI_URL"] == "http://[fd00::10]:3001/"


@pytest.mark.parametrize(
    ("version", "mode", "requirements_at_boot", "single_node_cpus"),
    [("4.20.3", 0o644, False, 8), ("4.21.0-rc.1", 0o644, True, 8), ("4.22.0", 0o600, True, 4)],
)
def test_differences_by_release(build: Build, version: str, mode: int, requirements_at_boot: bool, single_node_cpus: int) -> None:
    live = build(version=version)
    file = live.file("/etc/assisted/rendezvous-host.env")
    assert file is not None
    assert file.mode == mode
    requirements = env(live, SERVICE_ENV)["HW_VALIDATOR_REQUIREMENTS"]
    configure = live.file("/usr/local/bin/configure-assisted-hw-requirements.sh")
    unit = next(unit for unit in live.units if unit.name == "assisted-service.service")
    assert ("configure-assisted-hw-requirements.sh" in unit.contents) is requirements_at_boot
    if requirements_at_boot:
        assert requirements == "TO_BE_REPLACED_BY_SYSTEMD"
        assert configure is not None
        assert f'"sno":{{"cpu_cores":{single_node_cpus},' in configure.content.decode()
    else:
        assert configure is None
        assert json.loads(requirements)[0]["sno"]["cpu_cores"] == single_node_cpus


def test_assisted_service_env(build: Build, secrets: BuildSecrets) -> None:
    values = env(build(), SERVICE_ENV)
    releases = json.loads(values.pop("RELEASE_IMAGES"))
    assert values == {
        "AUTH_TYPE": "agent-installer-local",
        "DB_HOST": "127.0.0.1",
        "DB_PORT": "5432",
        "DB_NAME": "installer",
        "DB_USER": "admin",
        "DB_PASS": "admin",
        "DEPLOY_TARGET": "onprem",
        "STORAGE": "filesystem",
        "DISK_ENCRYPTION_SUPPORT": "true",
        "DUMMY_IGNITION": "false",
        "ENABLE_SINGLE_NODE_DNSMASQ": "true",
        "EPHEMERAL_INSTALLER_CLUSTER_TLS_CERTS_OVERRIDE_DIR": "/opt/agent/tls",
        "HW_VALIDATOR_REQUIREMENTS": "TO_BE_REPLACED_BY_SYSTEMD",
        "INSTALL_INVOKER": "agent-installer",
        "IPV6_SUPPORT": "true",
        "TNA_CLUSTERS_SUPPORT": "true",
        "TNF_CLUSTERS_SUPPORT": "true",
        "LOG_LEVEL": "debug",
        "NTP_DEFAULT_SERVER": "",
        "PUBLIC_CONTAINER_REGISTRIES": "quay.io",
        "OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR": "",
        "INFRA_ENV_ID": secrets.infra_env_id,
        "EC_PUBLIC_KEY_PEM": secrets.public_key,
        "USER_AUTH_TOKEN": secrets.user_token,
        "WATCHER_AUTH_TOKEN": secrets.watcher_token,
        "HOST_STAGE_WAITING_FOR_CONTROL_PLANE_TIMEOUT": "90m",
    }
    assert releases == [
        {
            "openshift_version": "4.22",
            "cpu_architecture": "x86_64",
            "cpu_architectures": ["x86_64"],
            "url": "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64",
            "version": "4.22.0",
        }
    ]


MULTI = ["aarch64", "x86_64", "ppc64le", "s390x"]


@pytest.mark.parametrize(
    ("image", "openshift_version", "version", "architecture", "architectures"),
    [
        ("q.io/r:4.22.1-rc.2-aarch64", "4.22", "4.22.1-rc.2", "aarch64", ["aarch64"]),
        ("q.io/r:4.22.1-multi", "4.22", "4.22.1", "multi", MULTI),
        ("q.io/r@sha256:00", "4.22.0", "4.22.0", "x86_64", ["x86_64"]),
        ("q.io:5000/r:4.22.1", "4.22", "4.22.1", "x86_64", ["x86_64"]),
        ("q.io:5000/r:latest", "4.22.0", "4.22.0", "x86_64", ["x86_64"]),
        ("q.io:5000/r", "4.22.0", "4.22.0", "x86_64", ["x86_64"]),
    ],
)
def test_release_images(build: Build, image: str, openshift_version: str, version: str, architecture: str, architectures: list[str]) -> None:
    (release,) = json.loads(env(build(release_image=image), SERVICE_ENV)["RELEASE_IMAGES"])
    assert release == {
        "openshift_version": openshift_version,
        "cpu_architecture": architecture,
        "cpu_architectures": architectures,
        "url": image,
        "version": version,
    }


def test_mirrors_reach_service_and_containers(build: Build) -> None:
    sources = (ImageDigestSource("quay.io/openshift-release-dev/ocp-release", ("m.example:5000/r",)),)
    live = build(image_digest_sources=sources)
    assert env(live, SERVICE_ENV)["OPENSHIFT_INSTALL_RELEASE_IMAGE_MIRROR"] == "m.example:5000/r:4.22.0-x86_64"
    assert 'location = "m.example:5000/r"' in text(live, "/etc/containers/registries.conf")
    assert "RELEASE_IMAGE_MIRROR=m.example:5000/r:4.22.0-x86_64\n" in text(live, "/usr/local/bin/release-image.sh")


def test_os_images(build: Build) -> None:
    values = env(build(), "/usr/local/share/assisted-service/images.env")
    assert values["ASSISTED_SERVICE_HOST"] == "localhost:8090"
    assert values["ASSISTED_SERVICE_SCHEME"] == "http"
    assert values["OS_IMAGES"] == (
        '[{"openshift_version":"4.22.0","cpu_architecture":"x86_64","url":"https://mirror.example.com/rhcos-live.iso","version":"9.8.20260601-0"}]'
    )


def test_start_cluster_env_counts_arbiters(build: Build) -> None:
    live = build((), control_plane=Pool(2), arbiter=Pool(1), compute=Pool(0))
    assert text(live, "/usr/local/share/start-cluster/start-cluster.env") == ("REQUIRED_MASTER_NODES=2\nREQUIRED_ARBITER_NODES=1\nREQUIRED_WORKER_NODES=0\n")


def test_the_proxy_is_every_services_environment(build: Build) -> None:
    path = "/etc/systemd/system.conf.d/10-default-env.conf"
    assert text(build(), path) == ""
    proxy = Proxy("http://192.168.111.1:8215", "http://u:p%40ss@192.168.111.1:8215", "172.22.0.0/24,virthost.ostest.test.metalkube.org")
    assert text(build(proxy=proxy), path) == (
        "[Manager]\n"
        'DefaultEnvironment=HTTP_PROXY="http://192.168.111.1:8215"\n'
        'DefaultEnvironment=HTTPS_PROXY="http://u:p%%40ss@192.168.111.1:8215"\n'
        'DefaultEnvironment=NO_PROXY="172.22.0.0/24,virthost.ostest.test.metalkube.org,192.168.0.0/24"\n'
    )


# Hosts


def test_hostnames_and_host_configuration(build: Build) -> None:
    live = build()
    assert paths(live, "/etc/assisted/hostnames/") == [f"52:54:00:aa:00:0{number}" for number in range(3)]
    assert text(live, "/etc/assisted/hostnames/52:54:00:aa:00:01") == "m1.example.com"
    assert paths(live, "/etc/assisted/hostconfig/m1.example.com/") == ["mac_addresses", "role", "root-device-hints.yaml"]
    assert text(live, "/etc/assisted/hostconfig/m1.example.com/mac_addresses") == "52:54:00:aa:00:01\n"
    assert text(live, "/etc/assisted/hostconfig/m1.example.com/role") == "master"
    assert text(live, "/etc/assisted/hostconfig/m1.example.com/root-device-hints.yaml") == "deviceName: /dev/vda\n"


LONG = "model " * 20 + "end"
FOLDED = "model: " + "model " * 12 + "model\n  " + "model " * 7 + "end\n"


def test_long_hints_are_folded_as_upstream_folds_them(build: Build, new_host: Callable[..., Host]) -> None:
    """The client reads either; files that compare equal to upstream's show that nothing else differs."""
    live = build((dataclasses.replace(new_host(1), root_device_hints={"model": LONG}),))
    assert text(live, "/etc/assisted/hostconfig/m1.example.com/root-device-hints.yaml") == FOLDED


@pytest.mark.parametrize(
    ("hints", "written"),
    [
        ({"minSizeGigabytes": 0, "rotational": False, "model": ""}, "rotational: false\n"),
        ({"minSizeGigabytes": 120, "rotational": True}, "minSizeGigabytes: 120\nrotational: true\n"),
        ({"minSizeGigabytes": 0, "vendor": None}, None),
    ],
)
def test_hints_that_say_nothing_are_left_out(build: Build, new_host: Callable[..., Host], hints: dict[str, Any], written: str | None) -> None:
    """As ``openshift-install`` of November 2025 wrote them for the same agent-config.yaml."""
    file = build((dataclasses.replace(new_host(1), root_device_hints=hints),)).file("/etc/assisted/hostconfig/m1.example.com/root-device-hints.yaml")
    assert (file.content.decode() if file else None) == written


def test_a_host_without_name_role_and_hints(build: Build) -> None:
    host = Host("x", interfaces=(Interface("a", "52-54-00-AA-00-09"), Interface("b", "52:54:00:aa:00:0A")))
    live = build((host,))
    assert paths(live, "/etc/assisted/hostnames/") == []
    assert paths(live, "/etc/assisted/hostconfig/") == ["host-0/mac_addresses"]
    assert text(live, "/etc/assisted/hostconfig/host-0/mac_addresses") == "52:54:00:aa:00:09\n52:54:00:aa:00:0a\n"


def test_without_hosts_there_is_no_host_configuration(build: Build) -> None:
    live = build(())
    assert paths(live, "/etc/assisted/host") == []
    assert paths(live, "/etc/assisted/network") == []
    assert live.file("/usr/local/bin/pre-network-manager-config.sh") is None
    assert [unit.enabled for unit in live.units if unit.name.startswith("pre-network")] == [False]


FENCING = """\
credentials:
- hostname: master-0
  username: admin
  password: password123
  address: redfish+https://192.168.111.1:8000/redfish/v1/Systems/abc123
  certificateVerification: Disabled
- hostname: master-1
  username: admin
  password: password456
  address: redfish+https://192.168.111.2:8000/redfish/v1/Systems/def456
  certificateVerification: Enabled
"""


def fencing(*credentials: dict[str, str]) -> Pool:
    return Pool(2, options={"fencing": {"credentials": list(credentials)}})


def test_fencing_credentials_by_hostname(build: Build) -> None:
    given = [
        {
            "hostName": "master-0",
            "address": "redfish+https://192.168.111.1:8000/redfish/v1/Systems/abc123",
            "username": "admin",
            "password": "password123",
            "certificateVerification": "Disabled",
        },
        {
            "hostName": "master-1",
            "address": "redfish+https://192.168.111.2:8000/redfish/v1/Systems/def456",
            "username": "admin",
            "password": "password456",
            "certificateVerification": "Enabled",
        },
    ]
    live = build((), control_plane=fencing(*given))
    assert text(live, "/etc/assisted/hostconfig/fencing-credentials.yaml") == FENCING
    assert paths(live, "/etc/assisted/hostconfig/") == ["fencing-credentials.yaml"]


def test_a_long_password_is_folded_as_upstream_folds_it(build: Build) -> None:
    given = {"hostName": "master-0", "username": "admin", "password": LONG, "address": "redfish+https://192.168.111.1:8000/redfish/v1/Systems/abc123"}
    content = text(build((), control_plane=fencing(given)), "/etc/assisted/hostconfig/fencing-credentials.yaml")
    assert content.splitlines()[3:5] == ["  password: " + "model " * 11 + "model", "    " + "model " * 8 + "end"]
    assert yaml.safe_load(content)["credentials"][0]["password"] == LONG


def test_a_fencing_credential_with_a_mac_only_lies_beside_its_host(build: Build) -> None:
    credential = {"macAddress": "52:54:00:aa:00:01", "username": "u", "password": "p", "address": "redfish+https://b/1"}
    live = build(control_plane=fencing(credential))
    content = text(live, "/etc/assisted/hostconfig/m1.example.com/fencing-credentials.yaml")
    assert yaml.safe_load(content) == {"credentials": [{"macaddress": "52:54:00:aa:00:01", "username": "u", "password": "p", "address": "redfish+https://b/1"}]}
    assert live.file("/etc/assisted/hostconfig/fencing-credentials.yaml") is None


# Network


def test_network_directories_are_numbered_by_the_text_of_the_configuration(build: Build, new_host: Callable[..., Host]) -> None:
    hosts = (new_host(2), dataclasses.replace(new_host(0), network_config={}), new_host(1))
    live = build(hosts)
    assert paths(live, "/etc/assisted/network/") == [f"host{number}/{name}" for number in (0, 1) for name in ("eth0.nmconnection", "mac_interface.ini")]
    assert text(live, "/etc/assisted/network/host0/mac_interface.ini") == "52:54:00:AA:00:01=eth0"
    assert "192.168.0.11/24" in text(live, "/etc/assisted/network/host0/eth0.nmconnection")
    assert text(live, "/etc/assisted/network/host1/mac_interface.ini") == "52:54:00:AA:00:02=eth0"


def test_the_interface_table_is_sorted(build: Build, new_host: Callable[..., Host]) -> None:
    interfaces = (Interface("eth1", "52:54:00:BB:00:02"), Interface("eth0", "52:54:00:AA:00:01"))
    live = build((dataclasses.replace(new_host(1), interfaces=interfaces),))
    assert text(live, "/etc/assisted/network/host0/mac_interface.ini") == "52:54:00:AA:00:01=eth0\n52:54:00:BB:00:02=eth1"


def test_every_network_configuration_that_cannot_be_rendered_is_named(build: Build, new_host: Callable[..., Host]) -> None:
    def broken(number: int) -> Host:
        return dataclasses.replace(new_host(number), network_config={"interfaces": [{"name": "eth0", "type": "no-such-type", "state": "up"}]})

    with pytest.raises(InvalidInput) as caught:
        build((broken(0), new_host(1), broken(2)))
    heads = {problem.path.split(".networkConfig.")[0] for problem in caught.value.problems}
    assert heads == {"hosts[0]", "hosts[2]"}


# Trust and system


def test_trust(build: Build, everything: dict[str, Any], secrets: BuildSecrets) -> None:
    live = build(**everything)
    assert text(live, "/etc/pki/ca-trust/source/anchors/domain.crt") == everything["additional_trust_bundle"]
    assert text(live, "/etc/chrony.conf") == ("server ntp1.example.com iburst\nserver 192.168.0.1 iburst\nmakestep 1.0 3\nrtcsync\nlogdir /var/log/chrony\n")
    assert json.loads(text(live, "/root/.docker/config.json")) == {"auths": {"quay.io": {"auth": "c3VwZXI6c2VjcmV0"}}}
    assert paths(live, "/opt/agent/tls/") == [
        f"{name}.{suffix}"
        for name in ("admin-kubeconfig-signer", "kube-apiserver-lb-signer", "kube-apiserver-localhost-signer", "kube-apiserver-service-network-signer")
        for suffix in ("crt", "key")
    ] + ["kubeadmin-password.hash"]
    assert text(live, "/opt/agent/tls/kubeadmin-password.hash") == secrets.kubeadmin_hash


def test_without_bundle_and_time_sources_their_files_are_absent(build: Build) -> None:
    live = build()
    assert live.file("/etc/pki/ca-trust/source/anchors/domain.crt") is None
    assert live.file("/etc/chrony.conf") is None
    assert live.file("/etc/containers/registries.conf") is not None


def test_the_console_names_the_cluster(build: Build) -> None:
    assert text(build(), "/etc/issue").splitlines() == ["\\S", "OpenShift Agent Installer image for kni.example.com"]


def test_manifests_are_those_of_the_set(build: Build, everything: dict[str, Any]) -> None:
    live = build(**everything)
    assert paths(live, "/etc/assisted/manifests/") == [
        "agent-cluster-install.yaml",
        "agent-config.yaml",
        "cluster-deployment.yaml",
        "cluster-image-set.yaml",
        "infraenv.yaml",
        "nmstateconfig.yaml",
        "pull-secret.yaml",
    ]
    assert paths(live, "/etc/assisted/extra-manifests/") == ["a-0.yaml", "a-1.yaml"]
    assert yaml.safe_load(text(live, "/etc/assisted/manifests/cluster-deployment.yaml"))["kind"] == "ClusterDeployment"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (b"# mine\nhosts: [{hostname: a}]\n", b"# mine\nhosts: [{hostname: a}]\n"),
        (
            b"rendezvousIP: 192.0.2.1\nhosts:\n- {hostname: a, bmc: {password: p}}\n- hostname: b\n",
            {"rendezvousIP": "192.0.2.1", "hosts": [{"hostname": "a"}, {"hostname": "b"}]},
        ),
        (b"Hosts:\n- {hostname: a, BMC: {password: p}}\n", {"Hosts": [{"hostname": "a"}]}),
        (b"hosts:\n- {hostname: a, bmc: {password: p}}\n---\nhosts: 1\n", {"hosts": [{"hostname": "a"}]}),
        (b"hosts:\n- {hostname: 2020-99-99, bmc: {password: p}}\n", {"hosts": [{"hostname": "2020-99-99"}]}),
        (b"# no bmc\nhosts: [{hostname: a}]\n", b"# no bmc\nhosts: [{hostname: a}]\n"),
        (b"bmc: [", b"bmc: ["),
        (b"[bmc]", b"[bmc]"),
        (b"hosts: {", b"hosts: {"),
        (b"", b""),
    ],
)
def test_the_agent_config_is_the_users_without_bmcs(given: bytes, kept: bytes | dict[str, Any]) -> None:
    found = without_bmcs(given)
    assert (yaml.safe_load(found) if isinstance(kept, dict) else found) == kept


def test_secrets_lie_only_where_they_are_read(build: Build, everything: dict[str, Any], secrets: BuildSecrets) -> None:
    live = build(**everything)

    def where(secret: str, files: tuple[IgnitionFile, ...] = live.files) -> set[str]:
        return {file.path for file in files if secret.encode() in file.content}

    assert where("c3VwZXI6c2VjcmV0") == {"/etc/assisted/manifests/pull-secret.yaml", "/root/.docker/config.json"}
    assert where(secrets.watcher_token) == {SERVICE_ENV}
    assert where(secrets.agent_token) == {"/etc/assisted/rendezvous-host.env"}
    assert where(secrets.kubeadmin_password) == set()
    assert where(secrets.admin_kubeconfig.key) == set()
