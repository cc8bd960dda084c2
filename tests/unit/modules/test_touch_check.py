# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test module touch_check and the safety gate in boot_hosts, against a BMC, work directories and a kubelet's port."""

from __future__ import annotations

import datetime
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.connect import ConnectTo
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.state import StateFile
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.safety.kubelet import node_at
from ansible_collections.zerotouch.openshift.plugins.modules import boot_hosts, destroy_plan, touch_check
from ansible_collections.zerotouch.openshift.tests.support import bmc as fake
from ansible_collections.zerotouch.openshift.tests.support.ansible_core import patch_module_args
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

URL = "http://192.0.2.1/token/agent.iso"
MAC, OTHER_MAC = "52:54:00:00:00:01", "52:54:00:00:00:09"
NO_SERVICE = {"service_url": "http://127.0.0.1:1"}


@pytest.fixture
def served() -> Iterator[Any]:
    service = fake.Served(fake.FakeBmc(power="On"))
    yield service
    service.close()


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    def run(module: Any, **arguments: Any) -> dict[str, Any]:
        with patch_module_args(arguments), pytest.raises(SystemExit):
            module.main()
        output = capfd.readouterr().out
        assert fake.PASSWORD not in output
        return dict(json.loads(output))

    return run


def hosts(served: Any, **more: Any) -> list[dict[str, Any]]:
    bmc = {"address": served.address, "username": fake.USER, "password": fake.PASSWORD}
    return [{"name": "node-1", "bmc": bmc, "mac_addresses": [MAC], **more}]


def touch(work_dir: Path, **more: Any) -> dict[str, Any]:
    return {
        "cluster_name": "demo",
        "work_dir": str(work_dir),
        "hosts": [{"name": "node-1", "mac_addresses": [MAC]}],
        **more,
    }


def deployed(directory: Path, phase: str) -> None:
    host = {"name": "node-1", "hostname": "", "role": "master", "macs": [MAC], "static_ips": []}
    with StateFile(directory / "state.json").edit() as document:
        document["cluster"] = {
            "name": "demo",
            "base_domain": "example.com",
            "api_url": "",
            "rendezvous_ip": "",
            "hosts": [host],
        }
        document["install"] = {"phase": phase}


def outcome(result: dict[str, Any]) -> tuple[str, str]:
    return result["hosts"][0]["row"], result["hosts"][0]["outcome"]


def test_a_machine_that_is_on_is_not_booted(call: Any, served: Any, tmp_path: Path) -> None:
    result = call(touch_check, action="boot", hosts=hosts(served), touch=touch(tmp_path / "demo"))
    assert result["failed"] and outcome(result) == ("13", "stop")
    assert "openshift_force=take_over" in result["msg"] and served.bmc.writes() == []
    assert not (tmp_path / "demo").exists()


def test_a_take_over_is_recorded_and_a_killed_run_goes_on_without_asking(
    call: Any, served: Any, tmp_path: Path
) -> None:
    work_dir = tmp_path / "demo"
    tried = call(
        touch_check,
        action="boot",
        hosts=hosts(served),
        touch=touch(work_dir, force=["take_over"]),
        _ansible_check_mode=True,
    )
    assert outcome(tried) == ("13", "act") and not work_dir.exists()
    result = call(touch_check, action="boot", hosts=hosts(served), touch=touch(work_dir, force=["take_over"]))
    assert result["touch"] == result["forced_hosts"] == ["node-1"]
    assert StateFile(work_dir / "state.json").section("machines")["node-1"]["state"] == "permitted"
    again = call(touch_check, action="boot", hosts=hosts(served), touch=touch(work_dir))
    assert outcome(again) == ("11", "act")


def test_nothing_is_permitted_that_is_not_stored(call: Any, served: Any, tmp_path: Path) -> None:
    """A hub that is asked to boot or to release a machine knows nothing of our lease."""
    work_dir = tmp_path / "demo"
    (work_dir / ".store").mkdir(parents=True, mode=0o700)
    options = {"action": "boot", "hosts": hosts(served), "touch": touch(work_dir, force=["take_over"])}
    assert outcome(call(touch_check, **options, _ansible_check_mode=True)) == ("13", "act")
    result = call(touch_check, **options)
    assert result["failed"] and "no process of this run stores it" in result["msg"]


