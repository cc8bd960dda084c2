# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Generate those pages of docs/ that come from the collection's own tables:
``PYTHONPATH=.build python tests/generate_docs.py``.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from ansible_collections.zerotouch.openshift.plugins.module_utils.boot.methods import METHODS
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.schema import schema_files
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.supervise.setup import Limits
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.table import markdown
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.inventory_schema import FILE as INVENTORY_SCHEMA
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.inventory_schema import inventory_schema_text
from ansible_collections.zerotouch.openshift.tests.docs.bmc_page import bmcs_page
from ansible_collections.zerotouch.openshift.tests.docs.checks_page import checks_page
from ansible_collections.zerotouch.openshift.tests.docs.error_pages import configuration_page, run_page
from ansible_collections.zerotouch.openshift.tests.docs.field_pages import fields_page
from ansible_collections.zerotouch.openshift.tests.docs.preflight_page import preflight_page
from ansible_collections.zerotouch.openshift.tests.docs.safety_page import safety_page

DOCS = Path(__file__).resolve().parents[1] / "docs"
LIMIT_MEANINGS = {
    "boot": "from power on until the service on the rendezvous host answers",
    "discovery": "until all hosts have registered and the installation begins",
    "bootstrap": "until the new control plane runs by itself",
    "install": "until the ClusterVersion is available",
    "operators": "until all cluster operators have settled",
}
METHODS_HEAD = """| method | how | needs | needs an image URL | powers the host | detaches the image | boots it once only |
|---|---|---|---|---|---|---|
"""  # noqa: E501


def variables_page(now: str) -> str:
    """The page with its tables of time limits and boot methods generated; the rest of it is written manually."""
    defaults = {field.name: field.default for field in dataclasses.fields(Limits)}
    limits = "".join(f"| `{name}` | {defaults[name]:.0f} | {meaning} |\n" for name, meaning in LIMIT_MEANINGS.items())
    page = _with_table(now, "timeouts", f"| key | default | how long |\n|---|---|---|\n{limits}")
    return _with_table(page, "boot methods", METHODS_HEAD + "".join(_boot_method(name) for name in METHODS))


def _with_table(page: str, name: str, table: str) -> str:
    """The page with this table between the marks of that name."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
    before, rest = page.split(begin)
    return f"{before}{begin}{table}{end}{rest.split(end)[1]}"


def _boot_method(name: str) -> str:
    method = METHODS[name]
    can = method.capabilities
    facts = ["yes" if fact else "no" for fact in (can.needs_image_url, can.can_power, can.can_eject, can.boots_once)]
    needs = ", ".join(f"`{key}`" for key in method.needs) or "–"
    return f"| `{name}` | {method.summary} | {needs} | {' | '.join(facts)} |\n"


def pages() -> dict[Path, str]:
    """Path of every generated page and its text."""
    variables, safety = DOCS / "reference" / "variables.md", DOCS / "reference" / "safety.md"
    return {
        **{DOCS / "schemas" / name: text for name, text in schema_files().items()},
        DOCS / "schemas" / INVENTORY_SCHEMA: inventory_schema_text(),
        DOCS / "reference" / "ignition-files.md": markdown(),
        DOCS / "reference" / "bmcs.md": bmcs_page(),
        DOCS / "reference" / "preflight.md": preflight_page(),
        DOCS / "reference" / "checks.md": checks_page(),
        DOCS / "reference" / "errors-configuration.md": configuration_page(),
        DOCS / "reference" / "errors-run.md": run_page(),
        DOCS / "reference" / "fields.md": fields_page(),
        variables: variables_page(variables.read_text()),
        safety: safety_page(safety.read_text()),
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
