# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module agent_image, called in the test process: it builds an image from the configuration, and no output
contains a secret.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pycdlib
import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common import lock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import WorkDir
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.observe import view_image
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.cpio import read_members
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.live import read_live_image
from ansible_collections.zerotouch.openshift.plugins.modules import agent_config, agent_image
from ansible_collections.zerotouch.openshift.tests.support import live_image as synthetic

HOST = {
    "inventory_name": "sno-0",
    "role": "master",
    "interfaces": [{"name": "enp1s0", "mac_address": "52:54:00:5a:00:10"}],
}
_POINT = "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBGsX8VJwJVdYEJRzDT0bVXR2V9Cy0EJQHRKrEqFhpFVXSwqnaUzPHDkPkhdGDTTxhMAyNR/Hz/RwoOHnK6BcV3w="  # noqa: E501
ECDSA_KEY = f"ecdsa-sha2-nistp256 {_POINT}"
CLUSTER = {
    "name": "sno",
    "base_domain": "example.com",
    "version": "4.22.0",
    "machine_networks": ["192.168.126.0/24"],
    "rendezvous_ip": "192.168.126.10",
    "pull_secret": json.dumps({"auths": {"quay.io": {"auth": base64.b64encode(b"lab:geheim-pull").decode()}}}),
    "ssh_public_keys": [
        ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFFqxkMhK3Oo0Vb6wiwGPbtNBrNzlP3rl64oT6WvJqp5 lab@example.com")
    ],
}

# No registry is asked for the digest of a tag.
WITHOUT_REGISTRY = {"release-not-pinned": "off"}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return synthetic.make_iso(tmp_path / "rhcos.iso", ignition=262144)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    configure(tmp_path / "work")
    return tmp_path / "work"


def configure(work: Path, host: dict[str, Any] = HOST, **changes: Any) -> None:
    params = {name: spec.get("default") for name, spec in agent_config.argument_spec().items()}
    provided = {
        "cluster": {**CLUSTER, **changes},
        "hosts": [host],
        "dest": str(work / "config"),
        "checks": WITHOUT_REGISTRY,
    }
    done = perform(agent_config.run, Call({**params, **provided}))
    assert not done["failed"], done


def opened(
    work: Path, base: Path, *, check_mode: bool = False, lines: list[str] | None = None, **options: Any
) -> dict[str, Any]:
    params = {name: spec.get("default") for name, spec in agent_image.argument_spec().items()}
    provided = {
        "config_dir": str(work / "config"),
        "work_dir": str(work),
        "base_image": {"path": str(base)},
        "checksum": True,
    }
    call = Call({**params, **provided, **options}, check_mode=check_mode, diff=True)
    if lines is not None:
        call.show = lines.append
    return {**perform(agent_image.run, call), "warnings": call.warnings}


def test_from_configuration_to_image(work: Path, base: Path) -> None:
    planned = opened(work, base, check_mode=True)
    assert planned["changed"]
    assert sorted(path.name for path in work.iterdir()) == ["config"]
    lines: list[str] = []
    done = opened(work, base, lines=lines)
    assert not done["failed"], done
    wanted = (
        "path",
        "size",
        "engine",
        "kind",
        "rendezvous_ip",
        "state_file",
        "kubeconfig",
        "kubeadmin_password_file",
        "plan",
    )
    assert {key: done[key] for key in wanted} == {key: planned[key] for key in wanted}
    assert lines == done["plan"]
    assert len(done["sha256"]) == 64
    assert {"path", "mode", "size"} == set(done["ignition_files"][0])
    # Pinned although the user named no checksum.
    state = json.loads((work / "state.json").read_text())
    assert state["image"]["base"]["sha256"] == hashlib.sha256(base.read_bytes()).hexdigest()
    again = opened(work, base)
    assert (again["changed"], again["sha256"], again["plan"]) == (False, done["sha256"], [])


