# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test playbook init, which creates an inventory from arguments, from answers at a terminal, or with fields left empty.

The inventory passes validate after the user has filled these fields.
"""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import pty
import re
import select
import subprocess
import termios
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from .canaries import BMC_PASSWORD, PULL_SECRET
from .lab import BIN, ROOT, Deployment, Run, looked_through

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFFqxkMhK3Oo0Vb6wiwGPbtNBrNzlP3rl64oT6WvJqp5 lab@example.com"
SECRETS = {"vault_pull_secret": PULL_SECRET, "vault_ssh_public_key": KEY, "vault_bmc_password": BMC_PASSWORD}
ANSWERS = {
    "name": "demo",
    "base_domain": "example.com",
    "version": "4.22.0",
    "machine_network": "192.168.111.0/24",
    "gateway": "192.168.111.1",
    "first_address": "192.168.111.20",
    "api_vip": "192.168.111.21",
    "ingress_vip": "192.168.111.4",
    "workers": 2,
}


def play(playbook: str, directory: Path, *options: str, **keywords: Any) -> subprocess.Popen[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    environment = inherited | {
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build"),
        "ANSIBLE_NOCOLOR": "1",
        "PWD": str(directory),
    }
    command = [str(BIN / "ansible-playbook"), f"zerotouch.openshift.{playbook}", *options]
    return subprocess.Popen(command, cwd=directory, env=environment, text=True, **keywords)


def run(playbook: str, directory: Path, *options: str, **extra: Any) -> Run:
    variables = ["-e", json.dumps(extra)] if extra else []
    process = play(
        playbook,
        directory,
        *options,
        *variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    output = process.communicate(timeout=120)[0]
    return Run(process.returncode, looked_through(output))


def filled(text: str) -> str:
    """Every blank with a value: BMCs and MAC addresses, in their order."""
    numbers = itertools.count(1)
    text = re.sub(
        r'bmc: \{address: ""\}',
        lambda found: f"bmc: {{address: redfish-virtualmedia+https://10.0.0.{next(numbers)}}}",
        text,
    )
    macs = itertools.count(16)
    return re.sub(r'mac_address: ""', lambda found: f'mac_address: "52:54:00:00:00:{next(macs):02x}"', text)


def validated(directory: Path) -> Run:
    (directory / "vault.json").write_text(json.dumps(SECRETS))
    return run("validate", directory, "-i", "site.yml", "-e", "@vault.json")


def test_from_arguments(tmp_path: Path) -> None:
    """Addresses follow the first one, and those of the cluster are left out."""
    done = run("init", tmp_path, openshift_init=ANSWERS)
    assert done.ok and done.changed == 1 and "has 10 empty values" in done.output, done.output
    text = (tmp_path / "site.yml").read_text()
    assert re.findall(r"{ip: \"(192.168.111.\d+)\"", text) == [
        f"192.168.111.{number}" for number in (20, 22, 23, 24, 25)
    ]
    assert re.findall(r"^ +pull_secret: (.*)$", text, re.MULTILINE) == ['"{{ vault_pull_secret }}"']
    refused = validated(tmp_path)
    assert refused.code == 2, refused.output
    blanks = [number for number, line in enumerate(text.splitlines(), 1) if '""' in line][1:]
    named = {int(line) for line in re.findall(r"^site\.yml:(\d+): ", refused.message, re.MULTILINE)}
    assert named == set(blanks), refused.output
    (tmp_path / "site.yml").write_text(filled(text))
    passed = validated(tmp_path)
    assert passed.ok and "The variables are valid: 5 hosts" in passed.output, passed.output


def test_one_host(tmp_path: Path) -> None:
    answers = {key: value for key, value in ANSWERS.items() if "vip" not in key} | {"control_plane": "1", "workers": 0}
    assert run("init", tmp_path, openshift_init=json.dumps(answers)).ok
    (tmp_path / "site.yml").write_text(filled((tmp_path / "site.yml").read_text()))
    passed = validated(tmp_path)
    assert passed.ok and "1 host," in passed.output, passed.output


def test_without_a_terminal_every_value_is_blank(tmp_path: Path) -> None:
    done = run("init", tmp_path)
    assert done.ok and (tmp_path / "site.yml").is_file(), done.output
    refused = validated(tmp_path)
    blanks = {
        number for number, line in enumerate((tmp_path / "site.yml").read_text().splitlines(), 1) if '""' in line
    } - {1}
    named = {int(line) for line in re.findall(r"^site\.yml:(\d+): ", refused.message, re.MULTILINE)}
    # That the rendezvous host has no address follows from the addresses.
    assert blanks - named <= {19}, (blanks, named, refused.output)


def test_it_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "site.yml").write_text("mine\n")
    refused = run("init", tmp_path, openshift_init=ANSWERS)
    assert not refused.ok and "exists, and is left as it is" in refused.message and "overwrite" in refused.message, (
        refused.output
    )
    assert (tmp_path / "site.yml").read_text() == "mine\n"
    assert (
        run("init", tmp_path, openshift_init={**ANSWERS, "dest": "other.yml"}).ok and (tmp_path / "other.yml").is_file()
    )
    assert run("init", tmp_path, openshift_init={**ANSWERS, "overwrite": True}).changed == 1
    assert run("init", tmp_path, openshift_init=ANSWERS).changed == 0
    assert (tmp_path / "site.yml").read_text() == (tmp_path / "other.yml").read_text()


def test_wrong_answers_are_all_named(tmp_path: Path) -> None:
    refused = run(
        "init",
        tmp_path,
        openshift_init={"name": "Not A Name", "first_address": "10.0.0.300", "control_plane": 2, "nmae": "x"},
    )
    assert {problem["path"] for problem in refused.failure["problems"]} == {
        f"openshift_init.{key}" for key in ("name", "first_address", "control_plane", "nmae")
    }
    assert list(tmp_path.iterdir()) == []


def test_check_mode_writes_nothing(tmp_path: Path) -> None:
    done = run("init", tmp_path, "--check", openshift_init=ANSWERS)
    assert done.ok and f"would write {tmp_path}/site.yml" in done.output and list(tmp_path.iterdir()) == [], done.output


def test_from_bmcs(compact: Deployment, tmp_path: Path) -> None:
    """Machines of the lab become hosts, without a write to a BMC; the BMC that does not answer becomes a comment.

    The inventory passes validate.
    """
    inventory = json.loads(compact.inventory.read_text())
    hosts = [host["openshift_host"] for host in inventory["all"]["children"]["control_plane"]["hosts"].values()]
    addresses = [host["bmc"]["address"] for host in hosts]
    silent = "redfish-virtualmedia+https://10.0.0.250/redfish/v1/Systems/1"
    variables = {
        "openshift_bmc_defaults": {"username": "admin", "password": BMC_PASSWORD},
        **compact.lab.vars,
        "openshift_connect_to": {**compact.lab.vars["openshift_connect_to"], "10.0.0.250:443": "127.0.0.1:9"},
        "openshift_init": {**ANSWERS, "workers": 0, "bmcs": [{"address": address} for address in [*addresses, silent]]},
    }
    done = run("init", tmp_path, "-v", **variables)
    assert done.ok and "has 0 empty values" in done.output, done.output
    text = (tmp_path / "site.yml").read_text()
    assert BMC_PASSWORD not in text + done.output
    written = yaml.safe_load(text)["all"]["children"]["control_plane"]["hosts"]
    assert list(written) == ["master-0", "master-1", "master-2"]
    for ours, theirs in zip(written.values(), hosts, strict=True):
        found = ours["openshift_host"]
        assert found["bmc"] == {"address": theirs["bmc"]["address"], "username": "admin"}
        assert found["interfaces"][0]["mac_address"] in [interface["mac_address"] for interface in theirs["interfaces"]]
    (reason,) = re.findall(
        r"# This BMC could not be read, so its machine is not a host above: (.+)\n.*\n.*" + re.escape(silent), text
    )
    assert "10.0.0.250" in reason
    assert set(compact.lab.writes().values()) == {0}
    # The disks that the machines of the site have.
    rack = yaml.safe_load((ROOT / "inventories" / "demo" / "rack.yml").read_text())
    serials = [disk["serial"] for machine in rack["machines"][:3] for disk in machine["disks"]]
    assert re.findall(r'# root_device_hints: {serialNumber: "(.+)"}  # \d+ GB ', text) == serials
    passed = validated(tmp_path)
    assert passed.ok and "3 hosts" in passed.output, passed.output


def take_terminal() -> None:
    """The terminal at standard input is that of the process, as that of a shell is."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_at_a_terminal(tmp_path: Path) -> None:
    """Questions are answered one after the other; an empty answer leaves a blank."""
    answers = ["demo", "", "4.22.0", "", "2", "10.0.0.0/24", "10.0.0.1", "", "10.0.0.20", "", ""]
    ours, theirs = pty.openpty()
    process = play("init", tmp_path, stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=take_terminal)
    os.close(theirs)
    output, deadline = b"", time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        if not select.select([ours], [], [], 0.2)[0]:
            continue
        try:
            output += os.read(ours, 4096)
        except OSError:
            break
        if answers and output.count(b"(press Enter to fill it in later):") > 11 - len(answers):
            # Ansible discards what was typed before it reads, shortly after it has printed the question.
            time.sleep(0.5)
            os.write(ours, f"{answers.pop(0)}\r".encode())
    assert process.wait(timeout=60) == 0 and not answers, output.decode()
    text = (tmp_path / "site.yml").read_text()
    assert '      name: "demo"\n      base_domain: ""\n      version: "4.22.0"\n' in text
    assert text.count("openshift_host:") == 5 and 'ip: "10.0.0.24", prefix-length: 24' in text


@pytest.mark.parametrize("secret", SECRETS)
def test_secrets_are_references(secret: str, tmp_path: Path) -> None:
    run("init", tmp_path, openshift_init=ANSWERS)
    assert f"{{{{ {secret} }}}}" in (tmp_path / "site.yml").read_text()
