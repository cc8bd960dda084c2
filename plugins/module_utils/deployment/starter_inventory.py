# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write a first inventory, with comments, from the user's answers to a few questions.

Values without an answer are left blank, and the check of the variables names each with its line.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..common.errors import InvalidInput, ZeroTouchError
from ..common.files import write_atomic
from ..common.problems import INVALID, UNKNOWN_FIELD, UNSUPPORTED, OwnCheck, Problem, nearest

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_DOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+")
_VERSION = re.compile(r"\d+\.\d+\.\d+(-[\w.]+)?")
_problem = OwnCheck("settings")
# Control planes that the installer knows.
_CONTROL_PLANES = (1, 3, 4, 5)
_MOST_WORKERS = 1000
# Drives of a host that are listed; storage servers have some hundred.
_MOST_DRIVES = 24
# It holds no secret.
_MODE = 0o644


@dataclasses.dataclass(frozen=True)
class StarterAnswers:
    """Texts; empty: left blank. ``first_address`` is that of the first host, the others follow."""

    name: str = ""
    base_domain: str = ""
    version: str = ""
    machine_network: str = ""
    gateway: str = ""
    dns_server: str = ""
    first_address: str = ""
    api_vip: str = ""
    ingress_vip: str = ""
    control_plane: int = 3
    workers: int = 0


@dataclasses.dataclass(frozen=True)
class StarterMachine:
    """A machine as its BMC shows it.

    ``bmc`` is what the inventory says of the BMC, ``fault`` why it could not be read.
    """

    bmc: Mapping[str, Any]
    macs: tuple[str, ...] = ()
    model: str = ""
    drives: tuple[Mapping[str, Any], ...] = ()
    fault: str = ""


def read_machines(bmcs: Sequence[Mapping[str, Any]], read: Sequence[Mapping[str, Any]]) -> list[StarterMachine]:
    """The machines of the BMCs, without passwords.

    ``read`` is the result of module bmc_info, whose hosts are named by their addresses.
    """
    found = {str(host.get("name")): host for host in read}
    return [_machine(bmc, found.get(bmc["address"], {"failed": True, "reason": "It was not read."})) for bmc in bmcs]


def _machine(bmc: Mapping[str, Any], host: Mapping[str, Any]) -> StarterMachine:
    known = {
        key: bmc[key]
        for key in ("address", "username", "validate_certs", "ca_cert", "fingerprint")
        if bmc.get(key) is not None
    }
    model = " ".join(str(host[key]) for key in ("vendor", "model", "serial") if host.get(key))
    return StarterMachine(
        known,
        tuple(host.get("mac_addresses") or ()),
        model,
        tuple(host.get("drives") or ()),
        str(host.get("reason") or "unknown") if host.get("failed") else "",
    )


def read_answers(options: Mapping[str, Any]) -> tuple[StarterAnswers, list[Problem]]:
    """The answers, and everything that is wrong with them. Never raises."""
    problems: list[Problem] = []
    texts: dict[str, Any] = {key: str(options.get(key) or "").strip() for key in _TESTS}
    for key, text in texts.items():
        if text and not _TESTS[key](text):
            problems.append(_problem(key, INVALID, f"must be {_MEANT[key]}", value=text))
    numbers: dict[str, Any] = {}
    for key, allowed in (("control_plane", _CONTROL_PLANES), ("workers", range(_MOST_WORKERS + 1))):
        text = str(options[key] if options.get(key) is not None else "").strip() or str(
            {"control_plane": 3, "workers": 0}[key]
        )
        if not text.isdigit() or int(text) not in allowed:
            values = ", ".join(map(str, _CONTROL_PLANES)) if key == "control_plane" else f"0 to {_MOST_WORKERS}"
            problems.append(_problem(key, UNSUPPORTED, f"supported values: {values}", value=text))
            continue
        numbers[key] = int(text)
    return dataclasses.replace(StarterAnswers(), **texts, **numbers), problems


def _is(kind: Any) -> Any:
    def test(text: str) -> bool:
        try:
            kind(text)
        except ValueError:
            return False
        return True

    return test


_TESTS: Mapping[str, Any] = {
    "name": _NAME.fullmatch,
    "base_domain": _DOMAIN.fullmatch,
    "version": _VERSION.fullmatch,
    "machine_network": _is(ipaddress.ip_network),
    "gateway": _is(ipaddress.ip_address),
    "dns_server": _is(ipaddress.ip_address),
    "first_address": _is(ipaddress.ip_address),
    "api_vip": _is(ipaddress.ip_address),
    "ingress_vip": _is(ipaddress.ip_address),
}
_KEYS = (*_TESTS, "control_plane", "workers")
_MEANT = {
    "name": "a name of lower case letters, digits and -",
    "base_domain": "a domain, such as example.com",
    "version": "a release, such as 4.22.0",
    "machine_network": "a network, such as 10.0.0.0/24",
    **dict.fromkeys(("gateway", "dns_server", "first_address", "api_vip", "ingress_vip"), "an IP address"),
}


