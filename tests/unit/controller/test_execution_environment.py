# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the definitions of the execution environments, and the queries by which an automation controller counts managed
nodes (extensions/audit/event_query.yml).
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.in_process import fits_an_event

jq = pytest.importorskip("jq")
ROOT = Path(__file__).parents[3]
BUILDER = Path(sys.executable).parent / "ansible-builder"
DEFINITIONS = ("execution-environment.yml", "execution-environment-libvirt.yml")
QUERIES = yaml.safe_load((ROOT / "extensions" / "audit" / "event_query.yml").read_text())
MACHINES = 1000


@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.skipif(not BUILDER.exists(), reason="ansible-builder is not installed")
def test_the_builder_takes_the_definition(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [str(BUILDER), "create", "-f", str(ROOT / name), "-c", str(tmp_path / "context")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    context = tmp_path / "context" / "_build"
    assert "zerotouch.openshift" in (context / "requirements.yml").read_text()
    excluded = [path.read_text() for path in context.glob("exclude*")]
    assert any("openshift-clients" in text for text in excluded), sorted(path.name for path in context.iterdir())
    assert ("python3-libvirt" in "".join(path.read_text() for path in context.glob("bindep*"))) is ("libvirt" in name)


@pytest.mark.skipif(not BUILDER.exists(), reason="ansible-builder is not installed")
def test_the_builder_finds_our_requirements(tmp_path: Path) -> None:
    """The collection names Python libraries, and no system package."""
    base = tmp_path / "ansible_collections" / "zerotouch"
    base.mkdir(parents=True)
    (base / "openshift").symlink_to(ROOT)
    done = subprocess.run(
        [str(BUILDER), "introspect", "--sanitize", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = yaml.safe_load(done.stdout)
    libraries = {text.split(">")[0].split("#")[0].strip().lower() for text in found["python"]}
    assert {"kubernetes", "netaddr", "cryptography"} <= libraries and not found["system"], found


def bmc_host(number: int) -> dict[str, Any]:
    mac = f"52:54:00:00:{number // 256:02x}:{number % 256:02x}"
    return {
        "name": f"worker-{number}",
        "failed": False,
        "uuid": f"0000-{number}",
        "serial": f"S{number}",
        "mac_addresses": [mac],
    }


SAMPLES: dict[str, dict[str, Any]] = {
    "bmc_info": {"hosts": [bmc_host(1), {"name": "worker-2", "failed": True, "reason": "no answer"}]},
    "boot_hosts": {"hosts": [{"name": "worker-1", "failed": False}, {"name": "worker-2", "failed": True}]},
    "agents_info": {
        "agents": [{"name": "a", "hostname": "worker-1", "serial_number": "S1", "macs": ["52:54:00:00:00:01"]}]
    },
}


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_gives_the_machines(name: str) -> None:
    module = name.rpartition(".")[2]
    (found,) = jq.compile(QUERIES[name]["query"]).input_value(SAMPLES[module]).all()
    assert found["name"] == "worker-1" and all(found["canonical_facts"].values())
    assert set(found["facts"]) == {"infra_type", "infra_bucket", "device_type"}
    assert jq.compile(QUERIES[name]["query"]).input_value({"failed": True, "msg": "no connection"}).all() == []


@pytest.mark.parametrize("name", QUERIES)
def test_the_members_of_a_query_are_results_of_the_module(name: str) -> None:
    module = name.rpartition(".")[2]
    returned = yaml.safe_load(
        importlib.import_module(f"ansible_collections.zerotouch.openshift.plugins.modules.{module}").RETURN
    )
    for member, entries in SAMPLES[module].items():
        assert {key for entry in entries for key in entry} <= returned[member]["contains"].keys()


def longest(documented: dict[str, Any]) -> Any:
    """A value of a result that is as long as such values become: words of 12 characters, lists of two."""
    kind = documented.get("type", "str")
    if kind == "list":
        return [longest({**documented, "type": documented.get("elements", "str")})] * 2
    if kind == "dict":
        return {key: longest(child) for key, child in (documented.get("contains") or {}).items()}
    return {"bool": False, "int": 100, "float": 1.5}.get(kind, "x" * 12)


@pytest.mark.parametrize("module", ["bmc_info", "boot_hosts"])
def test_results_of_many_machines_fit_an_event(module: str) -> None:
    """Without the arguments of the call, which are left out of a result that would be too large, and without what an
    option adds, which says so in its description.
    """
    returned = yaml.safe_load(
        importlib.import_module(f"ansible_collections.zerotouch.openshift.plugins.modules.{module}").RETURN
    )
    contains = returned["hosts"]["contains"]
    one = {key: longest(child) for key, child in contains.items() if not child.get("returned", "").startswith("with ")}
    result = {"hosts": [one] * MACHINES, "changed": True, "failed": False}
    print(f"{module}: {len(str(result))} characters for {MACHINES} machines")
    assert fits_an_event(result)
    assert not fits_an_event(
        {
            **result,
            "invocation": {
                "module_args": {"hosts": [{**one, "bmc": {"address": "x" * 60, "ca_cert": "x" * 600}}] * MACHINES}
            },
        }
    )