def test_check_mode_returns_the_recorded_digest(work: Path, base: Path) -> None:
    """The variables name a tag, and the directory has the digest that it was resolved to."""
    tag = "quay.io/openshift-release-dev/ocp-release:4.22.0-x86_64"
    pinned = {
        "version": "4.22.0",
        "release_image": "quay.io/openshift-release-dev/ocp-release@sha256:" + "4" * 64,
        "release_tag": tag,
    }
    (work / "config" / "release.json").write_text(json.dumps(pinned))
    assert not opened(work, base)["failed"]
    for image, changed in ((tag, False), (pinned["release_image"], False), (f"{tag}-other", True)):
        described = {
            "cluster": {**CLUSTER, "release_image": image},
            "hosts": [HOST],
            "config_dir": None,
            "version": None,
            "release_image": None,
        }
        planned = opened(
            work, base, check_mode=True, description={**described, "checks": {"release-image-mismatch": "off"}}
        )
        assert (planned["failed"], planned["changed"]) == (False, changed), (image, planned)


@pytest.mark.slow
@pytest.mark.parametrize(
    "release",
    [f"quay.io/openshift-release-dev/ocp-release@sha256:{'4' * 64}", "registry.example.com/ocp/release:4.22.0-x86_64"],
)
def test_the_release_is_recorded_by_digest_where_the_reference_has_one(work: Path, base: Path, release: str) -> None:
    """The next job does not continue with another release: its reference is an input of the image."""

    def configure_release(reference: str) -> None:
        params = {name: spec.get("default") for name, spec in agent_config.argument_spec().items()}
        provided = {
            "cluster": CLUSTER,
            "hosts": [HOST],
            "dest": str(work / "config"),
            "release_image": reference,
            "checks": WITHOUT_REGISTRY,
        }
        assert not perform(agent_config.run, Call({**params, **provided}))["failed"]

    configure_release(release)
    assert not opened(work, base)["failed"]
    assert json.loads((work / "state.json").read_text())["cluster"]["release_image"] == release
    assert view_image(WorkDir(work), json.loads((work / "state.json").read_text())).differing == ()
    configure_release(release.replace("release", "other"))
    assert view_image(WorkDir(work), json.loads((work / "state.json").read_text())).differing


@pytest.mark.slow
def test_check_mode_judges_what_would_be_written(work: Path, base: Path) -> None:
    described = {
        "cluster": CLUSTER,
        "hosts": [HOST],
        "config_dir": None,
        "version": None,
        "release_image": None,
        "checks": {},
    }
    planned = opened(work, base, check_mode=True, description=described, config_dir=str(work / "not-yet"))
    assert "create tokens, signing keys and the kubeadmin password: there are none yet" in planned["plan"]
    done = opened(work, base)
    assert planned["plan"] == done["plan"]
    assert opened(work, base, check_mode=True, description=described)["changed"] is False
    other_key = described | {"cluster": CLUSTER | {"ssh_public_keys": [ECDSA_KEY]}}
    changed = opened(work, base, check_mode=True, description=other_key)
    assert changed["changed"] and changed["reason"] == "the Ignition config changed"
    arm = opened(work, base, check_mode=True, description=described | {"cluster": CLUSTER | {"architecture": "arm64"}})
    assert arm["failed"] and "is for x86_64, the control plane is aarch64" in arm["msg"]
    assert "geheim-pull" not in json.dumps([planned, changed, arm])


def test_no_secret_in_any_output(work: Path, base: Path) -> None:
    outputs = [opened(work, base, check_mode=True), opened(work, base), opened(work, base, force=True)]
    secrets = json.loads((work / "state.json").read_text())["secrets"]
    leaves = [
        secrets["kubeadmin_password"],
        secrets["kubeadmin_hash"],
        secrets["agent_token"],
        secrets["admin_kubeconfig"]["key"],
        "geheim-pull",
    ]
    text = json.dumps(outputs)
    for leaf in leaves:
        assert leaf not in text
        assert base64.b64encode(leaf.encode()).decode() not in text
        assert json.dumps(leaf)[1:-1] not in text


