# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run test module other in Ansible's own process (action plugin)."""

from __future__ import annotations

from ansible_collections.test.modules.plugins.modules import other
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.in_process import ModuleAction


class ActionModule(ModuleAction):
    module = other
    libraries = ("yaml", "zstandard")
