# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""What to do about a value, where more can be said than the installer says."""

from __future__ import annotations

import re

_PATH = re.compile(r"(~|\.{1,2})?/?[\w.+-]+(/[\w.+-]+)*\.(json|ya?ml|txt|pub|pem|key)|(~|\.{1,2})?/[^\s{}]{1,200}")


def path_hint(text: str) -> str:
    """What to write where the content of a file belongs and its path was given; says nothing of other texts."""
    if not _PATH.fullmatch(text.strip()):
        return ""
    return "this looks like the path of a file, its content is needed: \"{{ lookup('ansible.builtin.file', '…') }}\""
