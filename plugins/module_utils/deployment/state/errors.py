# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the errors of a state store. Each of them means that the record is unknown or cannot be written; none of them
means that there is no record.
"""

from __future__ import annotations

from ...common.errors import ZeroTouchError


class StoreError(ZeroTouchError):
    """Base class of the errors of a state store."""


class StoreUnknown(StoreError):
    """The record cannot be read, so it is unknown what this deployment did."""


class WrongPassphrase(StoreUnknown):
    """The record is encrypted, and the passphrase does not open it."""


class StateDiverged(StoreUnknown):
    """Work directory and store both have records that the other one lacks."""


class StoreConflict(StoreError):
    """The record is not the version that the write assumed. Nothing was written."""


class StoreFailed(StoreError):
    """A write was not confirmed, and a later read does not find it."""


class StoreRefused(StoreError):
    """This store cannot be used: it ignores conditions, lacks a permission, or does not take this size."""


class LeaseHeld(StoreError):
    """Another run holds the lease."""


class LeaseLost(StoreError):
    """The lease of this run is lost, or could not be confirmed in time. The run must write nothing any more."""
