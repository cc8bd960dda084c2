# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Action plugin: run module cluster_credentials inside Ansible's process if the task runs on the control node."""

from __future__ import annotations

from ansible_collections.zerotouch.openshift.plugins.modules import cluster_credentials
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.in_process import ModuleAction


class ActionModule(ModuleAction):
    module = cluster_credentials
    libraries = ("urllib3", "yaml")
