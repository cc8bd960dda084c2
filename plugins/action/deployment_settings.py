# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Action plugin: run module deployment_settings inside Ansible's process, which has the variables of all hosts."""

from __future__ import annotations

from ansible_collections.zerotouch.openshift.plugins.modules import deployment_settings
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.variables_action import VariablesAction


class ActionModule(VariablesAction):
    module = deployment_settings
    libraries = ("aead", "scrypt", "urllib3", "x509", "yaml")
