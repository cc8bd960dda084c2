# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Read an inventory through Ansible, so that the variables have resolved templates and decrypted vaults, as in the
playbooks.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ..commands import CommandError

_STRUCTURES = ("host", "defaults", "cluster", "hub", "checks", "assisted", "capi", "hosted")
_GROUPS = "{'control_plane': 'control_plane', 'workers': 'workers', 'arbiters': 'arbiters'}"
# A hosted cluster has no hosts: its nodes come from the spare machines of its pools.
_SPARES = (
    "{% set pool = openshift_node_pool | default({}) %}"
    "{% set spares = {'spare': (pool.spare_group | default('spares')) if pool is mapping else 'spares'} %}"
    "{% set hosted = openshift_install_method | default('') == 'hosted' %}"
)
# Values of a host are its own, those of the cluster are the same for all of its hosts.
_DUMP = (
    _SPARES
    + "[{% for role, group in ((openshift_groups | default("
    + _GROUPS
    + ")) | combine(spares if hosted else {})).items() %}"
    "{% for host in groups[group] | default([]) %}"
    "{{ {'name': host, 'role': role, 'host': hostvars[host].openshift_host | default({}),"
    " 'defaults': hostvars[host].openshift_host_defaults | default({}), 'cluster': hostvars[host].openshift_cluster | "
    "default({}),"
    " 'config_dir': hostvars[host].openshift_config_dir | default(''), 'method': "
    "hostvars[host].openshift_install_method | default('agent'),"
    " 'hub': hostvars[host].openshift_hub | default({}), 'checks': hostvars[host].openshift_checks | default({}),"
    " 'assisted': hostvars[host].openshift_assisted | default({}), 'capi': hostvars[host].openshift_capi | default({}),"
    " 'hosted': hostvars[host].openshift_hosted_cluster | default({})} | to_json }},"
    "{% endfor %}{% endfor %}null]"
)


def read_inventory(inventories: Sequence[str], extra_vars: Sequence[str]) -> list[dict[str, Any]]:
    """One entry per host: name, role (group), host, defaults, cluster, config_dir, method, hub, checks, assisted, capi,
    hosted. Structures that are strings of YAML are parsed.

    Raises CommandError with Ansible's words.
    """
    program = Path(sys.executable).with_name("ansible-playbook")
    command = str(program) if program.exists() else shutil.which("ansible-playbook")
    if command is None:
        raise CommandError("ansible-playbook is not installed here")
    with tempfile.TemporaryDirectory(prefix="ztlab-") as directory:
        result = Path(directory, "inventory.json")
        playbook = Path(directory, "dump.yml")
        playbook.write_text(json.dumps(_playbook(result)), encoding="utf-8")
        words = [
            command,
            str(playbook),
            *(word for path in inventories for word in ("-i", path)),
            *(word for text in extra_vars for word in ("-e", text)),
        ]
        environment = os.environ | {"ANSIBLE_RETRY_FILES_ENABLED": "0", "ANSIBLE_NOCOLOR": "1"}
        done = subprocess.run(
            words, capture_output=True, text=True, check=False, env=environment, stdin=subprocess.DEVNULL
        )
        if done.returncode or not result.exists():
            lines = [
                line
                for line in (done.stdout + done.stderr).splitlines()
                if "fatal" in line or "ERROR" in line or "rror:" in line
            ]
            raise CommandError(
                "Ansible cannot read the inventory: " + ("\n".join(lines) or done.stderr or done.stdout).strip()
            )
        entries = [_parsed(entry) for entry in json.loads(result.read_text(encoding="utf-8")) if entry]
    if not entries:
        raise CommandError(
            "the inventory has no host in the groups control_plane, workers or arbiters (or those of "
            "openshift_groups), nor spare machines of a hosted cluster"
        )
    return entries


def _parsed(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Surveys of a controller have no mappings: a structure may be a string of YAML or JSON. Raises CommandError."""
    found = dict(entry)
    for key in _STRUCTURES:
        if isinstance(found[key], str):
            try:
                found[key] = yaml.safe_load(found[key]) or {}
            except yaml.YAMLError as error:
                raise CommandError(f"the variable for {key} is no YAML: {getattr(error, 'problem', error)}") from error
        if not isinstance(found[key], dict):
            raise CommandError(f"the variable for {key} of {entry['name']} must be a mapping")
    return found


def _playbook(result: Path) -> list[dict[str, Any]]:
    task = {"ansible.builtin.copy": {"dest": str(result), "content": _DUMP, "mode": "0600"}, "no_log": True}
    python = {"ansible_python_interpreter": "{{ ansible_playbook_python }}"}
    return [{"hosts": "localhost", "connection": "local", "gather_facts": False, "vars": python, "tasks": [task]}]


def read_config_dir(directory: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """(install-config, agent-config) of a configuration directory, empty where a file is missing.

    Raises CommandError.
    """
    documents = []
    for name in ("install-config.yaml", "agent-config.yaml"):
        path = Path(directory).expanduser() / name
        try:
            document = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}
        except yaml.YAMLError as error:
            # A draft does not need what a broken line says; the playbooks report the mistake with its place.
            raise CommandError(f"{path} is no YAML: {getattr(error, 'problem', error)}; correct it first") from error
        documents.append(document if isinstance(document, dict) else {})
    return documents[0], documents[1]
