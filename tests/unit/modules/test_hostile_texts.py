# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test modules against services that repeat credentials or send control characters: neither appears in the result or in
the output of Ansible.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.modules import assisted_info, bmc_info, hub_plan

from tests.support.hostile.echoes import ECHOES, assisted, echoing, kubernetes, redfish, traces
from tests.support.hostile.terminals import PAYLOADS, harmful

ROOT = Path(__file__).parents[3]
USER = "root"
FORGED = "\nok: [localhost]\nPLAY RECAP\n"


def bmc_arguments(endpoint: str, password: str) -> dict[str, Any]:
    address = f"redfish-virtualmedia+http://{endpoint}/redfish/v1/Systems/1"
    return {"hosts": [{"name": "node-1", "bmc": {"address": address, "username": USER, "password": password}}]}


def assisted_arguments(endpoint: str, password: str) -> dict[str, Any]:
    return {"service_url": f"http://{endpoint}", "token": password}


def hub_arguments(endpoint: str, password: str) -> dict[str, Any]:
    return {"host": f"http://{endpoint}", "username": USER, "password": password, "namespace": "edge", "hosts": []}


CASES = {
    "bmc": (bmc_info, bmc_arguments, redfish),
    "assisted": (assisted_info, assisted_arguments, assisted),
    "hub": (hub_plan, hub_arguments, kubernetes),
}


def opened(module: Any, arguments: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The result as Ansible gets it, without the arguments, and all lines and warnings."""
    lines: list[str] = []
    defaults = {name: spec.get("default") for name, spec in module.argument_spec().items()}
    call = Call({**defaults, **arguments}, show=lines.append)
    result = perform(module.run, call)
    result.pop("invocation")
    return result, lines + call.warnings


@pytest.mark.parametrize("password", ["correct-horse-battery", "p@ss/w+rd %1<&>", "calvin"])
@pytest.mark.parametrize("form", ECHOES)
@pytest.mark.parametrize("case", CASES)
def test_a_service_that_repeats_credentials(case: str, form: str, password: str) -> None:
    module, arguments, reply = CASES[case]
    with echoing(lambda seen: ECHOES[form](USER, password), reply) as service:
        result, lines = opened(module, arguments(service.endpoint, password))
    shown = [str(result), *lines]
    assert result["failed"] and "<hidden>" in result["msg"]
    assert [trace for trace in traces(password, USER) for text in shown if trace in text] == []


@pytest.mark.parametrize("case", CASES)
def test_a_service_that_repeats_the_whole_request(case: str) -> None:
    module, arguments, reply = CASES[case]
    with echoing(lambda seen: f"bad request: {seen}", reply) as service:
        result, lines = opened(module, arguments(service.endpoint, "correct-horse-battery"))
    assert result["failed"]
    assert [trace for trace in traces("correct-horse-battery", USER) if trace in str(result) + str(lines)] == []


@pytest.mark.parametrize("case", CASES)
def test_a_password_of_one_letter(case: str) -> None:
    module, arguments, reply = CASES[case]
    with echoing(lambda seen: ECHOES["JSON"](USER, "a") + " of a user at a host", reply) as service:
        result, _lines = opened(module, arguments(service.endpoint, "a"))
    assert '"Password": "<hidden>"} of a user at a host' in result["msg"]


@pytest.mark.parametrize("form", ["basic", "quoted", "JSON"])
def test_a_hub_that_repeats_a_token_which_no_option_holds(form: str, tmp_path: Path) -> None:
    """The token is in a file that only the client reads, as session tokens of BMCs are known to their client alone."""
    token = "sha256~oauth-access-token"
    with echoing(lambda seen: ECHOES[form](USER, token) if token in seen else "no token came", kubernetes) as service:
        kubeconfig = {
            "current-context": "a",
            "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
            "clusters": [{"name": "a", "cluster": {"server": f"http://{service.endpoint}"}}],
            "users": [{"name": "a", "user": {"token": token}}],
        }
        (tmp_path / "kubeconfig").write_text(yaml.safe_dump(kubeconfig))
        result, _lines = opened(
            hub_plan, {"kubeconfig": str(tmp_path / "kubeconfig"), "namespace": "edge", "hosts": []}
        )
    assert "<hidden>" in result["msg"]
    assert [trace for trace in traces(token, USER) if trace in str(result)] == []


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("case", CASES)
def test_a_service_that_attacks_the_terminal(case: str, payload: str) -> None:
    module, arguments, reply = CASES[case]
    with echoing(lambda seen: f"before {PAYLOADS[payload]} after", reply) as service:
        result, lines = opened(module, arguments(service.endpoint, "correct-horse-battery"))
    shown = json.dumps(result, ensure_ascii=False).replace("\\n", "") + "".join(lines)
    assert result["failed"] and "before " in result["msg"] and " after" in result["msg"]
    assert harmful(shown) == []


@pytest.mark.parametrize("case", CASES)
def test_a_service_cannot_forge_a_line(case: str) -> None:
    module, arguments, reply = CASES[case]
    with echoing(lambda seen: f"refused{FORGED}", reply) as service:
        result, _lines = opened(module, arguments(service.endpoint, "correct-horse-battery"))
    assert not any(line.startswith(("ok:", "PLAY")) for line in result["msg"].splitlines())


@pytest.fixture
def run_play(tmp_path: Path) -> Callable[[dict[str, Any]], subprocess.CompletedProcess[bytes]]:
    def run(task: dict[str, Any]) -> subprocess.CompletedProcess[bytes]:
        playbook = tmp_path / "play.yml"
        play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": [task]}
        playbook.write_text(
            yaml.safe_dump([{**play, "vars": {"ansible_python_interpreter": "{{ ansible_playbook_python }}"}}])
        )
        (tmp_path / "ansible.cfg").touch()
        environment = {
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build"),
            "ANSIBLE_LOCAL_TEMP": str(tmp_path / "tmp"),
            "ANSIBLE_CONFIG": str(tmp_path / "ansible.cfg"),
            "ANSIBLE_NOCOLOR": "1",
        }
        command = [sys.executable, "-m", "ansible", "playbook", "-vvv", "-i", "localhost,", str(playbook)]
        return subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False)

    return run


@pytest.mark.slow
@pytest.mark.parametrize("payloads_first", [True, False])
def test_a_hostile_bmc_in_a_run_of_ansible(
    run_play: Callable[[dict[str, Any]], subprocess.CompletedProcess[bytes]], payloads_first: bool
) -> None:
    """Everything at once, at the highest verbosity that users take, and both streams read as a terminal reads them;
    long texts are cut.
    """
    password = "p@ss/w+rd %1<&>"
    echoes = [echo(USER, password) for echo in ECHOES.values()]
    attack = " ".join(
        [*PAYLOADS.values(), FORGED, *echoes] if payloads_first else [*echoes, *PAYLOADS.values(), FORGED]
    )
    with echoing(lambda seen: attack, redfish) as service:
        done = run_play({"name": "Read", "zerotouch.openshift.bmc_info": bmc_arguments(service.endpoint, password)})
    assert done.returncode == 2
    output = (done.stdout + done.stderr).decode()
    shown = output.split("TASK [Read]", 1)[1]
    assert "1 of 1 hosts failed" in shown and ("x1b" in shown or "u001b" in shown or not payloads_first)
    assert "cm9vdDpw" not in shown, "the beginning of the login in base64"
    assert harmful(shown) == []
    # -vvv shows the task's own arguments in the playbook's file only by path.
    assert [trace for trace in traces(password, USER) if trace in shown] == []
    assert "\nok: [localhost]" not in shown
