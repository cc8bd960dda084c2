# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create problems about variables of an inventory: ``problem(…)`` returns a Problem of the check ``settings``."""

from __future__ import annotations

from ..module_utils.common.problems import OwnCheck

problem = OwnCheck("settings")
