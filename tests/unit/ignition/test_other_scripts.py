# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the live system's scripts that an ordinary installation never starts: for a configuration image, Oracle Cloud,
agent-tui, and creating signers.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.document import LiveIgnition

from .scratch import SERVICE, NewSandbox

IMAGE_SET = "/etc/assisted/manifests/cluster-image-set.yaml"
HASH = "/opt/agent/tls/kubeadmin-password.hash"

# Where there is no cpio: newc archives, unpacked below --directory with a leading / taken off.
CPIO = """
import os, sys
directory = next(word.split("=", 1)[1] for word in sys.argv if word.startswith("--directory="))
data = sys.stdin.buffer.read()
while data:
    fields = [int(data[6 + 8 * index : 14 + 8 * index], 16) for index in range(13)]
    mode, size, length = fields[1], fields[6], fields[11]
    name = data[110 : 110 + length - 1].decode()
    start = (110 + length + 3) // 4 * 4
    if name == "TRAILER!!!":
        break
    target = os.path.join(directory, name.lstrip("/"))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as handle:
        handle.write(data[start : start + size])
    os.chmod(target, mode & 0o777)
    data = data[(start + size + 3) // 4 * 4 :]
"""


def newc(files: dict[str, tuple[str, int]]) -> bytes:
    archive = io.BytesIO()
    for name, (text, mode) in {**files, "TRAILER!!!": ("", 0)}.items():
        content = text.encode()
        head = "070701" + "".join(
            f"{value:08X}"
            for value in (1, mode and 0o100000 | mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
        )
        archive.write(head.encode() + name.encode() + b"\0")
        archive.write(b"\0" * (-archive.tell() % 4) + content)
        archive.write(b"\0" * (-archive.tell() % 4))
    return archive.getvalue()


class Medium:
    """A machine without configuration and the medium that carries it."""

    def __init__(self, box: Any, image_set: str = "kind: ClusterImageSet\n") -> None:
        self.box = box
        box.write(
            "/usr/local/bin/pre-network-manager-config.sh", ('#!/bin/bash\necho networks >>"$SCRATCH/calls/networks"\n')
        )
        box.write(IMAGE_SET, "kind: ClusterImageSet\n", 0o600)
        box.command("systemd-mount")
        box.command("usermod")
        box.command("nmcli")
        box.command("systemctl", "[[ $1 != is-enabled ]] || echo disabled")
        if shutil.which("cpio") is None:
            (box.root / "cpio.py").write_text(CPIO)
            box.command("cpio", f'exec {sys.executable} "$SCRATCH/cpio.py" "$@"')
        self.files = {
            IMAGE_SET: (image_set, 0o600),
            HASH: ("$2a$10$new", 0o600),
            "/etc/issue": ("new issue\n", 0o644),
            "/etc/assisted/network/host0/eth0.nmconnection": ("[connection]\n", 0o600),
            "/etc/assisted/hostconfig/m0/role": ("master", 0o644),
        }

    def run(self, wanted: tuple[str, ...], sleeps: int = 3) -> Any:
        root = self.box.root
        archive = newc({f"{root}{path}": entry for path, entry in self.files.items()})
        target = self.box.path("/media/config-image/config.gz")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(gzip.compress(archive))
        return self.box.run(
            "load-config-iso.sh",
            "/dev/sr1",
            env={"CONFIG_IMAGE_FILES": ",".join(f"{root}{path}" for path in wanted)},
            sleeps=sleeps,
        )


EVERYTHING = (HASH, "/etc/issue", "/etc/assisted/network", "/etc/assisted/hostconfig", "/etc/assisted/hostnames")


def test_a_configuration_image_is_taken_over(sandbox: NewSandbox) -> None:
    medium = Medium(sandbox(()))
    box = medium.box
    box.write("/etc/NetworkManager/system-connections/ens1.nmconnection", "x")
    result = medium.run(EVERYTHING)
    assert result.returncode == 0, result.stderr
    assert box.read(HASH) == "$2a$10$new"
    assert box.path(HASH).stat().st_mode & 0o777 == 0o600
    assert box.read("/etc/assisted/hostconfig/m0/role") == "master"
    assert box.path("/etc/assisted/extra-manifests").is_dir()
    assert box.calls("systemd-mount") == [
        (f"--no-block --automount=yes --collect /dev/sr1 {box.root}/media/config-image")
    ]
    assert box.calls("usermod") == ["--password $2a$10$new core"]
    assert "--no-block --now enable start-cluster-installation.service" in box.calls("systemctl")
    assert "restart NetworkManager" in box.calls("systemctl")
    assert box.calls("networks") == ["networks"]
    assert box.calls("nmcli") == ["connection up ens1"]


def test_what_is_not_asked_for_stays_on_the_medium(sandbox: NewSandbox) -> None:
    medium = Medium(sandbox(()))
    before = medium.box.read("/etc/issue")
    assert medium.run((HASH,)).returncode == 0
    assert medium.box.read("/etc/issue") == before


def test_an_image_for_another_release_is_refused(sandbox: NewSandbox) -> None:
    medium = Medium(sandbox(()), image_set="kind: Other\n")
    before = medium.box.read(HASH)
    assert medium.run(EVERYTHING).returncode != 0
    assert "for another release" in medium.box.read("/etc/issue.d/95_load-config-image.issue")
    assert medium.box.read(HASH) == before
    assert medium.box.calls("usermod") == []


def test_a_file_that_is_missing_is_named(sandbox: NewSandbox) -> None:
    medium = Medium(sandbox(()))
    assert medium.run((*EVERYTHING, "/etc/assisted/rendezvous.env")).returncode != 0
    assert "/etc/assisted/rendezvous.env is not in the configuration image" in medium.box.read(
        "/etc/issue.d/95_load-config-image.issue"
    )


def test_the_appliance_may_have_set_the_password(sandbox: NewSandbox) -> None:
    medium = Medium(sandbox(()))
    medium.box.write("/etc/assisted/appliance-override-password-set", "")
    assert medium.run(EVERYTHING).returncode == 0
    assert medium.box.calls("usermod") == []


def test_a_machine_without_configuration_asks_for_it(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.path("/etc/assisted/rendezvous-host.env").unlink()
    assert box.run("agent-config-image-wait.sh", sleeps=2).returncode != 0
    assert box.lines("/sleeps") == ["30"] * 3
    assert "Insert or mount the configuration image" in box.read("/etc/issue.d/60-check-config-image.issue")
    box.write("/etc/assisted/rendezvous-host.env", "NODE_ZERO_IP=192.0.2.1\n")
    assert box.run("agent-config-image-wait.sh").returncode == 0
    assert not box.path("/etc/issue.d/60-check-config-image.issue").exists()


# Oracle Cloud


def cloud(box: Any, tag: str = "OracleCloud.com", architecture: str = "x86_64", data: str = "") -> Any:
    box.command("uname", f"echo {architecture}")
    box.command("dmidecode", f"echo {tag}")
    box.command("curl", f"printf '%s' '{data}'")
    return box


def test_user_data_of_oracle_cloud_is_run(sandbox: NewSandbox) -> None:
    # echo "ran" > $SCRATCH/ran
    box = cloud(sandbox(), data="ZWNobyAicmFuIiA+ICIkU0NSQVRDSC9yYW4iCg==")
    result = box.run("oci-eval-user-data.sh")
    assert result.returncode == 0, result.stderr
    assert box.read("/ran") == "ran\n"
    assert box.calls("curl")[0].endswith(
        "Authorization: Bearer Oracle http://169.254.169.254/opc/v2/instance/metadata/user_data"
    )


@pytest.mark.parametrize(
    ("machine", "asked"),
    [
        ({"tag": "Standard"}, False),
        ({"architecture": "s390x"}, False),
        ({"architecture": "ppc64le"}, False),
        ({"data": "404 Not Found"}, True),
        ({}, True),
    ],
)
def test_elsewhere_and_without_user_data_nothing_is_run(
    sandbox: NewSandbox, machine: dict[str, str], asked: bool
) -> None:
    box = cloud(sandbox(), **machine)
    assert box.run("oci-eval-user-data.sh").returncode == 0
    assert bool(box.calls("curl")) is asked


@pytest.mark.parametrize("data", ["%%%", "ZXhpdCA3Cg=="])
def test_user_data_that_fails_fails_the_unit(sandbox: NewSandbox, data: str) -> None:
    """No base64, or a script that exits 7: systemd tries again."""
    assert cloud(sandbox(), data=data).run("oci-eval-user-data.sh").returncode != 0


# agent-tui, signers, records

PODMAN = """
case "$1" in
    create) echo c1 ;;
    mount) echo "$SCRATCH/mounted" ;;
    image) [[ $2 != inspect ]] || { [[ $4 == *Architecture* ]] && echo amd64 || echo id; } ;;
    info) echo amd64 ;;
    run)
        if [[ $* == *"create certificates"* ]]; then
            made=$(sed -E 's/.*--volume ([^:]+):.*/\\1/' <<<"$*")
            mkdir -p "$made/tls"
            echo key >"$made/tls/admin-kubeconfig-signer.key"
        else
            echo "registry/${!#}@sha256:00"
        fi ;;
esac
"""


def test_agent_tui_comes_out_of_the_release(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.command("podman", PODMAN)
    box.command("restorecon")
    box.write("/mounted/usr/bin/agent-tui", "program")
    box.write("/mounted/usr/lib64/libnmstate.so.2", "library")
    result = box.run("agent-extract-tui.sh")
    assert result.returncode == 0, result.stderr
    assert box.read("/usr/local/bin/agent-tui") == "program"
    assert box.read("/usr/local/lib/libnmstate.so.2") == "library"
    assert [call for call in box.calls("podman") if call.startswith(("create", "rm"))] == [
        "create registry/agent-installer-utils@sha256:00",
        "rm --force c1",
    ]


RENDEZVOUS = json.dumps([{"ifname": "ens1", "address": "52:54:00:aa:00:00", "addr_info": [{"local": "192.168.0.10"}]}])


def test_a_rendezvous_host_without_signers_has_them_made(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.command("podman", PODMAN)
    box.command("ip", f"echo '{RENDEZVOUS}'")
    shutil.rmtree(box.path("/opt/agent/tls"))
    result = box.run("set-node-zero.sh")
    assert result.returncode == 0, result.stderr
    assert box.read("/opt/agent/tls/admin-kubeconfig-signer.key") == "key\n"
    assert "registry/installer@sha256:00 agent create certificates --dir=/assets" in box.calls("podman")[-1]
    assert box.path("/etc/assisted/node0").exists()


def test_signers_of_the_image_are_kept(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.command("podman", PODMAN)
    box.command("ip", f"echo '{RENDEZVOUS}'")
    before = box.read("/opt/agent/tls/admin-kubeconfig-signer.key")
    assert box.run("set-node-zero.sh").returncode == 0
    assert box.calls("podman") == []
    assert box.read("/opt/agent/tls/admin-kubeconfig-signer.key") == before


def test_stages_are_recorded_as_one_array(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.command("podman", PODMAN)
    environment = {"SERVICE_NAME": "agent", "SERVICE_RECORDS_DIR": str(box.path("/records"))}
    for _turn in range(2):
        assert box.run("release-image-download.sh", env=environment).returncode == 0
    records = json.loads(box.read("/records/agent.json"))
    arches = [{key: value for key, value in record.items() if key != "timestamp"} for record in records]
    assert (
        arches
        == [
            {"stage": "image-metadata-arches-match", "phase": "stage start"},
            {"stage": "image-metadata-arches-match", "phase": "stage end", "result": "success"},
        ]
        * 2
    )


def test_a_release_is_asked_for_its_own_components_only(sandbox: NewSandbox) -> None:
    """A component that the release does not have would never be told."""
    for version, further in (
        ("4.19.3", []),
        ("4.20.3", ["AGENT_INSTALLER_UTILS_IMAGE"]),
        ("4.21.3", ["AGENT_INSTALLER_UTILS_IMAGE", "INSTALLER_UI_IMAGE"]),
    ):
        box = sandbox(version=version)
        box.command("podman", PODMAN)
        assert box.run("get-container-images.sh").returncode == 0
        found = list(box.env_file("/usr/local/share/assisted-service/agent-images.env"))
        assert found == ["SERVICE_IMAGE", "CONTROLLER_IMAGE", "INSTALLER_IMAGE", "AGENT_DOCKER_IMAGE", *further]


# The console


def test_the_console_names_what_is_waited_for(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.command(
        "systemctl",
        (
            "case $2 in assisted-service.service) echo active ;; apply-host-config.service) echo failed; exit 3 ;; *) "
            "echo inactive; exit 3 ;; esac"
        ),
    )
    box.answers("GET", "/clusters", "fail")
    box.run("install-status.sh", env=SERVICE, sleeps=1)
    assert box.read("/etc/issue.d/80_install-status.issue").splitlines()[1:] == [
        "Waiting for:",
        "  agent-register-cluster (inactive)",
        "  agent-register-infraenv (inactive)",
        "  apply-host-config (failed)",
        "  start-cluster-installation (inactive)",
    ]


def test_the_console_of_the_interactive_workflow_names_the_address(sandbox: NewSandbox) -> None:
    box = sandbox()
    box.write("/etc/assisted/interactive-ui", "")
    box.answers("GET", "/clusters", "[]")
    box.run("install-status.sh", env={**SERVICE, "AIUI_URL": "http://192.168.0.10:3001/"}, sleeps=1)
    assert box.read("/etc/issue.d/80_install-status.issue").startswith("Go to http://192.168.0.10:3001/ in a browser")


@pytest.mark.parametrize(
    ("version", "header"), [("4.17.3", "Authorization: "), ("4.18.3", "Authorization: the-user-token")]
)
def test_releases_without_tokens_are_asked_without_one(
    build: Callable[..., LiveIgnition], sandbox_of: Callable[..., Any], version: str, header: str
) -> None:
    box = sandbox_of(build(version=version))
    box.answers("GET", "/infra-envs", "[]")
    environment = {key: value for key, value in SERVICE.items() if key != "USER_AUTH_TOKEN" or version == "4.18.3"}
    assert ("USER_AUTH_TOKEN" in box.env_file("/etc/assisted/rendezvous-host.env")) is (version == "4.18.3")
    assert box.run("wait-for-assisted-service.sh", env=environment).returncode == 0
    assert f'header = "{header}"' in Path(box.path("/curl-config")).read_text()
