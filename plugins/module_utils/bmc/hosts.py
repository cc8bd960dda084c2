# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the dataclasses that the files of this package share: the request for one host with a BMC, the options of a
module call, and the result for one host.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..common.clock import Clock, SystemClock
from ..common.connect import DIRECT, ConnectTo
from ..common.errors import ZeroTouchError
from ..common.parallel import BMC_FORKS
from ..common.secrets import without_url_tokens
from ..common.state import StateFile


@dataclasses.dataclass(frozen=True)
class ImageAccess:
    """How BMCs read the image: a login at its server, the CA of its certificate (path or PEM), and whether that is
    verified (None: as each BMC is set).
    """

    username: str = ""
    password: str = dataclasses.field(default="", repr=False)
    ca_cert: str = ""
    validate_certs: bool | None = None

    def ca_cert_text(self) -> str:
        """The CA as PEM. Raises :class:`ZeroTouchError` for a file that cannot be read."""
        if self.ca_cert.lstrip().startswith("-----BEGIN"):
            return self.ca_cert
        try:
            return Path(self.ca_cert).expanduser().read_text()
        except (OSError, ValueError) as error:
            raise ZeroTouchError(
                f"The CA certificate {self.ca_cert} of the image server cannot be read: {error}."
            ) from error


@dataclasses.dataclass(frozen=True)
class BootRequest:
    """One host: its BMC, the MACs it must have, and the image to boot. ``method`` is the boot method (boot/methods.py).

    ``clear_jobs``: jobs of an iDRAC that keep the next boot from being set are deleted.
    """

    name: str
    address: str
    username: str = ""
    password: str = dataclasses.field(default="", repr=False)
    validate_certs: bool = True
    ca_cert: str = ""
    fingerprint: str = ""
    mac_addresses: tuple[str, ...] = ()
    image_url: str = ""
    force: bool = False
    clear_jobs: bool = False
    method: str = "bmc"


@dataclasses.dataclass(frozen=True)
class BmcOptions:
    """What holds for all hosts of a call.

    ``ca_cert`` is trusted in addition to each host's own; ``state_file`` remembers sessions. ``before_write`` raises
    where the run must not write to a BMC any more (common/store_link.py). With ``drives`` the drives of each machine
    are read as well.
    """

    forks: int = BMC_FORKS
    connect_to: ConnectTo = DIRECT
    ca_cert: str = ""
    state_file: StateFile | None = None
    clock: Clock = dataclasses.field(default_factory=SystemClock)
    progress: Callable[[str], None] = lambda text: None
    before_write: Callable[[], None] = lambda: None
    image_access: ImageAccess = ImageAccess()
    drives: bool = False


@dataclasses.dataclass
class HostResult:
    """The outcome for one host.

    ``phase`` is the last one that it reached: observe, guard, plan, manual (the user must act), the action of a step,
    or in_use (another run boots the machine).
    """

    name: str
    boot_method: str = "bmc"
    changed: bool = False
    phase: str = "observe"
    failed: bool = False
    reason: str = ""
    plan: list[str] = dataclasses.field(default_factory=list)
    vendor: str = ""
    profile: str = ""
    slot: str = ""
    previous_image: str = ""
    image: str = ""
    boot_target: str = ""
    power_state_before: str = ""
    power_state_after: str = ""
    attempts: int = 0
    warnings: list[str] = dataclasses.field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The result for a module; the tokens in the URLs of discovery images are hidden."""
        return {
            **dataclasses.asdict(self),
            "image": without_url_tokens(self.image),
            "previous_image": without_url_tokens(self.previous_image),
        }