def test_take_over_at_the_host(call: Any, served: Any, tmp_path: Path) -> None:
    options = touch(tmp_path / "demo", hosts=[{"name": "node-1", "mac_addresses": [MAC], "take_over": True}])
    assert outcome(call(touch_check, action="boot", hosts=hosts(served), touch=options)) == ("13", "act")


def test_the_machine_of_another_work_directory(call: Any, served: Any, tmp_path: Path) -> None:
    deployed(tmp_path / "other", "installed")
    options = touch(tmp_path / "demo", force=["take_over", "start_over"], confirm=["demo"])
    result = call(touch_check, action="boot", hosts=hosts(served), touch=options)
    assert outcome(result) == ("3", "stop") and str(tmp_path / "other") in result["msg"]


def test_a_deployment_that_does_not_answer_is_unknown(call: Any, served: Any, tmp_path: Path) -> None:
    deployed(tmp_path / "demo", "installed")
    assert outcome(call(touch_check, action="boot", hosts=hosts(served), touch=touch(tmp_path / "demo"))) == (
        "6",
        "stop",
    )
    assert outcome(
        call(
            touch_check,
            action="boot",
            hosts=hosts(served),
            touch=touch(tmp_path / "demo", force=["start_over"], confirm=["demo"]),
        )
    ) == (
        "6",
        "act",
    )
    assert outcome(
        call(touch_check, action="destroy", hosts=hosts(served), touch=touch(tmp_path / "demo", confirm=["demo"]))
    ) == ("6", "act")


def test_another_method_has_the_host(call: Any, served: Any, tmp_path: Path) -> None:
    deployed(tmp_path / "demo", "installed")
    result = call(
        touch_check,
        action="boot",
        hosts=hosts(served),
        touch=touch(tmp_path / "demo", method="assisted", force=["start_over"], confirm=["demo"]),
    )
    assert outcome(result) == ("4", "stop")
    assert "destroy_cluster -e openshift_install_method=agent -e openshift_confirm=demo" in result["msg"]


@pytest.mark.parametrize("names", [[], ["node-7"]])
def test_the_record_of_another_method_is_not_destroyed_without_its_hosts(
    call: Any, tmp_path: Path, names: list[str]
) -> None:
    """The hosts of the recorded method may be in other groups than those of the method that is asked for."""
    (tmp_path / "state.json").write_text(
        json.dumps({"format": 1, "install": {"method": "hosted"}, "cluster": {"name": "demo"}})
    )
    asked = {"action": "destroy", "names": names, "touch": touch(tmp_path, hosts=[], confirm=["demo"])}
    stopped = call(touch_check, **asked)
    assert stopped["failed"] and "demo: hosted is the installation method recorded" in stopped["msg"], stopped
    own = call(touch_check, **{**asked, "touch": {**asked["touch"], "method": "hosted", "hub": None}})
    assert "is the installation method recorded" not in own.get("msg", "")


def test_a_bmc_that_is_dead_stops_a_boot_and_not_the_end_of_a_cluster(call: Any, tmp_path: Path) -> None:
    deployed(tmp_path / "demo", "booted")
    bmc = {
        "address": "redfish-virtualmedia+http://127.0.0.1:1/redfish/v1/Systems/1",
        "username": "admin",
        "password": "not-a-secret",
    }
    dead = [{"name": "node-1", "bmc": bmc, "mac_addresses": [MAC]}]
    assert outcome(call(touch_check, action="boot", hosts=dead, touch=touch(tmp_path / "demo"))) == ("1", "stop")
    result = call(touch_check, action="destroy", hosts=dead, touch=touch(tmp_path / "demo", confirm=["demo"]))
    assert outcome(result) == ("1", "fail") and [host["name"] for host in result["failed_hosts"]] == ["node-1"]


