# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the commands in README.md, lab/README.md and docs/. A test must run each command, or this file lists it with the
reason why no test does. The playbooks, variables, modules and make targets in a command must exist.
"""

from __future__ import annotations

import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import VARIABLES
from ansible_collections.zerotouch.openshift.tests.support.pages import blocks, commands, commands_of
from ztlab import cli

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", ROOT / "lab" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
INTEGRATION = "tests/integration"
# Page -> the test that reads its commands from it and runs them.
RUN_BY = {
    "README.md": f"{INTEGRATION}/test_first_cluster.py::test_the_tutorial",
    "docs/tutorial.md": f"{INTEGRATION}/test_first_cluster.py::test_the_tutorial",
    "docs/how-to/assisted-cluster.md": f"{INTEGRATION}/test_how_to_pages.py::test_a_cluster_of_an_assisted_service",
    "docs/how-to/before-the-window.md": f"{INTEGRATION}/test_how_to_pages.py::test_commands_before_the_window",
    "docs/how-to/capi-cluster.md": f"{INTEGRATION}/test_capi_how_to.py::test_the_page",
    "docs/how-to/hosted-cluster.md": f"{INTEGRATION}/test_how_to_pages.py::test_a_hosted_cluster",
    "docs/how-to/hub-cluster.md": f"{INTEGRATION}/test_how_to_pages.py::test_a_cluster_of_a_hub_and_its_hosts",
    "docs/how-to/hub-hosts.md": f"{INTEGRATION}/test_how_to_pages.py::test_a_cluster_of_a_hub_and_its_hosts",
    "docs/how-to/libvirt.md": "tests/vm/test_how_to.py::test_the_page",
    "docs/how-to/rehearse-racks.md": f"{INTEGRATION}/test_how_to_pages.py::test_a_rehearsal_with_own_racks",
    "docs/how-to/release.md": f"{INTEGRATION}/test_release_how_to.py::test_the_release_as_the_page_says",
    "docs/how-to/state-in-a-job.md": f"{INTEGRATION}/test_state_how_to.py::test_the_page",
    "docs/reference/status.md": f"{INTEGRATION}/test_how_to_pages.py::test_a_variable_as_text_and_the_status",
    "docs/reference/variables.md": f"{INTEGRATION}/test_how_to_pages.py::test_a_variable_as_text_and_the_status",
}
# Page -> beginning of a command -> why no test runs the command as it is printed. The table may only shrink.
NOT_RUN: dict[str, dict[str, str]] = {
    "README.md": {"pip install -r ": "the tutorial installs the same packages with the lab"},
    "docs/how-to/before-the-window.md": {
        "ansible-playbook zerotouch.openshift.init": "prompts in a terminal; test_init.py answers",
        "ansible-playbook zerotouch.openshift.init -e @bmcs.yml": "test_init.py reads the BMCs of its own lab",
    },
    "docs/how-to/controller.md": {
        "ansible-builder build": "builds a container image, which needs a container engine",
        "ansible-playbook extensions/controller/apply.yml": "needs an automation controller",
        "ansible-playbook zerotouch.openshift.deploy_cluster": "test_plan_approval.py deploys with an approved plan",
    },
    "docs/how-to/rehearse-racks.md": {
        "ztlab replay DIRECTORY": "needs a captured BMC; test_replay.py runs the command with its own",
        "ansible localhost -m zerotouch.openshift.bmc_info": "needs a captured BMC; test_replay.py runs the module",
    },
    "docs/how-to/test-in-ci.md": {
        "cp -r ~/.ansible/": "copies the scenarios that `make scenarios` runs",
        "molecule test": "`make scenarios` runs the scenario",
    },
    "docs/how-to/watch-a-run.md": {"tail -f ": "needs jq; test_notify.py reads the same file"},
    "docs/reference/bmcs.md": {"ztlab replay DIRECTORY": "needs a captured BMC; test_replay.py runs the command"},
    "docs/explanation/state.md": {"oc get secret": "needs oc; test_state_secret.py reads the same record"},
    "lab/README.md": {
        "ztlab ": "lab/tests/cli/test_commands.py runs these commands in its own directory",
        "ansible-playbook playbooks/deploy_cluster.yml": "docs/tutorial.md deploys the same inventory",
    },
}
MOST_EXCEPTIONS = 15
_PROGRAMS = ("ansible", "ztlab ", "make ", "pip ", "virsh ", "oc ", "kubectl ", "molecule ")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def all_commands() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        yield from ((name_of(page), command) for command in commands(page))


def words(command: str) -> list[str]:
    return shlex.split(command, comments=True) if "$" not in command else command.split()


def test_every_command_is_run_or_listed() -> None:
    missing = [
        (page, command)
        for page, command in all_commands()
        if page not in RUN_BY and not any(command.startswith(known) for known in NOT_RUN.get(page, {}))
    ]
    assert missing == [], "follow the page in a test, and add the test to RUN_BY"


def test_exceptions_are_still_needed() -> None:
    unused = [
        (page, known)
        for page, table in NOT_RUN.items()
        for known in table
        if not any(command.startswith(known) for command in commands(ROOT / page))
    ]
    assert unused == []
    assert sum(len(table) for table in NOT_RUN.values()) <= MOST_EXCEPTIONS


@pytest.mark.parametrize(("page", "test"), RUN_BY.items())
def test_the_test_reads_the_page(page: str, test: str) -> None:
    """The test exists, and its file names the page."""
    file, _colons, function = test.partition("::")
    text = (ROOT / file).read_text()
    assert f"def {function}(" in text and Path(page).name in text
    assert commands(ROOT / page)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_are_in_bash_blocks(page: Path) -> None:
    """A block without a language shows output, and an indented line is no command."""
    outside = [
        line for block in blocks(page) if block.language == "" for line in block.text.splitlines() if is_command(line)
    ]
    text = re.sub(r"^ *```\w*\n.*?^ *```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    outside += [line for line in re.findall(r"^    +(\S.*)$", text, re.MULTILINE) if is_command(line)]
    assert outside == []


def is_command(line: str) -> bool:
    return line.strip().startswith(_PROGRAMS)


def test_playbooks_exist() -> None:
    playbooks = {path.stem for path in (ROOT / "playbooks").glob("*.yml")}
    named = {name for _page, text in all_texts() for name in re.findall(r"zerotouch\.openshift\.(\w+) +-[ie] ", text)}
    assert len(named) > 8 and named - playbooks == set()


def test_targets_of_make_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        name for _page, text in all_texts() for name in re.findall(r"(?:^|`)make ([a-z][a-z-]*)", text, re.MULTILINE)
    }
    assert len(named) > 3 and named - targets == set()


def test_variables_of_commands_exist() -> None:
    known = set(VARIABLES) | {"openshift_host"}
    named = {
        name for _page, command in all_commands() for name in re.findall(r"\b(openshift_[a-z_]+)(?==|\")", command)
    }
    assert len(named) > 5 and named - known == set()


def test_modules_of_commands_exist() -> None:
    named = {
        name for _page, command in all_commands() for name in re.findall(r"-m zerotouch\.openshift\.(\w+)", command)
    }
    assert [name for name in named if not (ROOT / "plugins" / "modules" / f"{name}.py").exists()] == []


def test_commands_of_the_lab_parse() -> None:
    parser = cli._parser()
    found = [words(command) for _page, command in all_commands() if command.startswith("ztlab ")]
    assert len(found) > 10
    for command in found:
        plain = command[1 : command.index(">")] if ">" in command else command[1:]
        parser.parse_args(plain)


@pytest.mark.parametrize("page", [page for page in PAGES if "zerotouch.openshift." in page.read_text()], ids=name_of)
def test_options_of_tasks_exist(page: Path) -> None:
    unknown = [
        (module, option)
        for block in blocks(page, "yaml")
        for module, options in tasks_in(block.text)
        for option in options
        if option not in known_options(module)
    ]
    assert unknown == []


def tasks_in(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tasks of a block that call a module of the collection, with their options."""
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError:  # parts of files, with … in them
        return
    queue = [document]
    while queue:
        item = queue.pop()
        if isinstance(item, list):
            queue.extend(item)
        elif isinstance(item, dict):
            modules = [key for key in item if str(key).startswith("zerotouch.openshift.")]
            yield from ((key.rpartition(".")[2], item[key] or {}) for key in modules)
            queue.extend(item.get("tasks") or [])


def known_options(module: str) -> set[str]:
    base = "ansible_collections.zerotouch.openshift.plugins.modules"
    found = importlib.import_module(f"{base}.{module}")
    options = set(yaml.safe_load(found.DOCUMENTATION).get("options") or {})
    spec = getattr(found, "argument_spec", None)
    return options | (set(spec()) if spec else set())


def all_texts() -> Iterator[tuple[str, str]]:
    yield from ((name_of(page), page.read_text()) for page in [*PAGES, ROOT / "CONTRIBUTING.md"])


def test_commands_are_found() -> None:
    text = 'make a   # why\nansible x -e \'{"a": 1,\n  "b": 2}\'\n# only a comment\ncat \\\n  b\n'
    assert commands_of(text) == ["make a", 'ansible x -e \'{"a": 1,\n  "b": 2}\'', "cat \\\n  b"]
