# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the versions of the synthetic live ISO, one for each RHEL release.

Up to RHEL 9.6, CoreOS versions contain the versions of OpenShift and RHEL; later versions contain only that of RHEL.
"""

from __future__ import annotations

VERSION = "422.96.202611010000-0"
VERSIONS = {9: VERSION, 10: "10.2.20261101-0"}