@pytest.mark.slow
def test_a_configuration_image(work: Path, base: Path) -> None:
    planned = opened(work, base, check_mode=True, kind="config_iso")
    done = opened(work, base, kind="config_iso")
    assert not done["failed"], done
    path = work / "images" / "agentconfig.noarch.iso"
    assert (done["path"], done["kind"], done["arch"], done["changed"]) == (str(path), "config_iso", "noarch", True)
    assert planned["path"] == done["path"] and planned["changed"]
    assert (done["sha256"], done["size"]) == (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size)
    assert path.stat().st_mode & 0o777 == 0o600
    iso = pycdlib.PyCdlib()
    iso.open(str(path))
    content = io.BytesIO()
    iso.get_file_from_iso_fp(content, rr_path="/config.gz")
    assert iso.pvd.volume_identifier.decode().strip() == "agent_configimage"
    iso.close()
    members = [member for member in read_members(content.getvalue()) if member.mode & 0o170000 == 0o100000]
    names = [member.path for member in members]
    # What the live system waits for comes last.
    archive = gzip.decompress(content.getvalue())
    assert max(names, key=lambda name: archive.index(f"{name}\0".encode())) == "/etc/assisted/rendezvous-host.env"
    assert sorted(names) == sorted(file["path"] for file in done["ignition_files"])
    assert {
        "/etc/assisted/manifests/infraenv.yaml",
        "/root/.docker/config.json",
        "/opt/agent/tls/kubeadmin-password.hash",
        "/etc/issue",
    } <= set(names)
    assert not [name for name in names if name.startswith("/usr/local/bin/")]
    again = opened(work, base, kind="config_iso")
    assert (again["changed"], again["plan"], again["sha256"]) == (False, [], done["sha256"])
    # The agent ISO is another file of the same cluster, with the same secrets.
    assert not opened(work, base)["failed"] and not opened(work, base, kind="config_iso")["changed"]
    assert opened(work, base, kind="config_iso", force=True)["reason"] == "force is set"


URL = "http://boot.example.com/sno"
PRISTINE = "ignition.firstboot ignition.platform.id=metal"


