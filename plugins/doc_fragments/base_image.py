# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Options of modules that build a bootable image from a CoreOS live ISO."""

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
        description: The path of the ISO. It is never changed. Set this, O(base_image.url) or O(base_image.release).
        type: path
      url:
        description:
          - The ISO on a server. It is transferred once and kept in O(cache_dir); a transfer that breaks goes on where
            it stopped.
        type: str
      release:
        description:
          - V(auto) looks the ISO up in the CoreOS stream metadata of the cluster's release, for its architecture and
            stream. URL, SHA-256 and build are those of the metadata. The state records them, and later calls use the
            same ISO.
          - O(force) without hosts that run from the image, and a new installation, look up again.
        type: str
        choices: [auto]
      stream_url:
        description:
          - Where the stream metadata is, for O(base_image.release). C({release}), C({stream}), C({arch}) and C({file})
            in it are replaced. By default the public repository of the installer.
        type: str
      sha256:
        description: Its SHA-256 (hex). With O(base_image.path) it is compared when an image is built, see
          O(base_image.verify).
        type: str
      version:
        description: The CoreOS build, for an ISO whose volume id does not name it.
        type: str
      rootfs_url:
        description:
          - Where hosts find the root file system of this build, for images that have it not inside, if
            C(bootArtifactsBaseURL) does not say it. By default, for RHEL CoreOS, where it is published.
        type: str
      verify:
        description:
          - When the whole ISO is read and its SHA-256 is computed.
          - With V(changed), the first time that an image is built of it, beside the copying. The digest is kept in
            O(cache_dir), and is used as long as inode, size, modification time and change time of the ISO are the same.
          - With V(always), in every run. The ISO is then compared with O(base_image.sha256) or the digest that was
            kept, and an image that is already there is compared with the ISO, byte for byte.
        type: str
        choices: [changed, always]
        default: changed
  force:
    description: Build the image even if it matches its input. Secrets stay the same.
    type: bool
    default: false
  checksum:
    description:
      - Whether to compute the SHA-256 of what is built, and return it. Where files are copied faster than they are
        hashed (1 to 2 GB a second), the build takes longer with it.
      - The collection does not need the digest; it verifies the base image, see O(base_image.verify).
    type: bool
    default: false
  cache_dir:
    description: Where base images by URL, and the digests of base images, are kept. By default C(~/.cache/zerotouch).
    type: path
  connect_to:
    description:
      - Where connections really go; keys C(host[:port]), values C(address[:port]). Names in URLs and certificates stay
        the original ones.
    type: dict
    default: {}
  ca_cert:
    description: CA, as path or PEM, trusted for O(base_image.url) and O(base_image.stream_url) in addition to the
      system's.
    type: str
"""