def write_starter(
    dest: Path,
    options: Mapping[str, Any],
    machines: Sequence[StarterMachine] = (),
    *,
    overwrite: bool,
    check_mode: bool,
) -> tuple[bool, int]:
    """Write the inventory; whether the file changed, and how many blanks it has.

    Raises :class:`InvalidInput` for wrong answers, and :class:`ZeroTouchError` for a file that must not be overwritten.
    """
    problems = [
        _problem(str(key), UNKNOWN_FIELD, f"known: {', '.join(_KEYS)}", hint=nearest(str(key), _KEYS))
        for key in options
        if key not in _KEYS
    ]
    answers, wrong = read_answers(options)
    if problems or wrong:
        raise InvalidInput(
            [dataclasses.replace(problem, path=f"openshift_init.{problem.path}") for problem in [*problems, *wrong]]
        )
    text = starter_inventory(_counted(answers, options, machines), machines)
    exists = dest.exists()
    if exists and dest.read_bytes() == text.encode():
        return False, text.count('""') - 1
    if exists and not overwrite:
        raise ZeroTouchError(
            f"{dest} exists, and is left as it is.",
            ("Name another file in openshift_init.dest, or set openshift_init.overwrite: true."),
        )
    if not check_mode:
        write_atomic(dest, text, mode=_MODE)
    # The comment at the beginning has one too.
    return True, text.count('""') - 1


def _counted(answers: StarterAnswers, options: Mapping[str, Any], machines: Sequence[StarterMachine]) -> StarterAnswers:
    """With machines, all of them are hosts: those that are not in the control plane are workers."""
    count = sum(not machine.fault for machine in machines)
    if options.get("control_plane") is None and 0 < count < answers.control_plane:
        answers = dataclasses.replace(answers, control_plane=1)
    return dataclasses.replace(answers, workers=max(answers.workers, count - answers.control_plane))


def starter_inventory(answers: StarterAnswers, machines: Sequence[StarterMachine] = ()) -> str:
    """The text of the inventory. Secrets are references to variables of a vault."""
    usable = iter([machine for machine in machines if not machine.fault])
    addresses = _addresses(answers)
    names = (
        [f"master-{number}" for number in range(answers.control_plane)],
        [f"worker-{number}" for number in range(answers.workers)],
    )
    hosts = iter(addresses)
    groups = [
        _group("control_plane", names[0], hosts, usable, answers),
        *([_group("workers", names[1], hosts, usable, answers)] if answers.workers else []),
    ]
    vips = (
        _VIPS.format(api=_quoted(answers.api_vip), ingress=_quoted(answers.ingress_vip))
        if answers.control_plane > 1
        else ""
    )
    return _FILE.format(
        name=_quoted(answers.name),
        base_domain=_quoted(answers.base_domain),
        version=_quoted(answers.version),
        platform="baremetal" if answers.control_plane > 1 else "none",
        vips=vips,
        network=_quoted(answers.machine_network),
        rendezvous=_quoted(addresses[0]),
        groups="".join(groups)
        + "".join(
            _UNREAD.format(bmc=_flow(machine.bmc), reason=_comment(machine.fault))
            for machine in machines
            if machine.fault
        ),
    )


def _addresses(answers: StarterAnswers) -> list[str]:
    """One for each host, empty where they are not known; addresses of the cluster are left out."""
    count = answers.control_plane + answers.workers
    if not answers.first_address:
        return [""] * count
    taken = {answers.api_vip, answers.ingress_vip, answers.gateway, answers.dns_server}
    first, found = ipaddress.ip_address(answers.first_address), []
    for offset in range(count + len(taken)):
        address = str(first + offset)
        if address not in taken:
            found.append(address)
    return found[:count]


def _group(name: str, hosts: list[str], addresses: Any, machines: Any, answers: StarterAnswers) -> str:
    length = str(ipaddress.ip_network(answers.machine_network).prefixlen) if answers.machine_network else '""'
    gateway, server = _quoted(answers.gateway), _quoted(answers.dns_server or answers.gateway)
    family, default = ("ipv6", "::/0") if ":" in answers.first_address else ("ipv4", "0.0.0.0/0")
    entries = [
        _HOST.format(
            name=host,
            address=_quoted(next(addresses)),
            length=length,
            gateway=gateway,
            dns=server,
            family=family,
            default=default,
            **_of_machine(next(machines, _UNKNOWN)),
        )
        for host in hosts
    ]
    return f"    {name}:\n      hosts:\n{''.join(entries)}"


_UNKNOWN = StarterMachine({"address": ""})


