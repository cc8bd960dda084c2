# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate Cluster API on a hub: its core controllers, and the Agent provider with upstream's behaviour.

Source: kubernetes-sigs/cluster-api core/reconcilers; openshift/cluster-api-provider-agent controllers.
"""
