# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Action plugin: run module variables_check inside Ansible's process, which has the variables of all hosts."""

from __future__ import annotations

from ansible_collections.zerotouch.openshift.plugins.modules import variables_check
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.validation import ValidationAction


class ActionModule(ValidationAction):
    module = variables_check
    libraries = ("x509", "yaml")
