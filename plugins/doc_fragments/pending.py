# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Document option ``pending``: in check mode, the object of this task would be created by an earlier task."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  pending:
    description:
      - Check mode only. Set it if an earlier task of the same run would create what this task works on. The module then
        reads nothing, reports a change, and prints what it would do. The other return values are missing.
    type: bool
    default: false
"""
