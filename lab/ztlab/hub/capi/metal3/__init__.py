# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate Cluster API Provider Metal3 (metal3-io/cluster-api-provider-metal3), limited to the parts that assign a host
to a Machine.
"""
