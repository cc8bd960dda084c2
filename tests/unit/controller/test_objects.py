# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test the objects in extensions/controller (credential types, surveys and others) with the rules by which a controller
checks and uses them; no controller runs.

Rules of credential types are those of ansible/awx awx/main/fields.py and awx/main/constants.py, rules of surveys those
of awx/api/views/__init__.py.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2.sandbox
import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.zerotouch.openshift.plugins.module_utils.assisted.rest.connection import ASSISTED_OPTIONS
from ansible_collections.zerotouch.openshift.plugins.module_utils.kube.connection import CONNECTION_OPTIONS
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import STATE_ENVIRONMENT, VARIABLES

ROOT = Path(__file__).parents[3]
_SPEC = importlib.util.spec_from_file_location("generate_controller", ROOT / "tests" / "generate_controller.py")
generate = importlib.util.module_from_spec(_SPEC)
sys.modules["generate_controller"] = generate
_SPEC.loader.exec_module(generate)
OBJECTS = yaml.safe_load((ROOT / "extensions" / "controller" / "configuration.yml").read_text())
PLAYBOOKS = sorted(path.stem for path in (ROOT / "playbooks").glob("*.yml"))
TYPES = {
    "text": str,
    "textarea": str,
    "password": str,
    "integer": int,
    "float": (int, float),
    "multiplechoice": str,
    "multiselect": str,
}
BLOCKED = frozenset(
    {"PATH", "PYTHONPATH", "VIRTUAL_ENV", "JOB_ID", "AWX_HOST", "MAX_EVENT_RES", "INVENTORY_ID", "PROXY_HOSTNAME"}
)
ENVIRONMENT = {
    *STATE_ENVIRONMENT.values(),
    *(f"K8S_AUTH_{name.upper()}" for name in CONNECTION_OPTIONS),
    *(f"ASSISTED_{name.upper()}" for name in ASSISTED_OPTIONS),
}


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for child in value.values():
            yield from leaves(child)
    else:
        yield value


def as_the_controller_gets_it(template: str) -> str:
    return jinja2.Environment().from_string(template).render().replace("{  {", "{{")


