# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate the programs that run on a host during an installation. The agent registers the host with the
assisted-service and answers its steps; the installer writes the disk; the installed host then becomes a node.
"""
