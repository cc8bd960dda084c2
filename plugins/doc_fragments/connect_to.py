# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Document option ``connect_to``, which maps names of servers to the addresses that a module connects to."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  connect_to:
    description:
      - Where connections really go; keys C(host[:port]), values C(address[:port]). Names in URLs and certificates stay
        the original ones.
    type: dict
    default: {}
"""
