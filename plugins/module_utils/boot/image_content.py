# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Open the image for boot methods that upload it: the file that this machine publishes, otherwise a download from the
image's URL.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from ..bmc.hosts import BmcOptions
from ..common import libraries
from ..common.errors import RemoteError, ZeroTouchError
from ..common.http import HttpClient, unreachable
from ..common.tls import Tls
from ..hypervisor.image_volume import ImageContent

_READ_TIMEOUT = 60.0


@contextlib.contextmanager
def image_content(url: str, options: BmcOptions) -> Iterator[ImageContent]:
    """The image at the URL. Raises :class:`ZeroTouchError` when it cannot be read."""
    file = _published_file(url, options)
    with _of_file(file) if file is not None else _of_url(url, options) as content:
        yield content


def _published_file(url: str, options: BmcOptions) -> Path | None:
    published = options.state_file.section("publish") if options.state_file else {}
    if not published.get("path") or published.get("url") != url:
        return None
    path = Path(str(published["path"]))
    return path if path.is_file() else None


@contextlib.contextmanager
def _of_file(path: Path) -> Iterator[ImageContent]:
    try:
        with path.open("rb") as file:
            status = path.stat()
            yield ImageContent(status.st_size, f"{status.st_size} {status.st_mtime_ns}", file.read)
    except OSError as error:
        raise ZeroTouchError(f"{path} cannot be read: {error.strerror}.") from error


@contextlib.contextmanager
def _of_url(url: str, options: BmcOptions) -> Iterator[ImageContent]:
    tls = Tls(ca_certs=(options.ca_cert,) if options.ca_cert else ())
    client = HttpClient("The server of the image", url, tls, options.connect_to, timeout=_READ_TIMEOUT)
    try:
        with client.stream("GET", url, headers={"Accept-Encoding": "identity"}) as answer:
            if answer.status != 200:
                raise RemoteError(client.service, answer.status, str(answer.reason or ""))
            length = answer.headers.get("Content-Length", "")
            if not length.isascii() or not length.isdigit():
                raise ZeroTouchError("The image server does not send the size of the image (no Content-Length).")
            identity = f"{length} {answer.headers.get('ETag', '')} {answer.headers.get('Last-Modified', '')}"

            def read(wanted: int) -> bytes:
                try:
                    return bytes(answer.read(wanted))
                except libraries.urllib3.exceptions.HTTPError as error:
                    raise unreachable(client.service, url, error) from error

            yield ImageContent(int(length), identity, read)
    finally:
        client.close()