def test_a_host_that_boots_manually_has_the_same_rows(call: Any, tmp_path: Path) -> None:
    assert outcome(call(touch_check, action="boot", names=["node-1"], touch=touch(tmp_path / "demo"))) == ("14", "act")
    deployed(tmp_path / "demo", "installed")
    assert outcome(call(touch_check, action="boot", names=["node-1"], touch=touch(tmp_path / "demo"))) == ("6", "stop")


def test_boot_hosts_asks_again_before_its_first_write(call: Any, served: Any, tmp_path: Path) -> None:
    work_dir = tmp_path / "demo"
    arguments = {
        "hosts": hosts(served),
        "image_url": URL,
        "state_file": str(work_dir / "state.json"),
        "touch": touch(work_dir),
    }
    refused = call(boot_hosts, **arguments)
    assert refused["failed"] and "take_over" in refused["msg"] and served.bmc.writes() == []
    done = call(boot_hosts, **{**arguments, "touch": touch(work_dir, force=["take_over"])})
    assert done["changed"] and StateFile(work_dir / "state.json").section("machines")["node-1"]["state"] == "booted"


def test_a_boot_is_recorded_before_the_first_write(call: Any, served: Any, tmp_path: Path) -> None:
    work_dir = tmp_path / "demo"
    served.bmc.power = "Off"
    served.bmc.boot_refused = True
    result = call(
        boot_hosts, hosts=hosts(served), image_url=URL, state_file=str(work_dir / "state.json"), touch=touch(work_dir)
    )
    assert result["failed"] and StateFile(work_dir / "state.json").section("machines")["node-1"]["state"] == "booting"


def test_power_off_for_a_removal_releases_the_host(call: Any, served: Any, tmp_path: Path) -> None:
    work_dir = tmp_path / "demo"
    deployed(work_dir, "booted")
    options = touch(work_dir, confirm=["demo"])
    result = call(
        boot_hosts,
        hosts=hosts(served),
        state="off",
        action="remove",
        state_file=str(work_dir / "state.json"),
        touch=options,
    )
    assert result["changed"] and served.bmc.power == "Off"
    assert outcome(call(touch_check, action="boot", hosts=hosts(served), touch=touch(work_dir))) == ("9a", "act")


# kubelet


def certificate(common_name: str, directory: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, common_name)])
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    builder = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    )
    signed = builder.not_valid_before(now - day).not_valid_after(now + day).sign(key, hashes.SHA256())
    path = directory / "kubelet.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def kubelet(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    servers = []

    def serve(common_name: str) -> str:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate(common_name, tmp_path))
        listening = socket.create_server(("127.0.0.1", 0))
        servers.append(listening)

        def answer() -> None:
            while True:
                try:
                    plain, _address = listening.accept()
                except OSError:
                    return
                with plain:
                    try:
                        context.wrap_socket(plain, server_side=True).close()
                    except OSError:
                        continue

        threading.Thread(target=answer, daemon=True).start()
        return f"127.0.0.1:{listening.getsockname()[1]}"

    yield serve
    for server in servers:
        server.close()


@pytest.mark.parametrize(
    ("common_name", "expected"),
    [("system:node:worker-7", "worker-7"), ("worker-7@1700000000", ""), ("system:admin", "")],
)
def test_whose_kubelet_answers(kubelet: Callable[[str], str], common_name: str, expected: str) -> None:
    assert node_at("192.0.2.11", ConnectTo.of({"192.0.2.11:10250": kubelet(common_name)})) == expected


