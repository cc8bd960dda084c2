# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Generate what AWX or an automation controller needs to run the playbooks, from one table of job templates.

``extensions/controller`` has a playbook that sets up the controller, and its configuration. ``playbooks/awx`` has the
playbooks that the job templates run. Run this with ``PYTHONPATH=.build python tests/generate_controller.py``.

The texts of survey questions come from the argument specifications of the roles.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.settings import FORCES, STATE_ENVIRONMENT

ROOT = Path(__file__).resolve().parents[1]
CONTROLLER, WRAPPERS = ROOT / "extensions" / "controller", ROOT / "playbooks" / "awx"
GUARD = "refuse_limit"
LICENCE = """# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
---
"""
GENERATED = "# Generated from tests/generate_controller.py: PYTHONPATH=.build python tests/generate_controller.py\n"
# Longest answers that a controller takes. Its own default for new questions, 1024, is too short for a pool with many
# hosts.
TEXT, TEXTAREA = 1024, 65536


@dataclasses.dataclass(frozen=True)
class Template:
    """A job template. ``survey`` has the variables of one run, those that end in ``!`` are required; it is empty only
    where ``no_survey`` says why.
    """

    playbook: str
    title: str
    description: str
    survey: tuple[str, ...] = ()
    no_survey: str = ""
    job_type: str = "run"

    @property
    def name(self) -> str:
        return f"OpenShift: {self.title}"


TEMPLATES = (
    Template(
        "deploy_cluster",
        "check",
        "Checks the settings and prints the plan of a deployment. Writes to no machine.",
        ("openshift_force",),
        job_type="check",
    ),
    Template(
        "deploy_cluster",
        "deploy",
        "Deploys the cluster of the inventory, or continues its deployment.",
        ("openshift_force", "openshift_confirm"),
    ),
    Template(
        "add_hosts",
        "add hosts",
        "Adds hosts of the inventory to the cluster.",
        ("openshift_hosts", "openshift_force", "openshift_confirm"),
    ),
    Template(
        "remove_hosts",
        "remove hosts",
        "Drains hosts, removes them from the cluster and powers them off.",
        ("openshift_hosts!", "openshift_confirm!"),
    ),
    Template(
        "reprovision_hosts",
        "reprovision hosts",
        "Removes hosts from the cluster and makes them available again.",
        ("openshift_hosts!", "openshift_confirm!"),
    ),
    Template(
        "scale_node_pool",
        "scale a node pool",
        "Changes the size of a pool of nodes.",
        ("openshift_node_pool!", "openshift_confirm", "openshift_force"),
    ),
    Template(
        "destroy_cluster",
        "destroy",
        "Powers the machines off and removes the cluster.",
        ("openshift_confirm!", "openshift_destroy_purge", "openshift_force"),
    ),
    Template(
        "init",
        "write a first inventory",
        "Writes a first inventory. Useful on a command line; a job loses its files.",
        no_survey="is for a command line",
    ),
    Template(
        "validate",
        "validate",
        "Checks the variables of the inventory. Contacts no machine.",
        no_survey="checks the inventory as it is",
    ),
    Template(
        "preflight",
        "preflight",
        "Checks BMCs, network and registry before a deployment. Reads only.",
        no_survey="checks the rack of the inventory",
    ),
    Template(
        "rehearse",
        "rehearse",
        "Deploys the inventory in a lab. Contacts no real machine; the execution environment needs ztlab.",
        no_survey="plays the inventory",
    ),
    Template("status", "status", "Reports the status of the deployment. Reads only.", ("status_output",)),
    Template(
        "stop_run",
        "stop a run",
        "Stops a running job of the deployment.",
        no_survey="stops the run of the inventory's deployment",
    ),
)
# Variable -> question; the length of its answer, and for lists of words the choices.
QUESTIONS: Mapping[str, dict[str, Any]] = {
    "openshift_hosts": {"question_name": "Hosts", "type": "textarea", "max": TEXTAREA},
    "openshift_confirm": {"question_name": "Confirm with the name of the cluster", "type": "text", "max": TEXT},
    "openshift_force": {"question_name": "Overrides", "type": "multiselect", "choices": list(FORCES)},
    "openshift_node_pool": {"question_name": "Pool of nodes, as YAML", "type": "textarea", "max": TEXTAREA},
    "openshift_destroy_purge": {
        "question_name": "Remove credentials, logs and the report",
        "type": "multiplechoice",
        "choices": ["false", "true"],
        "default": "false",
    },
    "status_output": {
        "question_name": "Output",
        "type": "multiplechoice",
        "choices": ["table", "json"],
        "default": "table",
    },
}
# Variables of a playbook and not of a role: the option that each sets.
OF_PLAYBOOKS: Mapping[str, tuple[str, str]] = {"status_output": ("deployment_status", "output")}
CHECK, DEPLOY = TEMPLATES[0], TEMPLATES[1]


