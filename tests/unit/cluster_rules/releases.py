# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Rules of a release that the collection does not accept yet."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster import profile, release
from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rule_profile import Release


@contextlib.contextmanager
def accepted_release(newest: Release) -> Iterator[None]:
    """Accept versions up to ``newest`` while the context lasts."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (profile, release):
            patch.setattr(module, "NEWEST", max(newest, module.NEWEST))
        patch.setattr(profile, "PROFILES", {**profile.PROFILES, newest: profile.ReleaseProfile(newest)})
        yield
