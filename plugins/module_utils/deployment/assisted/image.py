# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Get the discovery image of an InfraEnv from an assisted-service: its URL, or a downloaded copy for BMCs that cannot
reach the service.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

from ...assisted.infra_env.run import image_of
from ...assisted.rest.service import AssistedService
from ...common.clock import Clock
from ...common.connect import ConnectTo
from ...common.errors import ZeroTouchError
from ...common.files import SECRET_FILE, write_atomic
from ...common.http import HttpClient
from ...common.tls import Tls
from ...hub.discovery import check_image
from ...image.download import Downloader


@dataclasses.dataclass(frozen=True)
class Image:
    """``path`` is empty where BMCs fetch it from the service.

    ``transferred``: it was fetched again, or in check mode would be.
    """

    url: str
    path: str = ""
    transferred: bool = False


@dataclasses.dataclass(frozen=True)
class Fetcher:
    """Downloads images from the service's image service to ``directory``."""

    directory: Path
    tls: Tls
    connect_to: ConnectTo
    clock: Clock
    progress: Callable[[str], None]
    check_mode: bool

    def fetch(self, url: str, name: str, infra_env_id: str, made_at: str) -> Image:
        """The ISO of the InfraEnv as it was at ``made_at``, 0600; one that is there already is not fetched again.

        Raises what :class:`Downloader` and :func:`check_image` raise.
        """
        path, known = self.directory / f"{name}.iso", self.directory / f".{name}.iso.source.json"
        source = json.dumps({"infra_env": infra_env_id, "made_at": made_at})
        if path.is_file() and known.is_file() and known.read_text(errors="replace") == source:
            return Image(url, str(path))
        if self.check_mode:
            return Image(url, str(path), True)
        client = HttpClient("The image service", url, self.tls, self.connect_to)
        known.unlink(missing_ok=True)
        downloader = Downloader(client, self.clock, self.progress, place="openshift_work_dir")
        downloader.fetch(url, path, "", check=lambda part: check_image(part, infra_env_id, name), mode=SECRET_FILE)
        write_atomic(known, source, SECRET_FILE)
        return Image(url, str(path), True)


def image_url(service: AssistedService, infra_env_id: str, name: str) -> str:
    """Raises :class:`ZeroTouchError` for a service that makes no images."""
    url = image_of(service, infra_env_id)["url"]
    if not url:
        raise ZeroTouchError(
            f"The assisted-service provides no discovery image for InfraEnv {name}.",
            ("It is probably the service of an agent ISO. Use an assisted-service with an image service."),
        )
    return url
