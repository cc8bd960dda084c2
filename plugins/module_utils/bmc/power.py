# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Switch a machine on or off through its BMC, wait until the BMC reports the new power state, and detect that another
run has switched the machine on.
"""

from __future__ import annotations

from typing import Literal

from ..common.clock import Clock
from ..common.errors import LimitReached, Unreachable, ZeroTouchError
from ..common.retry import retry
from ..common.retry_policies import BMC_POWER
from .machine import Machine, as_text
from .session import RedfishSession, RefusedRequest

PowerState = Literal["On", "Off"]
OFF_WITHIN = 120.0
ON_WITHIN = 120.0
ON_STATES = ("On", "PoweringOn")
# Seconds for which a machine must be on before it counts as started.
ON_FOR = 5.0
# Seconds between the insert and the power-on of another run: it sets the boot override meanwhile.
STARTED_WITHIN = 30.0
# Reset types in the order in which they are tried; the same pairs as in redfish_command of community.general.
_CHOICES = {"Off": ("ForceOff", "GracefulShutdown", "PushPowerButton"), "On": ("On", "ForceOn", "PushPowerButton")}


def power_state(session: RedfishSession, machine: Machine) -> str:
    """On, Off, PoweringOn, PoweringOff, or empty while the BMC does not know."""
    return as_text(session.get(machine.system).get("PowerState"))


def power_off(session: RedfishSession, machine: Machine, clock: Clock) -> bool:
    """Switch off and wait for it; returns whether anything had to be done."""
    return _reach(session, machine, "Off", OFF_WITHIN, clock)


def power_on(session: RedfishSession, machine: Machine, clock: Clock) -> bool:
    """Switch on and wait for it; returns whether anything had to be done."""
    return _reach(session, machine, "On", ON_WITHIN, clock)


def _reach(session: RedfishSession, machine: Machine, wanted: PowerState, limit: float, clock: Clock) -> bool:
    if power_state(session, machine) == wanted:
        return False
    chosen = reset_type(machine, wanted)

    def post() -> None:
        try:
            session.post(machine.reset_action, {"ResetType": chosen})
        except (RefusedRequest, Unreachable) as error:
            # Refused because it is already so or on its way, or the answer was lost: the state says it.
            readable = isinstance(error, Unreachable) or error.status >= 500 or error.status in (400, 409)
            if not readable or power_state(session, machine) not in (wanted, f"Powering{wanted}"):
                raise

    retry(post, BMC_POWER, clock)
    deadline = clock.now() + limit
    while (state := power_state(session, machine)) != wanted:
        if clock.now() >= deadline:
            shown_state = state or "in an unknown power state"
            raise LimitReached(
                f"{session.service}: the machine is still {shown_state} {limit:.0f} s after {chosen}.",
                limit,
                "Look at the console of the machine. If the BMC does not respond correctly, reset it.",
            )
        clock.sleep(2)
    return True


class InUse(ZeroTouchError):
    """Another run boots this machine: this one leaves it as it is, and restores nothing."""

    def __init__(self, service: str, state: str) -> None:
        shown_state = state or "in an unknown power state"
        super().__init__(
            f"{service}: another run has changed the machine since this run read it. The machine is {shown_state}, "
            "and this run does not change it again.",
            "Wait until the other run has ended, and run again.",
        )
        self.state = state


def check_off(session: RedfishSession, machine: Machine, clock: Clock) -> None:
    """Raises :class:`InUse` if the machine was off when this run read it and is on now: another run has started it.

    A BMC may show On for a moment after a power-off, so the state is read twice.
    """
    if machine.power_state != "Off" or power_state(session, machine) not in ON_STATES:
        return
    clock.sleep(ON_FOR)
    if (state := power_state(session, machine)) in ON_STATES:
        raise InUse(session.service, state)


def check_unused(session: RedfishSession, machine: Machine, clock: Clock) -> None:
    """Wait for ``STARTED_WITHIN`` seconds whether a machine that holds an image is switched on.

    Raises :class:`InUse` if it is: we keep it off until our image is in it, so another run did that.
    """
    deadline = clock.now() + STARTED_WITHIN
    while (state := power_state(session, machine)) not in ON_STATES:
        if clock.now() >= deadline:
            return
        clock.sleep(2)
    raise InUse(session.service, state)


def reset_type(machine: Machine, wanted: PowerState) -> str:
    """What to send for this power state; raises :class:`ZeroTouchError` when the BMC offers nothing for it."""
    choices = _CHOICES[wanted]
    for choice in choices:
        if not machine.reset_types or choice in machine.reset_types:
            return choice
    raise ZeroTouchError(
        f"The BMC offers none of the reset types {', '.join(choices)}; it offers {', '.join(machine.reset_types)}.",
        "Update the firmware of the BMC, or set boot.method of the host to manual.",
    )
