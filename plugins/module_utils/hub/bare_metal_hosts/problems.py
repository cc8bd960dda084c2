# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define ``problem(…)``, which creates a Problem about a BareMetalHost that the user describes."""

from __future__ import annotations

from ...common.problems import OwnCheck

problem = OwnCheck("bare-metal-hosts")
