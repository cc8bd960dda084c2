# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Lookup plan_lines: return the lines of the plan that the tasks of a run in check mode have printed."""

from __future__ import annotations

DOCUMENTATION = r"""
name: plan_lines
short_description: Return the plan that a run in check mode has printed
version_added: 0.2.0
author: the zerotouch.openshift authors (@zerotouch-openshift)
description:
  - Returns the lines that the modules of this collection have printed in check mode up to now, in their order and
    without secrets. Without check mode the result is empty.
  - Modules that run on the control node are included.
options:
  limit:
    description: How many characters the lines may have together. A last line counts what is left out.
    type: int
    default: 16384
"""

EXAMPLES = r"""
- name: Print the plan
  ansible.builtin.debug:
    msg: "{{ query('zerotouch.openshift.plan_lines') }}"
"""

RETURN = r"""
_list:
  description: The lines.
  type: list
  elements: str
"""

from typing import Any

from ansible.plugins.lookup import LookupBase
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.plan_journal import read_lines, shortened


class LookupModule(LookupBase):
    def run(self, terms: Any, variables: Any = None, **kwargs: Any) -> list[str]:
        self.set_options(var_options=variables, direct=kwargs)
        return shortened(read_lines(), self.get_option("limit"))