@pytest.mark.slow
def test_a_minimal_iso_and_what_its_hosts_load(work: Path, base: Path) -> None:
    configure(work, minimal_iso=True, boot_artifacts_base_url=URL)
    planned = opened(work, base, check_mode=True)
    assert not (work / "boot-artifacts").exists()
    done = opened(work, base)
    image, rootfs = work / "images" / "agent.x86_64.iso", work / "boot-artifacts" / "agent.x86_64-rootfs.img"
    assert (done["kind"], done["path"], done["rootfs_url"]) == (
        "minimal_iso",
        str(image),
        f"{URL}/agent.x86_64-rootfs.img",
    )
    assert planned["plan"] == done["plan"] and [step.rpartition(": ")[0] for step in done["plan"][-2:]] == [
        f"build {image}",
        f"build {rootfs}",
    ]
    known = ("path", "size", "kind", "arch", "rootfs_url", "reason")
    assert {key: planned[key] for key in known} == {key: done[key] for key in known}
    assert done["warnings"] == []
    found = read_live_image(image)
    assert (found.form, found.kargs.text) == (
        "minimal_iso",
        (f"{PRISTINE} coreos.live.rootfs_url={URL}/agent.x86_64-rootfs.img"),
    )
    assert json.loads(found.ignition)["ignition"]["version"] == "3.2.0"
    content = rootfs.read_bytes()
    assert content == synthetic.read_member(base, "images/pxeboot/rootfs.img")
    assert done["boot_artifacts"] == [
        {"path": str(rootfs), "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    ]
    assert {path.stat().st_mode & 0o777 for path in (image, rootfs)} == {0o600}
    again = opened(work, base)
    assert (again["changed"], again["plan"], again["sha256"], again["boot_artifacts"]) == (
        False,
        [],
        done["sha256"],
        done["boot_artifacts"],
    )
    rootfs.write_bytes(content[:-1] + b"?")
    assert opened(work, base)["plan"] == [f"build {rootfs}: it was changed by something else"]
    assert rootfs.read_bytes() == content
    # Asked for by name it is the same; the whole ISO is another matter.
    assert not opened(work, base, kind="minimal_iso")["changed"]
    configure(work)
    assert (opened(work, base)["kind"], read_live_image(image).form) == ("iso", "iso")


@pytest.mark.slow
def test_the_files_of_a_network_boot(work: Path, base: Path) -> None:
    configure(work, fips=True, boot_artifacts_base_url=URL, ssh_public_keys=[ECDSA_KEY])
    planned = opened(work, base, check_mode=True, kind="pxe")
    done = opened(work, base, kind="pxe")
    directory = work / "boot-artifacts"
    names = [f"agent.x86_64{name}" for name in ("-initrd.img", "-rootfs.img", "-vmlinuz", ".ipxe")]
    assert sorted(path.name for path in directory.iterdir()) == names
    assert planned["plan"] == done["plan"] and not (work / "images").exists()
    arguments = f"{PRISTINE} fips=1"
    assert (directory / names[3]).read_text() == (
        f"#!ipxe\ninitrd --name initrd {URL}/{names[0]}\nkernel {URL}/{names[2]} initrd=initrd "
        f"coreos.live.rootfs_url={URL}/{names[1]} {arguments}\nboot\n"
    )
    assert done["kernel_arguments"] == f"{arguments} coreos.live.rootfs_url={URL}/{names[1]}"
    assert (directory / names[2]).read_bytes() == synthetic.read_member(base, "images/pxeboot/vmlinuz")
    stock = synthetic.read_member(base, "images/pxeboot/initrd.img")
    initrd = (directory / names[0]).read_bytes()
    start = (len(stock) + 3) // 4 * 4
    assert initrd[:start] == stock.ljust(start, b"\0")
    assert [member.path for member in read_members(initrd[start:])] == ["config.ign"]
    assert (done["path"], done["size"], done["sha256"]) == (
        str(directory / names[0]),
        len(initrd),
        hashlib.sha256(initrd).hexdigest(),
    )
    again = opened(work, base, kind="pxe")
    assert (again["changed"], again["plan"], again["sha256"]) == (False, [], done["sha256"])
    configure(work, fips=True, ssh_public_keys=[ECDSA_KEY])
    moved = opened(work, base, kind="pxe")
    assert moved["plan"] == [
        f"build {directory / names[0]}: its input changed",
        (f"delete {directory / names[3]}: boot_artifacts_base_url is not set"),
    ]
    assert not (directory / names[3]).exists() and not opened(work, base, kind="pxe")["changed"]
    (work / "state.json").unlink()
    lost = opened(work, base, kind="pxe")
    assert lost["failed"] and "has no tokens and keys of this cluster" in lost["msg"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["iso", "minimal_iso", "pxe"])
def test_live_kernel_arguments_reach_every_kind(work: Path, base: Path, kind: str) -> None:
    arguments = ["console=tty0", "console=ttyS0,115200n8"]

    def written() -> str:
        if kind == "pxe":
            return (work / "boot-artifacts" / "agent.x86_64.ipxe").read_text()
        return read_live_image(work / "images" / "agent.x86_64.iso").kargs.text + "\nboot\n"

    configure(work, boot_artifacts_base_url=URL)
    opened(work, base, kind=kind)
    assert "console" not in written()
    configure(work, boot_artifacts_base_url=URL, live_kernel_arguments=arguments)
    planned = opened(work, base, check_mode=True, kind=kind)
    done = opened(work, base, kind=kind)
    assert not done["failed"], done
    assert planned["changed"] and planned["plan"] == done["plan"] and done["changed"]
    assert written().endswith(f" {' '.join(arguments)}\nboot\n")
    if kind == "pxe":
        assert f" {' '.join(arguments)} " in done["kernel_arguments"]
    assert not opened(work, base, kind=kind)["changed"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["minimal_iso", "pxe"])
def test_nothing_is_made_of_a_base_that_is_another_one(work: Path, base: Path, kind: str) -> None:
    configure(work, boot_artifacts_base_url=URL)
    wrong = {"path": str(base), "sha256": "0" * 64}
    for check_mode in (True, False):
        refused = opened(work, base, kind=kind, base_image=wrong, check_mode=check_mode)
        assert refused["failed"] and "is not the expected base image" in refused["msg"]
    assert not [path for name in ("boot-artifacts", "images") for path in (work / name).glob("*")]
    right = {"path": str(base), "sha256": hashlib.sha256(base.read_bytes()).hexdigest()}
    assert not opened(work, base, kind=kind, base_image=right)["failed"]
    (work / "boot-artifacts" / "agent.x86_64-rootfs.img").unlink()
    assert "is not the expected base image" in opened(work, base, kind=kind, base_image=wrong)["msg"]


def test_what_is_said_of_the_network_of_the_initramfs(work: Path, base: Path) -> None:
    address = {"enabled": True, "dhcp": False, "address": [{"ip": "192.168.126.10", "prefix-length": 24}]}
    interface = {
        "name": "enp1s0",
        "type": "ethernet",
        "state": "up",
        "mac-address": "52:54:00:5a:00:10",
        "ipv4": address,
    }
    configure(work, host={**HOST, "network_config": {"interfaces": [interface]}}, boot_artifacts_base_url=URL)
    assert "The network configuration of sno-0 is in force only after the root file system was loaded" in "".join(
        opened(work, base, kind="pxe")["warnings"]
    )
    assert not [warning for warning in opened(work, base)["warnings"] if "root file system" in warning]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["minimal_iso", "pxe"])
def test_where_a_published_root_file_system_is_taken_from(work: Path, tmp_path: Path, kind: str) -> None:
    base = synthetic.make_iso(tmp_path / "build.iso", ignition=262144, volume_id="rhcos-9.6.20251023-0")
    published = "https://rhcos.mirror.openshift.com/art/storage/prod/streams/rhel-9.6/builds/9.6.20251023-0/x86_64/rhcos-9.6.20251023-0-live-rootfs.x86_64.img"
    done = opened(work, base, kind=kind)
    assert done["rootfs_url"] == published
    assert [warning for warning in done["warnings"] if published in warning]
    assert [Path(one["path"]).name for one in done["boot_artifacts"] if "ipxe" in one["path"]] == []
    provided = opened(work, base, kind=kind, base_image={"path": str(base), "rootfs_url": "http://a.example.com/r.img"})
    assert (provided["rootfs_url"], provided["warnings"]) == ("http://a.example.com/r.img", [])


def test_a_minimal_iso_of_nowhere(work: Path, base: Path, tmp_path: Path) -> None:
    refused = opened(work, base, kind="minimal_iso")
    assert refused["failed"] and "bootArtifactsBaseURL: Required value" in refused["msg"]
    bare = synthetic.make_iso(tmp_path / "bare.iso", ignition=262144, miniso=False)
    configure(work, boot_artifacts_base_url=URL)
    refused = opened(work, bare, kind="minimal_iso")
    assert refused["failed"] and "cannot be made a minimal ISO: it has no coreos/miniso.dat" in refused["msg"]


BESIDE = """
import json, sys
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.modules import agent_image
sys.stdin.readline()
print(json.dumps(perform(agent_image.run, Call(json.loads(sys.argv[1])))))
"""


@pytest.mark.slow
def test_two_first_builds_at_once_end_with_one_set_of_secrets(work: Path, base: Path) -> None:
    params = {name: spec.get("default") for name, spec in agent_image.argument_spec().items()}
    params |= {"config_dir": str(work / "config"), "work_dir": str(work), "base_image": {"path": str(base)}}
    command = [sys.executable, "-c", BESIDE, json.dumps(params)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        for _each in range(2)
    ]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [json.loads(process.communicate()[0]) for process in processes]
    assert [result["failed"] for result in results] == [False, False], results
    assert sorted(result["changed"] for result in results) == [False, True]
    assert results[0]["sha256"] == results[1]["sha256"]
    secrets = json.loads((work / "state.json").read_text())["secrets"]
    assert (work / "auth" / "kubeadmin-password").read_text() == secrets["kubeadmin_password"]
    assert (
        base64.b64encode(secrets["admin_kubeconfig"]["crt"].encode()).decode()
        in (work / "auth" / "kubeconfig").read_text()
    )


def test_a_build_beside_another_run_is_refused_with_its_name(
    work: Path, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock.one_run.__wrapped__, "__defaults__", (0.0,))
    with lock.one_run(work, "install_wait", SystemClock()):
        refused = opened(work, base)
        assert not opened(work, base, check_mode=True)["failed"]
    assert refused["failed"] and f"Another run uses {work}: install_wait, process {os.getpid()}" in refused["msg"]
    assert not (work / "state.json").exists()


def test_relative_paths(work: Path, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)
    done = opened(work, base, config_dir="config", work_dir=".", base_image={"path": os.path.relpath(base)})
    assert done["path"] == str(work / "images" / "agent.x86_64.iso")
    assert not opened(work, base)["changed"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"engine": "openshift_install"}, "engine openshift_install is not part of this version"),
        ({"base_image": {"path": "/nowhere.iso"}}, "The base image /nowhere.iso does not exist"),
        ({"base_image": {}}, "name the CoreOS live ISO by path, url or release: auto"),
        ({"base_image": {"path": "/x", "sha256": "beef"}}, "64 hex digits"),
        ({"config_dir": "/nowhere"}, "/nowhere does not exist"),
        ({"connect_to": {"a:b:c": "d"}}, "openshift_connect_to[a:b:c]"),
    ],
)
def test_mistakes(work: Path, base: Path, options: dict[str, Any], words: str) -> None:
    result = opened(work, base, **options)
    assert result["failed"]
    assert words in result["msg"]
    assert sorted(path.name for path in work.iterdir()) == ["config"]


