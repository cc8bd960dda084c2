# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the configuration of a discovery image (Ignition, iPXE script, network) from an InfraEnv. Pure functions.

Source: openshift/assisted-service internal/bminventory/inventory_v2_handlers.go, internal/ignition/discovery.go,
  internal/ignition/templates.
"""
