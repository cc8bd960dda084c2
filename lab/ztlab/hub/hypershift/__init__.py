# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate HyperShift on a hub: controllers manage hosted clusters on the Agent platform through the hub's API.

Source: openshift/hypershift docs/content/how-to/agent.
"""