def test_warnings_reach_the_user(work: Path, tmp_path: Path) -> None:
    other = synthetic.make_iso(tmp_path / "old.iso", ignition=262144, volume_id="rhcos-416.94.20240501-0")
    assert opened(work, other)["warnings"] == [
        ("The base image rhcos-416.94.20240501-0 is of release 4.16, the cluster is 4.22.0.")
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "stream", "volume", "other"),
    [
        ("5.0.0", "", "rhcos-10.2.20260423-0", ""),
        ("5.0.0", "", "rhcos-9.8.20260715-1", "is of stream rhel-9, the cluster is installed with rhel-10"),
        ("5.0.0", "rhel-9", "rhcos-9.8.20260715-1", ""),
        ("5.0.0", "rhel-9", "rhcos-10.2.20260423-0", "is of stream rhel-10, the cluster is installed with rhel-9"),
        ("4.23.0", "", "rhcos-9.8.20260715-1", ""),
        ("4.23.0", "", "rhcos-10.2.20260423-0", "/coreos/coreos-x86_64.iso in the image machine-os-images"),
        ("4.23.0", "rhel-10", "rhcos-9.8.20260715-1", "/coreos/coreos10-x86_64.iso in the image machine-os-images"),
        ("4.21.0", "", "rhcos-10.2.20260423-0", "is of stream rhel-10, the cluster is installed with rhel-9"),
        ("5.0.0-okd-scos.0", "", "scos-10.0.20260423-0", ""),
        (
            "5.0.0-okd-scos.0",
            "",
            "rhcos-10.2.20260423-0",
            ("is of stream rhel-10, the cluster is installed with centos-10"),
        ),
        ("4.22.0-okd-scos.10", "", "scos-9.0.20250510-0", ""),
    ],
)
def test_a_base_image_of_another_stream(
    work: Path, tmp_path: Path, version: str, stream: str, volume: str, other: str
) -> None:
    """RHEL 9 and RHEL 10 live ISOs are both in a payload from 4.23 on."""
    iso = synthetic.make_iso(tmp_path / "stream.iso", ignition=262144, volume_id=volume)
    configure(work, version=version, **({"os_image_stream": stream} if stream else {}))
    warnings = opened(work, iso)["warnings"]
    assert (len(warnings), other in "".join(warnings)) == ((1, True) if other else (0, True))


