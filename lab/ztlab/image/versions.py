# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Builds of the synthetic live ISO, by RHEL.

They are named after OpenShift and RHEL up to RHEL 9.6, then after RHEL alone.
"""

from __future__ import annotations

VERSION = "422.96.202611010000-0"
VERSIONS = {9: VERSION, 10: "10.2.20261101-0"}
