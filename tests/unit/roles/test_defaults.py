# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Test that a role also runs in a play that does not pass ``zerotouch_deployment``: it then reads the variables itself.

Ansible evaluates the default of each option when it validates the options, before the first task. So no default may
need the result of the role's first task (``<role>_read``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

ROLES = Path(__file__).parents[3] / "roles"


def loaded(role: str, file: str) -> dict[str, Any]:
    path = ROLES / role / file
    return (yaml.safe_load(path.read_text()) or {}) if path.exists() else {}


def needs(name: str, values: dict[str, Any], wanted: str) -> bool:
    """Whether the value of a variable contains ``wanted``, directly or through other variables of the role."""
    pending, seen = [name], set()
    while pending:
        current = pending.pop()
        text = str(values.get(current, ""))
        if wanted in text:
            return True
        seen.add(current)
        pending += [other for other in values if other in text and other not in seen]
    return False


@pytest.mark.parametrize("role", sorted(path.name for path in ROLES.iterdir() if path.is_dir()))
def test_no_default_of_an_option_needs_what_the_role_reads(role: str) -> None:
    defaults = loaded(role, "defaults/main.yml")
    values = {**loaded(role, "vars/main.yml"), **defaults}
    entries = loaded(role, "meta/argument_specs.yml")["argument_specs"].values()
    options = {option for entry in entries for option in entry.get("options", {})}
    assert [option for option in options & set(defaults) if needs(option, values, f"{role}_read")] == []
