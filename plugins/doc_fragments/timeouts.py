# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Document option ``timeouts``: limits for the phases of an installation."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  timeouts:
    description: Limits in seconds.
    type: dict
    default: {}
    suboptions:
      boot:
        description: Until the service answers.
        type: float
        default: 2400
      discovery:
        description: Until all hosts are ready and the installation begins.
        type: float
        default: 2400
      bootstrap:
        description: Until the bootstrap is complete.
        type: float
        default: 3600
      install:
        description: Until the release is rolled out.
        type: float
        default: 2400
      operators:
        description: Until all operators have settled.
        type: float
        default: 1800
      stable:
        description: How long no operator may have been progressing to count as settled.
        type: float
        default: 30
"""