def field(name: str) -> str:
    """A template of a credential's field that survives Ansible's own templating, as the roles of
    infra.aap_configuration take it.
    """
    return f"{{% raw %}}{{  {{ {name} }}}}{{% endraw %}}"


def _input(name: str, label: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "label": label, "type": "string", **more}


SECRET, LINES = {"secret": True}, {"secret": True, "multiline": True}
CREDENTIAL_TYPES = (
    {
        "name": "OpenShift: pull secret and SSH key",
        "description": "Used if openshift_cluster of the inventory has no pull_secret or no ssh_public_keys.",
        "kind": "cloud",
        "inputs": {
            "fields": [
                _input("pull_secret", "Pull secret", **LINES),
                _input("ssh_key", "Public SSH keys, one on each line", multiline=True),
            ],
            "required": ["pull_secret", "ssh_key"],
        },
        "injectors": {
            "file": {"template.pull_secret": field("pull_secret"), "template.ssh_key": field("ssh_key")},
            "extra_vars": {
                "openshift_pull_secret_file": field("tower.filename.pull_secret"),
                "openshift_ssh_key_file": field("tower.filename.ssh_key"),
            },
        },
    },
    {
        "name": "OpenShift: BMC defaults",
        "description": "Login of all BMCs that have none in the inventory.",
        "kind": "cloud",
        "inputs": {
            "fields": [_input("username", "User"), _input("password", "Password", **SECRET)],
            "required": ["username", "password"],
        },
        "injectors": {
            "extra_vars": {"openshift_bmc_defaults": {"username": field("username"), "password": field("password")}}
        },
    },
    {
        "name": "OpenShift: hub",
        "description": "Kubeconfig of a hub, for methods hub, hosted and capi.",
        "kind": "cloud",
        "inputs": {"fields": [_input("kubeconfig", "Kubeconfig", **LINES)], "required": ["kubeconfig"]},
        "injectors": {
            "file": {"template.kubeconfig": field("kubeconfig")},
            "env": {"K8S_AUTH_KUBECONFIG": field("tower.filename.kubeconfig")},
        },
    },
    {
        "name": "OpenShift: assisted-service",
        "description": "URL and tokens of an assisted-service, for method assisted.",
        "kind": "cloud",
        "inputs": {
            "fields": [
                _input("service_url", "URL", format="url"),
                _input("token", "Token", **SECRET),
                _input("offline_token", "Offline token of console.redhat.com", **SECRET),
            ],
            "required": ["service_url"],
        },
        "injectors": {
            "env": {
                "ASSISTED_SERVICE_URL": field("service_url"),
                "ASSISTED_TOKEN": field("token"),
                "ASSISTED_OFFLINE_TOKEN": field("offline_token"),
            }
        },
    },
    {
        "name": "OpenShift: state store",
        "description": "Secret of a cluster that keeps the state between jobs, and its passphrase.",
        "kind": "cloud",
        "inputs": {
            "fields": [
                _input("kubeconfig", "Kubeconfig of the cluster with the Secret", **LINES),
                _input("namespace", "Namespace of the Secret"),
                _input("passphrase", "Passphrase of the state", **SECRET),
            ],
            "required": ["kubeconfig", "namespace", "passphrase"],
        },
        "injectors": {
            "file": {"template.kubeconfig": field("kubeconfig")},
            "env": {
                STATE_ENVIRONMENT["kubeconfig"]: field("tower.filename.kubeconfig"),
                STATE_ENVIRONMENT["namespace"]: field("namespace"),
                STATE_ENVIRONMENT["passphrase"]: field("passphrase"),
            },
        },
    },
)


