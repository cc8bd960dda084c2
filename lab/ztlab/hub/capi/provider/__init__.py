# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the Agent provider of Cluster API with upstream's behaviour, including the defects in
docs/upstream/cluster-api-provider-agent.md#defects.
"""
