# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the status conditions of a hub's objects (Agents, InfraEnvs and others). Pure functions of the
assisted-service's data.
"""

from __future__ import annotations

from .condition import Condition, find, merge

__all__ = ["Condition", "find", "merge"]
