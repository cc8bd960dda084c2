# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What objects of the hub say about themselves: conditions as pure functions of what the service knows."""

from __future__ import annotations

from .condition import Condition, find, merge

__all__ = ["Condition", "find", "merge"]
