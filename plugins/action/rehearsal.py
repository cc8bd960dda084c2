# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Action plugin: run module rehearsal inside Ansible's process, which has the inventory and the options of the run."""

from __future__ import annotations

from ansible_collections.zerotouch.openshift.plugins.modules import rehearsal
from ansible_collections.zerotouch.openshift.plugins.plugin_utils.rehearsal import RehearsalAction


class ActionModule(RehearsalAction):
    module = rehearsal
    libraries = ("x509", "yaml")