def test_a_kubelet_proves_a_cluster(call: Any, served: Any, tmp_path: Path, kubelet: Callable[[str], str]) -> None:
    options = touch(
        tmp_path / "demo",
        hosts=[{"name": "node-1", "mac_addresses": [MAC], "addresses": ["192.0.2.11"]}],
        force=["take_over"],
    )
    result = call(
        touch_check,
        action="boot",
        hosts=hosts(served),
        touch=options,
        connect_to={"192.0.2.11:10250": kubelet("system:node:old-7")},
    )
    assert outcome(result) == ("12", "stop") and "old-7" in result["msg"]


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("booted", ("6", "stop")),
        # What answers is what the user allowed to be replaced.
        ("permitted", ("11", "act")),
        ("booting", ("11", "act")),
    ],
)
def test_a_booted_host_whose_kubelet_answers_is_not_booted_again(
    call: Any, served: Any, tmp_path: Path, kubelet: Callable[[str], str], state: str, expected: tuple[str, str]
) -> None:
    """It became a Node since, and the record of that is lost."""
    work_dir = tmp_path / "demo"
    with StateFile(work_dir / "state.json").edit() as document:
        document["machines"] = {"node-1": {"state": state, "method": "agent", "macs": [MAC]}}
    options = touch(work_dir, hosts=[{"name": "node-1", "mac_addresses": [MAC], "addresses": ["192.0.2.11"]}])
    answers = {"192.0.2.11:10250": kubelet("system:node:node-1")}
    asked = {"hosts": hosts(served), "touch": options, "connect_to": answers}
    assert outcome(call(touch_check, action="boot", **asked)) == expected
    confirmed = {**asked, "touch": {**options, "confirm": ["demo"]}}
    assert outcome(call(touch_check, action="destroy", **confirmed)) == ("11", "act")


def test_silence_at_that_port_proves_nothing(call: Any, served: Any, tmp_path: Path) -> None:
    assert node_at("127.0.0.1", ConnectTo.of({"127.0.0.1:10250": "127.0.0.1:1"})) == ""


