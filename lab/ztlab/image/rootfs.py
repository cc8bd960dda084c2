# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Create and recognise the root file system of a live image: squashfs on RHEL 9, erofs on RHEL 10
(coreos/rhel-coreos-config image-rhel-10.2.yaml).

The kernel recognises them by these magic numbers (Linux fs/squashfs/squashfs_fs.h, fs/erofs/erofs_fs.h).
"""

from __future__ import annotations

_SQUASHFS = b"hsqs"
_EROFS, _EROFS_AT = (0xE0F5E1E2).to_bytes(4, "little"), 1024
# Number of bytes at the start that identify the file system.
HEAD = _EROFS_AT + len(_EROFS)


def new_root(rhel: int) -> bytes:
    """The beginning of a synthetic root file system of this RHEL."""
    words = b"synthetic root file system of ztlab\n"
    return _SQUASHFS + words if rhel < 10 else bytes(_EROFS_AT) + _EROFS + words


def holds_root(head: bytes) -> bool:
    """Whether a kernel of the live system mounts what begins with ``head``, of :data:`HEAD` bytes."""
    return head.startswith(_SQUASHFS) or head[_EROFS_AT:HEAD] == _EROFS
