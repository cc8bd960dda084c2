# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Action plugin: run module deployment_report inside Ansible's process if the task runs on the control node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call
from ansible_collections.zerotouch.openshift.plugins.modules import deployment_report
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.in_process import ModuleAction
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.live import conclude


class ActionModule(ModuleAction):
    module = deployment_report
    libraries = ("urllib3", "yaml")

    def _runner(self, variables: Mapping[str, Any]) -> Callable[[Call], dict[str, Any]]:
        return partial(conclude, deployment_report.run)