@functools.cache
def options_of_roles() -> dict[str, Any]:
    """Every option of the argument specifications by name, and the variables of playbooks."""
    found: dict[str, Any] = {}
    for path in sorted((ROOT / "roles").glob("*/meta/argument_specs.yml")):
        for spec in yaml.safe_load(path.read_text())["argument_specs"].values():
            for name, option in (spec.get("options") or {}).items():
                found.setdefault(name, option)
    for variable, (module, option) in OF_PLAYBOOKS.items():
        documentation = importlib.import_module(
            f"ansible_collections.zerotouch.openshift.plugins.modules.{module}"
        ).DOCUMENTATION
        found[variable] = yaml.safe_load(documentation)["options"][option]
    return found


def description_of(variable: str) -> str:
    text = options_of_roles()[variable]["description"]
    return re.sub(r"\b[VOCMI]\(([^)]*)\)", r"\1", text if isinstance(text, str) else " ".join(text)).replace("\\]", "]")


def question(variable: str) -> dict[str, Any]:
    name = variable.removesuffix("!")
    found = {
        "variable": name,
        "question_description": description_of(name),
        "required": variable.endswith("!"),
        **QUESTIONS[name],
    }
    return {**found, **({"min": int(found["required"])} if found["type"] in ("text", "textarea") else {})}


def job_template(row: Template) -> dict[str, Any]:
    survey = {"name": row.name, "description": row.description, "spec": [question(variable) for variable in row.survey]}
    return {
        "name": row.name,
        "description": row.description,
        "organization": "{{ zerotouch_organization }}",
        "job_type": row.job_type,
        "project": "{{ zerotouch_project }}",
        "playbook": f"{{{{ zerotouch_playbooks }}}}/{row.playbook}.yml",
        "inventory": "{{ zerotouch_inventory }}",
        "execution_environment": "{{ zerotouch_execution_environment }}",
        "credentials": "{{ zerotouch_credentials }}",
        "survey_enabled": bool(row.survey),
        **({"survey_spec": survey} if row.survey else {}),
        # A limit without localhost is a job that does nothing and succeeds; a slice has only some of the hosts.
        "ask_limit_on_launch": False,
        "ask_job_slice_count_on_launch": False,
        "ask_tags_on_launch": False,
        "ask_skip_tags_on_launch": False,
        "ask_verbosity_on_launch": True,
        "job_slice_count": 1,
        "allow_simultaneous": False,
        # The collection has a limit for each phase.
        "timeout": 0,
        "notification_templates_error": "{{ zerotouch_notify }}",
        "notification_templates_success": "{{ zerotouch_notify }}",
    }


def workflow() -> dict[str, Any]:
    def node(name: str, template: dict[str, Any], after: list[str]) -> dict[str, Any]:
        return {
            "identifier": name,
            "unified_job_template": template,
            "related": {"success_nodes": [{"identifier": found} for found in after]},
        }

    def job(row: Template) -> dict[str, Any]:
        return {"name": row.name, "type": "job_template", "organization": {"name": "{{ zerotouch_organization }}"}}

    approval = {
        "name": "OpenShift: approve the plan",
        "type": "workflow_approval",
        "description": f"Read the plan before you approve: the last task of job '{CHECK.name}' of this workflow "
        "prints it. "
        "The deployment stops before its first write if the plan has changed since.",
        "timeout": 86400,
    }
    return {
        "name": "OpenShift: deploy with approval",
        "description": "Prints the plan, waits for the approval, and deploys exactly this plan.",
        "organization": "{{ zerotouch_organization }}",
        "inventory": "{{ zerotouch_inventory }}",
        "allow_simultaneous": False,
        "ask_limit_on_launch": False,
        "ask_variables_on_launch": False,
        "destroy_current_nodes": True,
        "workflow_nodes": [
            node("check", job(CHECK), ["approve"]),
            node("approve", approval, ["deploy"]),
            node("deploy", job(DEPLOY), []),
        ],
        "notification_templates_approvals": "{{ zerotouch_notify }}",
    }


