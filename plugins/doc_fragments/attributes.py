# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Document the attributes of all modules, such as check_mode; each module adds its own level of support."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options: {}
attributes:
  action:
    support: full
    description: Runs inside Ansible itself when the task is executed on the controller with Ansible's own Python, and
      as an ordinary module elsewhere.
  async:
    support: full
    description: Supports being used with the C(async) keyword; progress lines are not shown then.
  check_mode:
    description: Can run in C(check_mode) and return changed status prediction without modifying target.
  diff_mode:
    description: Will return details on what has changed (or possibly needs changing in C(check_mode)), when in diff
      mode.
  idempotent:
    description: When run twice in a row outside check mode, with the same arguments, the second invocation indicates no
      change.
  platform:
    support: full
    platforms: linux
    description: Target OS/families that can be operated against.
"""

    # Modules that only read.
    INFO = r"""
options: {}
attributes:
  action:
    support: full
    description: Runs inside Ansible itself when the task is executed on the controller with Ansible's own Python, and
      as an ordinary module elsewhere.
  async:
    support: full
    description: Supports being used with the C(async) keyword; progress lines are not shown then.
  check_mode:
    support: full
    description: Can run in C(check_mode) and return changed status prediction without modifying target.
    details: This module changes nothing.
  diff_mode:
    support: N/A
    description: Will return details on what has changed (or possibly needs changing in C(check_mode)), when in diff
      mode.
    details: This module changes nothing.
  idempotent:
    support: full
    description: When run twice in a row outside check mode, with the same arguments, the second invocation indicates no
      change.
    details: This module changes nothing.
  platform:
    support: full
    platforms: linux
    description: Target OS/families that can be operated against.
"""
