# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define ``problem(…)``, which creates a Problem of module ``agents`` about a host in its options or an Agent."""

from __future__ import annotations

from ...common.problems import OwnCheck

problem = OwnCheck("agents")