@pytest.mark.parametrize("path", generate.files(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_generated_files_are_current(path: Path) -> None:
    assert path.read_text() == generate.files()[path], "run: PYTHONPATH=.build python tests/generate_controller.py"


@pytest.mark.parametrize("playbook", PLAYBOOKS)
def test_every_playbook_has_a_template_a_survey_and_a_wrapper(playbook: str) -> None:
    rows = [row for row in generate.TEMPLATES if row.playbook == playbook]
    assert rows, f"add {playbook} to TEMPLATES in tests/generate_controller.py"
    assert all(bool(row.survey) != bool(row.no_survey) for row in rows), (
        "a template has a survey, or a reason why it needs none"
    )
    names = {
        found["name"] for found in OBJECTS["controller_templates"] if found["playbook"].endswith(f"/{playbook}.yml")
    }
    assert names == {row.name for row in rows}
    guard, imported = yaml.safe_load((ROOT / "playbooks" / "awx" / f"{playbook}.yml").read_text())
    assert (guard["import_playbook"], imported["import_playbook"]) == (
        "refuse_limit.yml",
        f"zerotouch.openshift.{playbook}",
    )


def test_no_template_and_no_wrapper_without_a_playbook() -> None:
    assert {row.playbook for row in generate.TEMPLATES} == set(PLAYBOOKS)
    assert {path.stem for path in (ROOT / "playbooks" / "awx").glob("*.yml")} == {*PLAYBOOKS, "refuse_limit"}


@pytest.mark.parametrize("template", OBJECTS["controller_templates"], ids=lambda found: found["name"])
def test_templates(template: dict[str, Any]) -> None:
    prompts = {key for key, value in template.items() if key.startswith("ask_") and value}
    assert prompts == {"ask_verbosity_on_launch"}
    assert (template["job_slice_count"], template["allow_simultaneous"], template["timeout"]) == (1, False, 0)
    assert template["survey_enabled"] == ("survey_spec" in template)


def questions() -> list[Any]:
    found = [
        (template["name"], each)
        for template in OBJECTS["controller_templates"]
        for each in template.get("survey_spec", {}).get("spec", ())
    ]
    return [pytest.param(each, id=f"{name}-{each['variable']}") for name, each in found]


@pytest.mark.parametrize("question", questions())
def test_survey_questions(question: dict[str, Any]) -> None:
    assert {"question_name", "variable", "type", "required"} <= question.keys()
    assert question["variable"] in generate.options_of_roles() and question["variable"] in {
        *VARIABLES,
        *generate.OF_PLAYBOOKS,
    }
    assert question["question_description"] and not re.search(r"\b[VOCM]\(", question["question_description"])
    assert isinstance(question["required"], bool)
    if "default" in question:
        assert isinstance(question["default"], TYPES[question["type"]])
    if question["type"] in ("multiplechoice", "multiselect"):
        assert question["choices"] and all(isinstance(choice, str) for choice in question["choices"])
        assert question.get("default", question["choices"][0]) in question["choices"]
    else:
        assert question["min"] <= question["max"] and question["max"] >= 1024


def test_no_survey_asks_for_what_the_inventory_describes() -> None:
    """An answer beats the inventory, and a controller may pass an unanswered question as an empty text."""
    asked = {param.values[0]["variable"] for param in questions() if not param.values[0]["required"]}
    assert asked <= {
        "openshift_hosts",
        "openshift_force",
        "openshift_confirm",
        "openshift_destroy_purge",
        "status_output",
    }


@pytest.mark.parametrize("kind", OBJECTS["controller_credential_types"], ids=lambda found: found["name"])
def test_credential_types(kind: dict[str, Any]) -> None:
    fields = {field["id"]: field for field in kind["inputs"]["fields"]}
    assert kind["kind"] == "cloud" and len(fields) == len(kind["inputs"]["fields"])
    for name, field in fields.items():
        assert re.fullmatch(r"[a-zA-Z_]+[a-zA-Z0-9_]*", name) and name != "tower"
        assert field.keys() <= {
            "id",
            "label",
            "help_text",
            "type",
            "secret",
            "multiline",
            "format",
            "choices",
            "default",
            "ask_at_runtime",
        }
        assert field["type"] == "string" and field.get("format", "url") in ("url", "ssh_private_key")
    assert set(kind["inputs"]["required"]) <= fields.keys()
    injectors = kind["injectors"]
    assert injectors.keys() <= {"env", "extra_vars", "file"}
    assert not ("template" in injectors.get("file", {}) and len(injectors["file"]) > 1)
    assert all(re.fullmatch(r"template(\.[a-zA-Z_][a-zA-Z0-9_]*)?", name) for name in injectors.get("file", {}))
    assert not any(name.startswith("ANSIBLE_") or name in BLOCKED for name in injectors.get("env", {}))


@pytest.mark.parametrize("kind", OBJECTS["controller_credential_types"], ids=lambda found: found["name"])
def test_what_a_credential_injects_is_read(kind: dict[str, Any]) -> None:
    """Every variable is one that the collection reads, every field and every file is used, and all templates render
    strictly.
    """
    injectors = kind["injectors"]
    assert set(injectors.get("env", {})) <= ENVIRONMENT
    assert set(injectors.get("extra_vars", {})) <= VARIABLES.keys()
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined)
    files = {name.removeprefix("template."): f"/runner/env/{name}" for name in injectors.get("file", {})}
    values = {field["id"]: f"value of {field['id']}" for field in kind["inputs"]["fields"]}
    rendered = [
        environment.from_string(as_the_controller_gets_it(text)).render(**values, tower={"filename": files})
        for text in leaves(injectors)
    ]
    assert set(rendered) == {*values.values(), *files.values()}


def test_secrets_are_no_extra_vars_but_the_defaults_of_bmcs() -> None:
    for kind in OBJECTS["controller_credential_types"]:
        secret = {field["id"] for field in kind["inputs"]["fields"] if field.get("secret")}
        shown = {
            name
            for text in leaves(kind["injectors"].get("extra_vars", {}))
            for name in re.findall(r"\{ ([\w.]+) \}", text)
        }
        assert not secret & shown or kind["name"] == "OpenShift: BMC defaults"


def test_the_workflow() -> None:
    (found,) = OBJECTS["controller_workflows"]
    nodes = {node["identifier"]: node for node in found["workflow_nodes"]}
    order = {name: [after["identifier"] for after in node["related"]["success_nodes"]] for name, node in nodes.items()}
    assert order == {"check": ["approve"], "approve": ["deploy"], "deploy": []}
    assert all(node["related"].keys() == {"success_nodes"} for node in nodes.values())
    templates = {template["name"]: template for template in OBJECTS["controller_templates"]}
    check, approve, deploy = (nodes[name]["unified_job_template"] for name in ("check", "approve", "deploy"))
    assert (templates[check["name"]]["job_type"], templates[deploy["name"]]["job_type"]) == ("check", "run")
    assert templates[check["name"]]["playbook"] == templates[deploy["name"]]["playbook"]
    assert approve["type"] == "workflow_approval" and check["name"] in approve["description"]
    # A required question has no answer in a workflow.
    assert not any(
        each["required"] for name in (check, deploy) for each in templates[name["name"]]["survey_spec"]["spec"]
    )


# An action, so that no process starts for each object.
RECORDER = """
import json, os
from ansible.plugins.action import ActionBase

class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        with open(os.environ["ZT_OBJECTS"], "a") as file:
            file.write(json.dumps([self._task.action.split(".")[-1], self._task.args], default=str) + chr(10))
        return {"changed": True}
"""


@pytest.fixture(scope="module")
def applied(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, dict[str, Any]]]:
    """What apply.yml passes to the modules, which are recorders here."""
    directory = tmp_path_factory.mktemp("controller")
    plugins = directory / "ansible_collections" / "recorded" / "controller" / "plugins"
    for kind, text in (("action", RECORDER), ("modules", "")):
        (plugins / kind).mkdir(parents=True)
        for name in generate.MODULES.values():
            (plugins / kind / f"{name}.py").write_text(text)
    environment = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(directory),
        "ZT_OBJECTS": str(directory / "objects"),
        "ANSIBLE_LOCAL_TEMP": str(directory / "tmp"),
    }
    environment["ANSIBLE_REMOTE_TEMP"] = str(directory / "remote")
    command = [
        str(Path(sys.executable).parent / "ansible-playbook"),
        str(ROOT / "extensions/controller/apply.yml"),
        "-i",
        "localhost,",
    ]
    done = subprocess.run(
        [
            *command,
            "-e",
            "controller_modules=recorded.controller",
            "-e",
            f"ansible_python_interpreter={sys.executable}",
        ],
        env=environment,
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [tuple(json.loads(line)) for line in (directory / "objects").read_text().splitlines()]


def documented(module: str) -> dict[str, Any]:
    """The options of a module of awx.awx, from its documentation."""
    found = importlib.util.find_spec("ansible_collections.awx")
    spec = found and importlib.util.find_spec("ansible_collections.awx.awx.plugins.modules")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("awx.awx is not installed")
    tree = ast.parse((Path(next(iter(spec.submodule_search_locations))) / f"{module}.py").read_text())
    texts = [
        node.value.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "DOCUMENTATION"
    ]
    return yaml.safe_load(texts[0])["options"]


@pytest.mark.slow
@pytest.mark.parametrize("module", generate.MODULES.values())
def test_modules_take_what_they_get(module: str, applied: list[tuple[str, dict[str, Any]]]) -> None:
    objects = [arguments for name, arguments in applied if name == module]
    variable = next(variable for variable, name in generate.MODULES.items() if name == module)
    assert [found["name"] for found in objects] and len(objects) == len(OBJECTS[variable])

    def as_spec(options: dict[str, Any]) -> dict[str, Any]:
        kept = ("type", "elements", "choices", "required", "aliases")
        return {name: {**{key: option[key] for key in kept if key in option}} for name, option in options.items()}

    for found in objects:
        result = ArgumentSpecValidator(as_spec(documented(module))).validate(found)
        assert result.error_messages == [], found["name"]


def test_fields_of_credentials_reach_the_controller_as_templates(applied: list[tuple[str, dict[str, Any]]]) -> None:
    kinds = {found["name"]: found for name, found in applied if name == "credential_type"}
    assert kinds["OpenShift: BMC defaults"]["injectors"] == {
        "extra_vars": {"openshift_bmc_defaults": {"username": "{{ username }}", "password": "{{ password }}"}}
    }
    assert kinds["OpenShift: hub"]["injectors"]["file"] == {"template.kubeconfig": "{{ kubeconfig }}"}


def play(limit: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    inventory = tmp_path / "hosts.yml"
    inventory.write_text("all: {hosts: {worker-0: {}, worker-1: {}}}\n")
    command = [
        str(Path(sys.executable).parent / "ansible-playbook"),
        str(ROOT / "playbooks" / "awx" / "refuse_limit.yml"),
        "-i",
        str(inventory),
    ]
    environment = {**os.environ, "ANSIBLE_LOCAL_TEMP": str(tmp_path / "tmp")}
    return subprocess.run(
        [*command, *(["--limit", limit] if limit else [])], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "refused"),
    [("", False), ("all", False), ("worker-1", True), ("worker-*", True), ("localhost,worker-1", True)],
)
def test_a_limit_without_localhost_fails(limit: str, refused: bool, tmp_path: Path) -> None:
    done = play(limit, tmp_path)
    assert (done.returncode != 0) is refused, done.stdout + done.stderr
    assert ("--limit: Forbidden" in done.stdout) is refused
