# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test playbook validate and the pre-commit hook: both report all mistakes in text, JSON and annotations, offline."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from .canaries import BMC_PASSWORD
from .conftest import canary_inventory
from .lab import BIN, ROOT, Deployment, Run, host_of, looked_through

# In a namespace without any network, not even a loopback interface.
ALONE = ("unshare", "--user", "--net", "--map-root-user")
PAGE = ROOT / "docs" / "how-to" / "before-the-window.md"


def run(command: list[str], directory: Path, **environment: str) -> Run:
    if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespaces for networks here")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "GITHUB_"))}
    own = {
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build"),
        "ANSIBLE_NOCOLOR": "1",
        "PWD": str(directory),
        "PATH": f"{BIN}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        [*ALONE, *command],
        cwd=directory,
        env=inherited | own | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Run(done.returncode, looked_through(done.stdout + done.stderr))


def command_of_page(heading: str) -> list[str]:
    """The first command below a heading of the how-to."""
    section = PAGE.read_text().partition(f"## {heading}\n")[2]
    found = re.search(r"^```bash\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert found, heading
    return shlex.split(found[1].replace("\\\n", " "))


def with_mistakes(inventory: dict[str, Any]) -> None:
    variables = inventory["all"]["vars"]
    variables["openshift_cluster"] |= {"api_vips": ["10.9.9.9"], "base_domian": "example.com"}
    variables["openshift_timeouts"] = {"boot": "soon"}
    host_of(inventory, "master-1")["bmc"]["address"] = "rdfish://10.0.0.12"
    host_of(inventory, "worker-1")["interfaces"][0]["mac_address"] = "52:54:00:de:00:3x"


MISTAKES = {
    "openshift_cluster.api_vips",
    "openshift_cluster.base_domian",
    "openshift_timeouts.boot",
    "openshift_host[master-1].bmc.address",
    "openshift_host[worker-1].interfaces[0].mac_address",
}


def test_a_valid_inventory(tmp_path: Path) -> None:
    """The inventory of the demo, with the command of the how-to."""
    (tmp_path / "site.yml").write_text((ROOT / "inventories" / "demo" / "hosts.yml").read_text())
    done = run(command_of_page("Validate"), tmp_path)
    assert done.ok and done.changed == 0, done.output
    assert "The variables are valid: 5 hosts, 1 warning." in done.output and "openshift_base_image" in done.output, (
        done.output
    )


def test_every_mistake_at_once(tmp_path: Path) -> None:
    data = json.loads(canary_inventory("demo", tmp_path, with_mistakes).read_text())
    (tmp_path / "site.yml").write_text(yaml.safe_dump(data, sort_keys=False))
    done = run(command_of_page("In CI"), tmp_path, GITHUB_ACTIONS="true")
    assert done.code == 2, done.output
    document = json.loads((tmp_path / "validate.json").read_text())
    errors = {problem["path"]: problem for problem in document["problems"] if problem["severity"] == "error"}
    assert errors.keys() == MISTAKES and document["ok"] is False, document
    lines = (tmp_path / "site.yml").read_text().splitlines()
    for path, problem in errors.items():
        key = re.sub(r"\[\d+\]$", "", path).rpartition(".")[2]
        assert problem["file"] == "site.yml", problem
        assert f"site.yml:{problem['line']}: {path}: " in done.output, done.output
        assert f"::error file=site.yml,line={problem['line']},title={path}::" in done.output, done.output
        if path not in ("openshift_host[worker-1].interfaces[0].mac_address", "openshift_cluster.api_vips"):
            assert key in lines[problem["line"] - 1], problem
    quality = json.loads((tmp_path / "gl-code-quality-report.json").read_text())
    assert {entry["location"]["lines"]["begin"] for entry in quality if entry["severity"] == "major"} == {
        problem["line"] for problem in errors.values()
    }
    assert BMC_PASSWORD not in json.dumps([document, quality])


def test_a_run_in_check_mode_writes_no_file(tmp_path: Path) -> None:
    (tmp_path / "site.yml").write_text((ROOT / "inventories" / "demo" / "hosts.yml").read_text())
    assert run([*command_of_page("In CI"), "--check"], tmp_path).ok
    assert {path.name for path in tmp_path.iterdir()} == {"site.yml"}


def test_it_finds_what_deploy_cluster_finds(tmp_path: Path) -> None:
    """deploy_cluster refuses the same variables before it contacts anything."""
    inventory = canary_inventory("demo", tmp_path, with_mistakes)
    refused = Deployment(None, inventory, tmp_path).refused(extra={"openshift_base_image": {"path": "none.iso"}})
    assert {problem["path"] for problem in refused.failure["problems"] if problem["severity"] == "error"} == MISTAKES


@pytest.mark.parametrize(("change", "code"), [(None, 0), (with_mistakes, 2)])
def test_the_hook(change: Any, code: int, tmp_path: Path) -> None:
    """As pre-commit runs a hook of language script: from its checkout, in the user's repository."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert (hook["language"], hook["pass_filenames"]) == ("script", False)
    canary_inventory("demo", tmp_path, change).rename(tmp_path / "site.yml")
    done = run([str(ROOT / hook["entry"]), *hook["args"]], tmp_path)
    assert done.code == code, done.output
