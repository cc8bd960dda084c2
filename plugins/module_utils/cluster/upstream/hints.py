# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Hints that this collection adds to error messages of the installer, such as "this looks like the path of a file"."""

from __future__ import annotations

import re

_PATH = re.compile(r"(~|\.{1,2})?/?[\w.+-]+(/[\w.+-]+)*\.(json|ya?ml|txt|pub|pem|key)|(~|\.{1,2})?/[^\s{}]{1,200}")


def path_hint(text: str) -> str:
    """The hint for a field that contains the path of a file instead of its content; empty for other texts."""
    if not _PATH.fullmatch(text.strip()):
        return ""
    return "this looks like the path of a file, its content is needed: \"{{ lookup('ansible.builtin.file', '…') }}\""
