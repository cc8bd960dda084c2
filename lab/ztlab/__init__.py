# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate a data centre in one unprivileged process: BMCs, machines, their boot, and the OpenShift clusters that they
install.
"""

from __future__ import annotations

__version__ = "0.1.0"
