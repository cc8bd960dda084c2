# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Simulate assisted-image-service: serve the discovery image of each InfraEnv as an overlay over a base image.

Source: openshift/assisted-service internal/imageservice/urls.go; openshift/assisted-image-service internal/handlers.
"""

from __future__ import annotations

from .layout import ImageError, Layout, read_layout, write_minimal
from .overlay import Overlay, iso_overlay, pxe_initrd
from .service import ImageService, OsImageFile

__all__ = [
    "ImageError",
    "ImageService",
    "Layout",
    "OsImageFile",
    "Overlay",
    "iso_overlay",
    "pxe_initrd",
    "read_layout",
    "write_minimal",
]
