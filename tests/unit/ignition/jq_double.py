# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""A replacement for jq on machines without it. It implements exactly the filters that the live system's scripts use."""

from __future__ import annotations

import json
import re
import sys

_SECRET = re.compile("pull_secret|token|password|ssh_|kubeconfig", re.IGNORECASE)


def first(data: list, name: str) -> object:
    return data[0].get(name) if data else None


def mac_of(data: list, address: str) -> object:
    for interface in data:
        if any(info.get("local") == address for info in interface.get("addr_info", [])):
            return interface["address"]
    return None


def describe(data: list) -> str:
    if not data:
        return "The cluster is not registered yet."
    cluster = data[0]
    name, info = cluster.get("name") or "", cluster.get("status_info") or ""
    status = cluster.get("status") or "unknown"
    return f"Cluster {name} is {status}: {info}"


def without_secrets(data: object) -> object:
    if isinstance(data, dict):
        return {key: without_secrets(value) for key, value in data.items() if not _SECRET.search(key)}
    return [without_secrets(value) for value in data] if isinstance(data, list) else data


def host_row(host: dict) -> str:
    macs = [
        interface["mac_address"].lower()
        for interface in json.loads(host.get("inventory") or "{}").get("interfaces", [])
    ]
    return "\t".join([host.get("id") or "", host.get("role") or "", *macs])


def record(values: dict[str, str]) -> dict[str, str]:
    return {key: values[key] for key in ("timestamp", "stage", "phase", "result") if key != "result" or values[key]}


FILTERS = (
    ("{timestamp: $timestamp", lambda data, values: record(values)),
    (".[] | [.id, .role, (.inventory", lambda data, values: "\n".join(host_row(host) for host in data)),
    (".[0][$name] // empty", lambda data, values: first(data, values["name"])),
    (".[0].id // empty", lambda data, values: first(data, "id")),
    (
        '[.[] | select(.status == "known")] | length',
        lambda data, values: sum(1 for host in data if host.get("status") == "known"),
    ),
    ("first(.[] | select(any(.addr_info[]?;", lambda data, values: mac_of(data, values["ip"])),
    ('if length == 0 then "The cluster is not registered yet."', lambda data, values: describe(data)),
    ("walk(", lambda data, values: without_secrets(data)),
)


def main(arguments: list[str]) -> int:
    values: dict[str, str] = {}
    program = ""
    raw = join = compact = nothing = False
    while arguments:
        argument = arguments.pop(0)
        if argument == "--arg":
            name = arguments.pop(0)
            values[name] = arguments.pop(0)
        elif argument == "--raw-output":
            raw = True
        elif argument == "--compact-output":
            compact = True
        elif argument == "--null-input":
            nothing = True
        elif argument == "--join-output":
            join = True
        else:
            program = argument.strip()
    action = next((action for text, action in FILTERS if program.startswith(text)), None)
    if action is None:
        sys.stderr.write(f"this stand-in does not know the filter {program}\n")
        return 3
    text = "null" if nothing else sys.stdin.read()
    if not text.strip():
        return 0
    result = action(json.loads(text), values)
    if result is not None:
        written = json.dumps(result, separators=(",", ":") if compact else None)
        if raw and isinstance(result, str):
            written = result
        sys.stdout.write(written + ("" if join else "\n"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