class TestDestroyPlan:
    def test_a_deployment_that_is_recorded(self, call: Any, served: Any, tmp_path: Path) -> None:
        deployed(tmp_path / "demo", "installed")
        provided = touch(tmp_path / "demo", confirm=["demo"])
        result = call(destroy_plan, hosts=hosts(served), manual_hosts=[], touch=provided)
        assert "msg" not in result, result["msg"]
        assert (result["names"], result["removal"]["power_off"]) == (["node-1"], ["node-1"])
        assert result["removal"]["paths"][0] == str(tmp_path / "demo" / "images")
        assert served.bmc.writes() == [] and not result["changed"]

    def test_paths_that_the_call_keeps(self, call: Any, tmp_path: Path) -> None:
        work_dir = tmp_path / "demo"
        (work_dir / "images").mkdir(parents=True)
        (work_dir / "images" / "agent.x86_64.iso").touch()
        base = str(work_dir / "images" / "agent.x86_64.iso")
        provided = touch(work_dir, confirm=["demo"], hosts=[])
        assert str(work_dir / "images") in call(destroy_plan, hosts=[], touch=provided)["removal"]["paths"]
        removal = call(destroy_plan, hosts=[], touch=provided, keep=[base])["removal"]
        assert not any("images" in path for path in removal["paths"])
        assert removal["summary"].endswith(f"are still in {work_dir}: images/agent.x86_64.iso.")
        purged = call(destroy_plan, hosts=[], touch=provided, keep=[base], purge=True)
        assert purged["failed"] and "Nothing was done" in purged["msg"]

    def test_without_confirmation_no_bmc_is_contacted(self, call: Any, served: Any, tmp_path: Path) -> None:
        deployed(tmp_path / "demo", "installed")
        result = call(destroy_plan, hosts=hosts(served), touch=touch(tmp_path / "demo"))
        assert result["failed"] and result["msg"].startswith(
            "Nothing was done. Destroying demo powers off its machines: confirm with"
        )
        assert served.bmc.log == []

    def test_a_machine_without_record_is_named_and_stays(self, call: Any, served: Any, tmp_path: Path) -> None:
        result = call(destroy_plan, hosts=hosts(served), touch=touch(tmp_path / "demo", confirm=["demo"]))
        assert outcome(result["decision"]) == ("13", "leave")
        assert (result["removal"]["power_off"], result["removal"]["keep_objects"]) == ([], ["node-1"])
        assert "node-1 is not changed" in result["removal"]["summary"]

    @pytest.mark.parametrize(
        ("entry", "more", "stops"),
        [
            ({"name": "worker-9", "macs": [OTHER_MAC]}, {}, True),
            ({"name": "worker-9", "macs": [OTHER_MAC]}, {"method": "assisted", "assisted": NO_SERVICE}, True),
            ({"name": "worker-9", "macs": [OTHER_MAC]}, {"force": ["take_over", "start_over", "abandon_hub"]}, True),
            ({"name": "worker-9", "macs": [OTHER_MAC]}, {"force": ["abandon_hosts"]}, False),
            ({"name": "worker-9", "macs": [OTHER_MAC], "state": "released"}, {}, False),
            # The inventory has another name for the machine, or another network card in it.
            ({"name": "blade-7", "macs": [MAC]}, {}, False),
            ({"name": "node-1", "macs": [OTHER_MAC]}, {}, False),
            # A hub has the machines of a hosted cluster, and of Cluster API.
            ({"name": "worker-9", "macs": [OTHER_MAC]}, {"method": "hosted"}, False),
            ({"name": "worker-9", "macs": [OTHER_MAC]}, {"method": "capi"}, False),
        ],
    )
    def test_a_machine_that_left_the_inventory(
        self, call: Any, served: Any, tmp_path: Path, entry: dict[str, Any], more: dict[str, Any], stops: bool
    ) -> None:
        """Its power would stay on, and the only record of it would be deleted."""
        deployed(tmp_path / "demo", "installed")
        method = str(more.get("method", "agent"))
        machine = {"state": "booted", "method": method, "macs": entry["macs"], "at": "2026-01-01T00:00:00Z"}
        machine |= {"state": entry["state"]} if "state" in entry else {}
        with StateFile(tmp_path / "demo" / "state.json").edit() as document:
            document["machines"] = {entry["name"]: machine}
            document["install"]["method"] = method
        result = call(destroy_plan, hosts=hosts(served), touch=touch(tmp_path / "demo", confirm=["demo"], **more))
        decided = result.get("decision") or result
        rows = {host["name"]: (host["row"], host["outcome"]) for host in decided["hosts"]}
        assert (rows.get("worker-9") == ("3a", "stop")) is stops, result
        if stops:
            words = ("worker-9: state.json records", "no host of this cluster in the inventory", "abandon_hosts")
            assert result["failed"] and all(word in result["msg"] for word in words), result["msg"]
        elif "force" in more:
            assert "worker-9 is not changed: state.json records" in result["removal"]["summary"]

    def test_groups_with_other_names_leave_no_machine_on(self, call: Any, tmp_path: Path) -> None:
        """The inventory has no hosts then."""
        deployed(tmp_path / "demo", "installed")
        entry = {"state": "booted", "method": "agent", "macs": [MAC]}
        StateFile(tmp_path / "demo" / "state.json").update("machines", {f"node-{number}": entry for number in (1, 2)})
        result = call(destroy_plan, hosts=[], touch=touch(tmp_path / "demo", hosts=[], confirm=["demo"]))
        assert (
            result["failed"]
            and "node-1, node-2: state.json records that this deployment booted it or took it over" in result["msg"]
        )

    def test_hosts_of_another_method_are_not_missing(self, call: Any, tmp_path: Path) -> None:
        """They are in the groups of that method, which the message has to name."""
        deployed(tmp_path / "demo", "installed")
        state = StateFile(tmp_path / "demo" / "state.json")
        state.update("machines", {"node-1": {"state": "booted", "method": "hosted", "macs": [MAC]}})
        state.update("install", {"method": "hosted"})
        result = call(destroy_plan, hosts=[], touch=touch(tmp_path / "demo", hosts=[], confirm=["demo"]))
        assert result["failed"] and "hosted" in result["msg"] and "abandon_hosts" not in result["msg"], result["msg"]

    def test_the_machines_of_a_hosted_cluster_are_not_read(self, call: Any, served: Any, tmp_path: Path) -> None:
        call(destroy_plan, hosts=hosts(served), touch=touch(tmp_path / "demo", confirm=["demo"], method="hosted"))
        assert served.bmc.log == []
