# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test building the ISO of a deployment without replacing any package: the plan for an empty directory, which parts a
repeated build keeps, and which input is rejected.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.files import from_directory
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.render import render_files
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.clock import SystemClock
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.errors import InvalidInput, ZeroTouchError
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent import build as building
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.base_image import (
    BaseImage,
    BaseImageSource,
    published_url,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.build import (
    BuildPlan,
    BuildRequest,
    apply_build,
    complete_plan,
    kernel_arguments,
    read_input,
    verify,
)
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.build_result import describe
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.image_diff import describe_diff
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.agent.inputs import input_digests
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import open_work_dir
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets, make_secrets
from ansible_collections.zerotouch.openshift.plugins.module_utils.image.live import read_live_image
from ansible_collections.zerotouch.openshift.tests.support import live_image as synthetic
from ansible_collections.zerotouch.openshift.tests.unit.cluster.reading import from_variables


def plan_build(request: BuildRequest, *, check_mode: bool = False) -> BuildPlan:
    return complete_plan(read_input(request, check_mode=check_mode))


CLUSTER: dict[str, Any] = {
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
_POINT = "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBGsX8VJwJVdYEJRzDT0bVXR2V9Cy0EJQHRKrEqFhpFVXSwqnaUzPHDkPkhdGDTTxhMAyNR/Hz/RwoOHnK6BcV3w="  # noqa: E501
ECDSA_KEY = f"ecdsa-sha2-nistp256 {_POINT}"
HOST: dict[str, Any] = {
    "inventory_name": "sno-0",
    "role": "master",
    "interfaces": [{"name": "enp1s0", "mac_address": "52:54:00:5a:00:10"}],
    "root_device_hints": {"deviceName": "/dev/sda"},
}


@pytest.fixture(scope="session")
def drawn() -> BuildSecrets:
    return make_secrets()


@pytest.fixture(autouse=True)
def _drawn_once(drawn: BuildSecrets, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys cost a second; the packages behind them have their own tests."""
    monkeypatch.setattr(building, "make_secrets", lambda: drawn)


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic.make_iso(tmp_path_factory.mktemp("base") / "rhcos-live-iso.x86_64.iso", ignition=262144)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


def write_config(work: Path, **changes: Any) -> None:
    deployment, problems = from_variables({**CLUSTER, **changes}, [HOST])
    assert not [problem for problem in problems if problem.severity == "error"], problems
    for name, text in render_files(deployment).items():
        path = work / "config" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


Request = Callable[..., BuildRequest]


@pytest.fixture
def request_for(work: Path, base: Path, tmp_path: Path) -> Request:
    def make(**changes: Any) -> BuildRequest:
        image = changes.pop("base", BaseImage(path=str(base)))
        return BuildRequest(
            work / "config",
            work,
            image,
            BaseImageSource(SystemClock(), tmp_path / "cache"),
            **{"checksum": True, **changes},
        )

    return make


def snapshot(work: Path) -> dict[str, tuple[bytes, int, int]]:
    return {
        str(path.relative_to(work)): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode), path.stat().st_mtime_ns)
        for path in sorted(work.rglob("*"))
        if path.is_file()
    }


def built(request: BuildRequest) -> tuple[BuildPlan, dict[str, Any]]:
    plan = plan_build(request)
    return plan, describe(plan, apply_build(plan))


def test_check_mode_on_nothing(work: Path, request_for: Request) -> None:
    plan = plan_build(request_for(), check_mode=True)
    result = describe(plan)
    assert (result["changed"], result["path"], result["sha256"], result["ignition_files"]) == (
        True,
        str(work / "images" / "agent.x86_64.iso"),
        "",
        [],
    )
    assert result["kubeconfig"] == str(work / "auth" / "kubeconfig")
    assert result["plan"] == [
        f"build {work}/images/agent.x86_64.iso: {work}/config does not exist yet; agent_config writes it"
    ]
    assert not work.exists()
    with pytest.raises(ZeroTouchError, match=r"config does not exist\."):
        plan_build(request_for())


def test_check_mode_writes_nothing_and_plans_the_same(work: Path, request_for: Request) -> None:
    write_config(work)
    before = snapshot(work)
    plan = plan_build(request_for(), check_mode=True)
    verify(plan)
    planned = describe(plan)
    assert snapshot(work) == before
    real, result = built(request_for())
    assert real.steps == plan.steps
    assert {**result, "sha256": ""} == planned
    assert [file["path"] for file in result["ignition_files"]] == [file.path for file in real.ignition.files]


def test_everything_that_is_written(work: Path, request_for: Request) -> None:
    write_config(work)
    _plan, result = built(request_for())
    files = snapshot(work)
    written = {"auth/kubeadmin-password", "auth/kubeconfig", "images/agent.x86_64.iso", "rendezvousIP", "state.json"}
    assert written <= set(files)
    assert {mode for name, (_content, mode, _time) in files.items() if name in written} == {0o600}
    assert files["rendezvousIP"][0] == b"192.168.126.10"
    assert result["sha256"] == hashlib.sha256(files["images/agent.x86_64.iso"][0]).hexdigest()

    state = json.loads(files["state.json"][0])
    assert files["auth/kubeadmin-password"][0].decode() == state["secrets"]["kubeadmin_password"]
    deployment, _problems = from_directory(work / "config")
    cluster = state["cluster"]
    assert (cluster["name"], cluster["api_url"], cluster["rendezvous_ip"]) == (
        "sno",
        "https://api.sno.example.com:6443",
        "192.168.126.10",
    )
    assert cluster["hosts"] == [
        {"name": "sno-0", "hostname": "sno-0", "role": "master", "macs": ["52:54:00:5a:00:10"], "static_ips": []}
    ]
    assert cluster["replicas"] == deployment.cluster.replicas
    image = state["image"]
    assert image["inputs"] == input_digests(work / "config")
    assert (image["kind"], image["size"], image["base"]["size"]) == ("iso", result["size"], result["size"])
    assert state["install"] == {"phase": "built"}

    document = json.loads(read_live_image(Path(result["path"])).ignition)
    assert hashlib.sha256(read_live_image(Path(result["path"])).ignition).hexdigest() == image["ignition_sha256"]
    images = next(file for file in document["storage"]["files"] if file["path"].endswith("images.env"))
    text = base64.b64decode(images["contents"]["source"].partition(",")[2]).decode()
    assert f'"url":"{published_url("4.22.0", "x86_64")}"' in text.replace('": "', '":"')
    assert "422.1.0" in text


def test_second_run_changes_nothing(work: Path, request_for: Request) -> None:
    write_config(work)
    _plan, first = built(request_for())
    before = snapshot(work)
    plan, second = built(request_for())
    assert (plan.steps, second["changed"], second["sha256"], second["reason"]) == (
        (),
        False,
        first["sha256"],
        "the image matches its input",
    )
    assert snapshot(work) == before


def test_changed_input_rebuilds_with_the_same_secrets(work: Path, request_for: Request) -> None:
    write_config(work)
    built(request_for())
    secrets = StateFile(work / "state.json").section("secrets")
    write_config(work, ntp_sources=["192.168.126.1"])
    plan, result = built(request_for())
    assert plan.steps == (f"build {result['path']}: the Ignition config changed",)
    assert StateFile(work / "state.json").section("secrets") == secrets
    assert "/etc/chrony.conf" in [file["path"] for file in result["ignition_files"]]
    assert not built(request_for())[1]["changed"]


def test_fips_and_console() -> None:
    deployment, _problems = from_variables(CLUSTER, [HOST])
    import dataclasses

    plain = deployment.cluster
    assert kernel_arguments(plain) == []
    assert kernel_arguments(dataclasses.replace(plain, fips=True)) == ["fips=1"]
    oci = dataclasses.replace(plain, platform="external", platform_options={"platformName": "oci"}, fips=True)
    assert kernel_arguments(oci) == ["console=ttyS0", "fips=1"]
    assert kernel_arguments(dataclasses.replace(oci, platform_options={"platformName": "other"}, fips=False)) == []


def test_fips_reaches_the_boot_loader(work: Path, request_for: Request) -> None:
    write_config(work, fips=True, ssh_public_keys=[ECDSA_KEY])
    _plan, result = built(request_for())
    assert read_live_image(Path(result["path"])).kargs.text == f"{synthetic.DEFAULT_KARGS} fips=1"


ARGUMENTS = ["console=tty0", "console=ttyS0,115200n8"]


def test_live_kernel_arguments_rebuild_the_image_only_when_they_change(work: Path, request_for: Request) -> None:
    write_config(work, fips=True, ssh_public_keys=[ECDSA_KEY])
    built(request_for())
    write_config(work, fips=True, ssh_public_keys=[ECDSA_KEY], live_kernel_arguments=ARGUMENTS)
    plan, result = built(request_for())
    assert plan.image_steps == (f"build {result['path']}: the kernel arguments changed",)
    with_arguments = f"{synthetic.DEFAULT_KARGS} fips=1 console=tty0 console=ttyS0,115200n8"
    assert read_live_image(Path(result["path"])).kargs.text == with_arguments
    before = snapshot(work)
    assert not built(request_for())[1]["changed"]
    assert snapshot(work) == before
    write_config(work, fips=True, ssh_public_keys=[ECDSA_KEY], live_kernel_arguments=ARGUMENTS[:1])
    assert built(request_for())[0].image_changed
    write_config(work, fips=True, ssh_public_keys=[ECDSA_KEY])
    assert built(request_for())[0].image_changed
    assert read_live_image(Path(result["path"])).kargs.text == f"{synthetic.DEFAULT_KARGS} fips=1"


def test_live_kernel_arguments_that_do_not_fit_leave_the_image(work: Path, request_for: Request) -> None:
    write_config(work)
    built(request_for())
    before = snapshot(work)["images/agent.x86_64.iso"]
    write_config(work, live_kernel_arguments=["x=" + "y" * 2000])
    with pytest.raises(ZeroTouchError, match=r"do not fit into the image: \d+ bytes, the area has \d+\.") as caught:
        built(request_for())
    assert "fewer or shorter arguments in live_kernel_arguments" in str(caught.value.hint)
    assert snapshot(work)["images/agent.x86_64.iso"] == before


def test_a_configuration_image_has_no_kernel_arguments(work: Path, request_for: Request) -> None:
    write_config(work, live_kernel_arguments=ARGUMENTS)
    warnings = built(request_for(kind="config_iso"))[0].warnings
    assert [warning for warning in warnings if "live_kernel_arguments has no effect" in warning]
    write_config(work)
    assert not [
        warning for warning in built(request_for(kind="config_iso"))[0].warnings if "live_kernel_arguments" in warning
    ]


def test_a_kubeconfig_that_learned_more_is_kept(work: Path, request_for: Request) -> None:
    write_config(work)
    built(request_for())
    kubeconfig = work / "auth" / "kubeconfig"
    kubeconfig.write_text(kubeconfig.read_text() + "# with the CA of the ingress\n")
    assert not built(request_for())[1]["changed"]
    assert kubeconfig.read_text().endswith("ingress\n")
    kubeconfig.write_text("apiVersion: v1\n")
    plan, result = built(request_for())
    assert plan.steps == (f"write {kubeconfig}: it changed",)
    assert result["changed"]


def test_lost_files_come_back(work: Path, request_for: Request) -> None:
    write_config(work)
    built(request_for())
    (work / "auth" / "kubeadmin-password").unlink()
    (work / "images" / "agent.x86_64.iso").unlink()
    plan, _result = built(request_for())
    assert [step.rpartition(": ")[2] for step in plan.steps] == ["it is not there yet", "there is no image yet"]
    assert not built(request_for())[1]["changed"]


def test_what_a_killed_run_was_writing_goes(work: Path, request_for: Request) -> None:
    write_config(work)
    auth = work / "auth"
    auth.mkdir(mode=0o700)
    for path in (work / ".rendezvousIP.x1.part", auth / ".kubeconfig.x2.part"):
        path.write_text("half")
    apply_build(plan_build(request_for()))
    assert not list(work.rglob("*.part"))


def test_a_killed_run_goes_on_with_its_secrets(
    work: Path, request_for: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_config(work)

    def killed(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(building, "make_product", killed)
        apply_build(plan_build(request_for()))
    state = StateFile(work / "state.json")
    secrets = state.section("secrets")
    assert secrets
    assert state.section("image") == {}
    plan, _result = built(request_for())
    assert not plan.new_secrets
    assert state.section("secrets") == secrets
    assert (work / "auth" / "kubeadmin-password").read_text() == secrets["kubeadmin_password"]


def test_phase_of_a_running_installation_is_not_touched(work: Path, request_for: Request) -> None:
    write_config(work)
    built(request_for())
    StateFile(work / "state.json").update("install", {"phase": "installing"})
    built(request_for(force=True))
    assert StateFile(work / "state.json").section("install") == {"phase": "installing"}


def test_force(work: Path, request_for: Request) -> None:
    write_config(work)
    built(request_for())
    assert built(request_for(force=True))[0].reason == "a rebuild was requested"


def test_built_at_is_when_the_bytes_were_made(work: Path, request_for: Request) -> None:
    write_config(work)
    first, second = (datetime.datetime(2026, 1, day, tzinfo=datetime.UTC) for day in (1, 2))
    apply_build(plan_build(request_for()), now=lambda: first)
    apply_build(plan_build(request_for()), now=lambda: second)
    assert StateFile(work / "state.json").section("image")["built_at"] == "2026-01-01T00:00:00+00:00"
    apply_build(plan_build(request_for(force=True)), now=lambda: second)
    assert StateFile(work / "state.json").section("image")["built_at"] == "2026-01-02T00:00:00+00:00"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"engine": "openshift_install"}, "engine openshift_install is not part of this version"),
        ({"base": BaseImage()}, "openshift_base_image: Required value"),
        ({"base": BaseImage(path="/a", url="http://b/c.iso")}, "path and url are both given"),
    ],
)
def test_refused_requests(work: Path, request_for: Request, changes: dict[str, Any], words: str) -> None:
    write_config(work)
    with pytest.raises(InvalidInput, match=words):
        plan_build(request_for(**changes))


def test_bad_configuration_is_reported_before_anything_else(work: Path, request_for: Request) -> None:
    write_config(work)
    text = (work / "config" / "install-config.yaml").read_text()
    (work / "config" / "install-config.yaml").write_text(text.replace("baseDomain: example.com", "baseDomain: '-'"))
    before = snapshot(work)
    with pytest.raises(InvalidInput, match="baseDomain: Invalid value"):
        plan_build(request_for(base=BaseImage(path="/nowhere.iso")))
    assert snapshot(work) == before


def test_base_images_that_do_not_fit(work: Path, request_for: Request, tmp_path: Path) -> None:
    write_config(work)

    def plan(**options: Any) -> BuildPlan:
        return plan_build(
            request_for(
                base=BaseImage(path=str(synthetic.make_iso(tmp_path / "other.iso", **{"ignition": 262144, **options})))
            )
        )

    arm = (
        b"MZ".ljust(0x3C, b"\x00")
        + (0x80).to_bytes(4, "little").ljust(0x44, b"\x00")
        + b"PE\x00\x00"
        + b"\x64\xaa"
        + bytes(2000)
    )
    with pytest.raises(ZeroTouchError, match="is for aarch64, the control plane is x86_64"):
        plan(kernel=arm)
    with pytest.raises(ZeroTouchError, match="minimal ISO"):
        plan(rootfs=None)
    with pytest.raises(
        ZeroTouchError,
        match=(
            r"names no CoreOS build\. Give the build in "
            r"openshift_base_image\.version"
        ),
    ):
        plan(volume_id="CUSTOM")
    with pytest.raises(
        ZeroTouchError,
        match=(
            r"bytes compressed, the image has room for 8192.*The largest files "
            r"in it are /"
        ),
    ):
        plan(ignition=8192)
    assert plan(volume_id="rhcos-418.94.20250101-0").warnings == (
        ("The base image rhcos-418.94.20250101-0 is of release 4.18, the cluster is 4.22.0."),
    )
    assert plan(volume_id="fedora-coreos-41.2025.0").warnings == ()
    assert plan(volume_id="rhcos-9.6.20250523-0").warnings == ()


def test_checksum_of_the_base(work: Path, request_for: Request, base: Path) -> None:
    write_config(work)
    right = hashlib.sha256(base.read_bytes()).hexdigest()
    wrong = BaseImage(path=str(base), sha256="0" * 64)
    plan = plan_build(request_for(base=wrong), check_mode=True)
    with pytest.raises(ZeroTouchError, match="is not the expected base image"):
        verify(plan)
    with pytest.raises(ZeroTouchError, match="is not the expected base image"):
        apply_build(plan_build(request_for(base=wrong)))
    assert not (work / "images" / "agent.x86_64.iso").exists()
    plan, _result = built(request_for(base=BaseImage(path=str(base), sha256=right)))
    assert StateFile(work / "state.json").section("image")["base"]["sha256"] == right
    assert not built(request_for(base=BaseImage(path=str(base), sha256=right)))[1]["changed"]


def test_base_image_by_url(work: Path, tmp_path: Path, base: Path) -> None:
    import http.server
    import threading

    requests: list[str] = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(base.parent))

        def log_message(self, text: str, *args: Any) -> None:
            requests.append(self.command)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    mapping, _problems = ConnectTo.parse({"mirror.example.com:80": f"127.0.0.1:{server.server_port}"})
    source = BaseImageSource(SystemClock(), tmp_path / "cache", mapping)
    provided = BaseImage(url=f"http://mirror.example.com/{base.name}")
    request = BuildRequest(work / "config", work, provided, source)
    try:
        plan = plan_build(request, check_mode=True)
        assert (describe(plan)["size"], requests, (tmp_path / "cache").exists()) == (
            base.stat().st_size,
            ["HEAD"],
            False,
        )
        write_config(work)
        plan = plan_build(request, check_mode=True)
        assert plan.steps[0].startswith(f"base image {base.name} (0 MB) will be transferred: it is not in the cache")
        assert plan.warnings == (
            ("The base image comes over plain HTTP and is not verified; give openshift_base_image.sha256."),
        )
        _plan, result = built(request)
        assert result["changed"]
        assert requests.count("GET") == 1
        assert built(request)[1]["changed"] is False
        assert requests.count("GET") == 1
    finally:
        server.shutdown()
        server.server_close()
    assert _url_in(read_live_image(Path(result["path"])).ignition, provided.url)


def _url_in(config: bytes, url: str) -> bool:
    files = json.loads(config)["storage"]["files"]
    sources = [file.get("contents", {}).get("source", "") for file in files if file["path"].endswith("images.env")]
    return any(url in base64.b64decode(source.partition(",")[2]).decode() for source in sources)


def test_diff_shows_files_but_no_contents(work: Path, request_for: Request) -> None:
    write_config(work)
    plan = plan_build(request_for())
    new = describe_diff(plan)
    assert new["before"] == ""
    assert " /etc/assisted/rendezvous-host.env\n" in new["after"]
    apply_build(plan)
    unchanged = describe_diff(plan_build(request_for()))
    assert (unchanged["before"], unchanged["after"]) == ("", "")
    write_config(work, ntp_sources=["192.168.126.1"])
    plan = plan_build(request_for())
    changed = describe_diff(plan)
    added = set(changed["after"].splitlines()) - set(changed["before"].splitlines())
    assert any(line.endswith(" /etc/chrony.conf") for line in added)
    for secret in [*plan.secrets.values(), "geheim-pull", CLUSTER["pull_secret"]]:
        assert secret not in json.dumps([new, changed, describe(plan)])


def test_secret_values_are_known(work: Path, request_for: Request) -> None:
    write_config(work)
    plan = plan_build(request_for())
    assert {"geheim-pull", plan.secrets.kubeadmin_password, plan.secrets.agent_token} <= plan.secret_values()


def test_check_mode_sees_a_wrong_base_image_before_anything_is_configured(
    work: Path, base: Path, request_for: Request
) -> None:
    plan = plan_build(request_for(base=BaseImage(path=str(base), sha256="0" * 64)), check_mode=True)
    with pytest.raises(ZeroTouchError, match="is not the expected base image"):
        verify(plan)
    verify(
        plan_build(
            request_for(base=BaseImage(path=str(base), sha256=hashlib.sha256(base.read_bytes()).hexdigest())),
            check_mode=True,
        )
    )


@pytest.mark.parametrize("check_mode", [True, False])
def test_places_that_can_be_no_work_directory(
    work: Path, request_for: Request, monkeypatch: pytest.MonkeyPatch, *, check_mode: bool
) -> None:
    work.write_text("a file")
    with pytest.raises(
        ZeroTouchError,
        match=(
            r"work is not a directory\. The work directory "
            r"\(openshift_work_dir\) must be one"
        ),
    ):
        plan_build(request_for(), check_mode=check_mode)
    work.unlink()
    work.mkdir(mode=0o700)
    work.chmod(0o1777)
    with pytest.raises(ZeroTouchError, match="is a directory that users share"):
        plan_build(request_for(), check_mode=check_mode)
    work.chmod(0o770)
    with pytest.raises(
        ZeroTouchError,
        match=(
            r"Other users can write to .*work \(mode 0770\)\. Check what is in "
            r"it and run `chmod go-w "
        ),
    ):
        plan_build(request_for(), check_mode=check_mode)
    with pytest.raises(ZeroTouchError, match="Other users can write to"):
        open_work_dir(work)
    work.chmod(0o700)
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) not in (work, work.parent))
    with pytest.raises(ZeroTouchError, match="work cannot be written"):
        plan_build(request_for(), check_mode=check_mode)
    work.rmdir()
    with pytest.raises(ZeroTouchError, match=f"work cannot be made: {work.parent} cannot be written"):
        plan_build(request_for(), check_mode=check_mode)


def test_a_work_directory_that_others_can_enter(work: Path, request_for: Request) -> None:
    write_config(work)
    work.chmod(0o755)
    planned = plan_build(request_for(), check_mode=True)
    step = f"change the mode of {work} from 0755 to 0700: it holds credentials"
    assert step in planned.steps and stat.S_IMODE(work.stat().st_mode) == 0o755
    built(request_for())
    assert stat.S_IMODE(work.stat().st_mode) == 0o700
    work.chmod(0o750)
    plan, result = built(request_for())
    assert (
        result["changed"]
        and [text for text in plan.steps if "mode of" in text]
        and stat.S_IMODE(work.stat().st_mode) == 0o700
    )
    assert not built(request_for())[1]["changed"]