@pytest.mark.slow
@pytest.mark.parametrize("checksum", [True, False])
@pytest.mark.parametrize("lost", ["agent.x86_64-initrd.img", "agent.x86_64-rootfs.img", "agent.x86_64.ipxe"])
def test_files_that_hosts_start_from_by_network_are_built_as_they_were_or_not_at_all(
    work: Path, base: Path, lost: str, checksum: bool
) -> None:
    configure(work, boot_artifacts_base_url="http://mirror.example.com/boot")
    opened(work, base, kind="pxe", checksum=checksum)
    directory = work / "boot-artifacts"
    file = directory / lost
    content = file.read_bytes()

    file.unlink()
    again = opened(work, base, kind="pxe", reading_hosts=["master-0"], checksum=checksum)
    assert not again["failed"], again
    assert file.read_bytes() == content

    recorded = (work / "state.json").read_text()
    content = synthetic.read_member(base, "images/pxeboot/rootfs.img")
    data = base.read_bytes()
    base.write_bytes(data.replace(content, content[::-1], 1))
    for path in directory.iterdir():
        path.unlink()
    refused = opened(work, base, kind="pxe", reading_hosts=["master-0"])
    assert refused["failed"] and "master-0 run from an image that cannot be built again" in refused["msg"], refused
    assert not (directory / "agent.x86_64-rootfs.img").exists()
    artifacts = json.loads(recorded)["image"]["artifacts"]
    assert json.loads((work / "state.json").read_text())["image"]["artifacts"].keys() == artifacts.keys()