def _of_machine(machine: StarterMachine) -> dict[str, str]:
    """The parts of a host's text that come from its BMC.

    Which of its networks the machine boots from is not known: the first one is taken.
    """
    listed = _comment(", ".join(machine.macs[1:]))
    others = f"            # Its other MAC addresses: {listed}\n" if listed else ""
    model = f"            # {_comment(machine.model)}\n" if machine.model else ""
    return {
        "bmc": _flow(machine.bmc),
        "mac": _quoted(machine.macs[0] if machine.macs else ""),
        "others": others,
        "model": model,
        "hints": _hints(machine.drives),
    }


def _hints(drives: Sequence[Mapping[str, Any]]) -> str:
    """One commented line for each drive, of which the user takes one."""
    if not drives:
        return "            # root_device_hints: {deviceName: /dev/sda}\n"
    lines = [
        "            # The disk to install to: remove the # of one line. Volumes of a RAID controller have other names."
    ]
    lines += [f"            # root_device_hints: {_hint(drive)}  # {_drive(drive)}" for drive in drives[:_MOST_DRIVES]]
    further = len(drives) - _MOST_DRIVES
    if further > 0:
        lines.append(f"            # {further} more drives are not listed.")
    return "".join(f"{line}\n" for line in lines)


def _hint(drive: Mapping[str, Any]) -> str:
    """By serial number; without one by what the drives of a model and size have in common."""
    if drive.get("serial"):
        return _flow({"serialNumber": _comment(str(drive["serial"]))})
    gigabytes = int(drive.get("size") or 0) // 10**9
    hint = {"model": _comment(str(drive["model"]))} if drive.get("model") else {}
    return _flow({**hint, **({"minSizeGigabytes": gigabytes} if gigabytes else {})} or {"deviceName": "/dev/sda"})


def _drive(drive: Mapping[str, Any]) -> str:
    gigabytes = int(drive.get("size") or 0) // 10**9
    size = f"{gigabytes} GB" if gigabytes else ""
    words = [str(drive.get(key) or "") for key in ("protocol", "media_type", "model")]
    return _comment(" ".join(filter(None, [size, *words])))


def _flow(values: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {json.dumps(value)}" for key, value in values.items()) + "}"


def _comment(text: str) -> str:
    """One line of printable characters: a BMC must not add lines to the inventory."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _quoted(text: str) -> str:
    return json.dumps(text)


_FILE = """\
# Inventory of one OpenShift cluster for the collection zerotouch.openshift. Fill in every "" and compare the rest with your rack, then:
#   ansible-playbook zerotouch.openshift.validate -i THIS-FILE        # mistakes, with their lines; contacts nothing
#   ansible-playbook zerotouch.openshift.preflight -i THIS-FILE       # the rack; reads only
#   ansible-playbook zerotouch.openshift.deploy_cluster -i THIS-FILE
# All keys: docs/reference/variables.md of the collection.
all:
  vars:
    openshift_cluster:
      name: {name}
      base_domain: {base_domain}
      version: {version}
      platform: {platform}
{vips}      # The network of the hosts.
      machine_networks: [{network}]
      # The host that runs the installation: the address of one of the control plane.
      rendezvous_ip: {rendezvous}
      # ntp_sources: [ntp.example.com]
      # Secrets are in a vault: ansible-vault create group_vars/all/vault.yml, with the three variables below.
      pull_secret: "{{{{ vault_pull_secret }}}}"
      ssh_public_keys: ["{{{{ vault_ssh_public_key }}}}"]
    # The CoreOS live ISO of the release. A run may also set it with -e.
    # openshift_base_image: {{release: auto}}  # or a file: {{path: /srv/images/rhcos-live-iso.x86_64.iso}}
    openshift_host_defaults:
      bmc:
        username: admin
        password: "{{{{ vault_bmc_password }}}}"
        # The certificate of the BMC is verified. ca_cert names its CA; validate_certs: false trusts any.
        # ca_cert: bmc-ca.pem
  children:
{groups}"""  # noqa: E501
_UNREAD = """\
    # This BMC could not be read, so its machine is not a host above: {reason}
    #     openshift_host:
    #       bmc: {bmc}
"""
_VIPS = """\
      # Addresses of the API and of the routes, free now, in the network of the hosts; api.NAME.DOMAIN and *.apps.NAME.DOMAIN lead to them.
      api_vips: [{api}]
      ingress_vips: [{ingress}]
"""  # noqa: E501
_HOST = """\
        {name}:
          openshift_host:
            # redfish-virtualmedia+https://HOST/redfish/v1/Systems/ID; without a path the only System is taken.
{model}            bmc: {bmc}
            # The MAC address identifies the machine: a BMC of another machine is refused.
            interfaces: [{{name: eno1, mac_address: {mac}}}]
{others}{hints}            network_config:
              interfaces:
                - name: eno1
                  type: ethernet
                  state: up
                  {family}: {{enabled: true, dhcp: false, address: [{{ip: {address}, prefix-length: {length}}}]}}
              dns-resolver: {{config: {{server: [{dns}]}}}}
              routes: {{config: [{{destination: {default}, next-hop-address: {gateway}, next-hop-interface: eno1}}]}}
"""