def configuration() -> dict[str, Any]:
    organization = {"organization": "{{ zerotouch_organization }}"}
    return {
        "zerotouch_organization": "Default",
        "zerotouch_project": "OpenShift",
        "zerotouch_project_url": "https://git.example.com/platform/openshift-sites.git",
        "zerotouch_project_branch": "main",
        "zerotouch_playbooks": "playbooks/awx",
        "zerotouch_inventory": "OpenShift: site",
        "zerotouch_inventory_path": "site.yml",
        "zerotouch_execution_environment": "OpenShift",
        "zerotouch_image": "registry.example.com/platform/zerotouch-openshift-ee:latest",
        "zerotouch_credentials": [],
        "zerotouch_notify": [],
        "zerotouch_notification_url": "https://chat.example.com/hooks/openshift",
        "controller_credential_types": list(CREDENTIAL_TYPES),
        "controller_execution_environments": [
            {"name": "{{ zerotouch_execution_environment }}", "image": "{{ zerotouch_image }}", "pull": "missing"}
        ],
        "controller_projects": [
            {
                "name": "{{ zerotouch_project }}",
                **organization,
                "scm_type": "git",
                "scm_url": "{{ zerotouch_project_url }}",
                "scm_branch": "{{ zerotouch_project_branch }}",
                "wait": True,
            }
        ],
        "controller_inventories": [{"name": "{{ zerotouch_inventory }}", **organization}],
        "controller_inventory_sources": [
            {
                "name": "OpenShift: files of the project",
                "inventory": "{{ zerotouch_inventory }}",
                **organization,
                "source": "scm",
                "source_project": "{{ zerotouch_project }}",
                "source_path": "{{ zerotouch_inventory_path }}",
                "overwrite": True,
                "overwrite_vars": True,
                "update_on_launch": True,
            }
        ],
        "controller_notifications": [
            {
                "name": "OpenShift: webhook",
                **organization,
                "notification_type": "webhook",
                "notification_configuration": {
                    "url": "{{ zerotouch_notification_url }}",
                    "http_method": "POST",
                    "headers": {},
                    "username": "",
                    "password": "",
                    "disable_ssl_verification": False,
                },
            }
        ],
        "controller_templates": [job_template(row) for row in TEMPLATES],
        "controller_workflows": [workflow()],
    }


# Variable -> module, in the order in which objects need each other.
MODULES: Mapping[str, str] = {
    "controller_credential_types": "credential_type",
    "controller_execution_environments": "execution_environment",
    "controller_projects": "project",
    "controller_inventories": "inventory",
    "controller_inventory_sources": "inventory_source",
    "controller_notifications": "notification_template",
    "controller_templates": "job_template",
    "controller_workflows": "workflow_job_template",
}


def _task(variable: str, module: str, objects: list[dict[str, Any]]) -> dict[str, Any]:
    keys = dict.fromkeys(key for found in objects for key in found)
    arguments = {key: f"{{{{ controller_object.{key} | default(omit) }}}}" for key in keys}
    if "injectors" in arguments:
        # Two blanks keep Ansible from reading the fields of a credential as its own.
        arguments["injectors"] = "{{ controller_object.injectors | to_json | replace('{  {', '{' ~ '{') | from_json }}"
    return {
        "name": f"Create or update each {module.replace('_', ' ')}",
        "action": f"{{{{ controller_modules }}}}.{module}",
        "args": arguments,
        "loop": f"{{{{ {variable} }}}}",
        "loop_control": {"loop_var": "controller_object", "label": "{{ controller_object.name }}"},
    }


def apply() -> list[dict[str, Any]]:
    objects = configuration()
    return [
        {
            "name": "Set up a controller",
            "hosts": "localhost",
            "connection": "local",
            "gather_facts": False,
            "vars_files": ["configuration.yml"],
            "vars": {"controller_modules": "awx.awx"},
            "tasks": [_task(variable, module, objects[variable]) for variable, module in MODULES.items()],
        }
    ]


def wrapper(row: Template) -> list[dict[str, Any]]:
    return [
        {"name": "Refuse option --limit", "import_playbook": f"{GUARD}.yml"},
        {"name": row.description.split(".")[0], "import_playbook": f"zerotouch.openshift.{row.playbook}"},
    ]


class _Dumper(yaml.SafeDumper):
    """Lists indented below their key, no aliases, and an empty line between objects."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def dumped(value: Any) -> str:
    return LICENCE + GENERATED + yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True)


def files() -> dict[Path, str]:
    wrappers = {WRAPPERS / f"{row.playbook}.yml": dumped(wrapper(row)) for row in reversed(TEMPLATES)}
    return {
        CONTROLLER / "configuration.yml": dumped(configuration()),
        CONTROLLER / "apply.yml": dumped(apply()),
        **wrappers,
    }


def main() -> None:
    for path, text in files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