@pytest.mark.slow
@pytest.mark.parametrize("checksum", [True, False])
def test_an_image_that_hosts_run_from_is_built_as_it_was_or_not_at_all(work: Path, base: Path, checksum: bool) -> None:
    configure(work)
    first = opened(work, base, checksum=checksum)
    assert bool(first["sha256"]) == checksum
    image = Path(first["path"])
    content, recorded = image.read_bytes(), (work / "state.json").read_text()

    image.unlink()
    again = opened(work, base, reading_hosts=["master-0"], checksum=checksum)
    assert not again["failed"] and first["sha256"] in ("", again["sha256"])
    assert image.read_bytes() == content

    image.write_bytes(content[:-1] + b"x")  # edited by another tool
    assert not opened(work, base, reading_hosts=["master-0"], checksum=checksum)["failed"]
    assert image.read_bytes() == content

    image.unlink()
    with base.open("r+b") as file:
        file.seek(-4, 2)
        file.write(b"\x01\x02\x03\x04")
    refused = opened(work, base, reading_hosts=["master-0"])
    assert refused["failed"] and "master-0 run from an image that cannot be built again" in refused["msg"]
    assert not image.exists()
    assert json.loads((work / "state.json").read_text())["image"]["recipe"] == json.loads(recorded)["image"]["recipe"]
