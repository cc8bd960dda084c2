# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define ``problem(…)``: it creates a Problem of the check that ``openshift_checks`` names ``cluster-manifests``."""

from __future__ import annotations

from ...common.problems import OwnCheck

problem = OwnCheck("cluster-manifests")
