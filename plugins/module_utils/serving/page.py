# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Serve the report of a run as a web page from a separate process, at another port and another random path than the
image.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from ..common.files import ensure_directory
from .detach import ServerConfig, start_server
from .options import PublishOptions
from .served import server_base

LOG = "report-server.log"
# Seconds that the page can be read after the end of its run: browsers that reload it see how the run ended.
AFTER_RUN = 60.0
_TOKEN_BYTES = 16
_FILES = (("report.html", "text/html; charset=utf-8"), ("report.json", "application/json"))


def serve_page(root: Path, options: PublishOptions, *, run: int) -> str:
    """Serve ``report.html`` and ``report.json`` of a work directory until the process ``run`` has ended; returns the
    URL of the page.

    Raises :class:`ZeroTouchError` when no address is known or the server cannot listen.
    """
    base = server_base(options)
    token = secrets.token_hex(_TOKEN_BYTES)
    log = root / "logs" / LOG
    ensure_directory(log.parent)
    page = root / _FILES[0][0]
    _process, port = start_server(
        ServerConfig(
            path=page,
            url_path="",
            log=log,
            listen=options.listen,
            port=options.port,
            any_port=True,
            max_seconds=options.max_seconds,
            certificate=options.certificate,
            key=options.key,
            files=tuple((str((root / name).absolute()), f"/{token}/{name}", media_type) for name, media_type in _FILES),
            run=(run, AFTER_RUN),
        )
    )
    return f"{base.address(options, port)}/{token}/{page.name}"
