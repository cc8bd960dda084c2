# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Options of doors that build an image of a CoreOS live ISO."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  base_image:
    description: The CoreOS live ISO of the release to install.
    type: dict
    required: true
    suboptions:
      path:
        description: The ISO as a file. It is never changed. Give this or O(base_image.url).
        type: path
      url:
        description:
          - The ISO on a server. It is transferred once and kept in O(cache_dir); a transfer that breaks goes on where it stopped.
        type: str
      sha256:
        description: Its SHA-256 (hex). With O(base_image.path) it is checked when an image is built, beside the copying where all of it is copied.
        type: str
      version:
        description: The CoreOS build, for an ISO whose volume id does not name it.
        type: str
      rootfs_url:
        description:
          - Where hosts find the root file system of this build, for images that have it not inside, if C(bootArtifactsBaseURL) does not say it. By default,
            for RHEL CoreOS, where it is published.
        type: str
  force:
    description: Build the image even if it matches its input. Secrets stay the same.
    type: bool
    default: false
  checksum:
    description:
      - Whether to compute the SHA-256 of what is built. It is computed beside the copying; where files are copied faster than hashed (about 1 GB/s) it takes
        the longer time.
    type: bool
    default: true
  cache_dir:
    description: Where base images by URL are kept. By default C(~/.cache/zerotouch).
    type: path
  connect_to:
    description:
      - Where connections really go; keys C(host[:port]), values C(address[:port]). Names in URLs and certificates stay the original ones.
    type: dict
    default: {}
  ca_cert:
    description: CA, as path or PEM, trusted for O(base_image.url) in addition to the system's.
    type: str
"""
