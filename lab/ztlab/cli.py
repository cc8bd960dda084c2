# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Parse the command line of ``ztlab`` and run its commands."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

from . import commands
from .control import ControlError, ask
from .faults import KINDS
from .image.versions import VERSIONS
from .site.model import SiteError
from .state import Options

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "": 1}


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 not done (the reason is on standard error), 2 wrong usage."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        _COMMANDS[options.command](options)
    except (commands.CommandError, ControlError, SiteError) as error:
        print(f"ztlab: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    return 0


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--state", type=Path, default=Path(".ztlab"), metavar="DIR", help="state directory (default: .ztlab)"
    )
    parser = argparse.ArgumentParser(prog="ztlab", description="A simulated data centre on the loopback interface.")
    commands_of = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, text: str) -> argparse.ArgumentParser:
        return commands_of.add_parser(name, help=text, description=text, parents=[common])

    start = command("up", "start a lab")
    start.add_argument(
        "--site", type=Path, required=True, metavar="FILE", help="the site file: networks, machines, BMCs"
    )
    start.add_argument("--net", default="auto", help="127.N, or auto: the first free one (default)")
    start.add_argument("--speed", type=_speed, default=1.0, help="lab seconds per second (default 1)")
    start.add_argument(
        "--ttl", type=_duration, default=7200.0, help=("when the lab ends by itself: 90s, 30m, 2h (default)")
    )
    start.add_argument(
        "--base-image", type=Path, metavar="PATH", help=("a real CoreOS live ISO instead of the lab's synthetic one")
    )
    start.add_argument(
        "--rhel",
        type=int,
        choices=sorted(VERSIONS),
        default=9,
        help=("RHEL of the synthetic live ISO: 9 (default), 10 for OpenShift 5"),
    )
    start.add_argument("--vars", type=Path, metavar="FILE", help="write what `ztlab vars` prints to this file")
    start.add_argument(
        "--with-process",
        type=int,
        default=0,
        metavar="PID",
        help=("end with this process, and remove the state directory"),
    )
    start.add_argument(
        "--swagger", type=Path, metavar="FILE", help=("check every answer of the assisted-service against this swagger")
    )
    state = command("status", "what the lab is doing")
    state.add_argument("--json", action="store_true", help="everything, as JSON")
    command("down", "end the lab and remove everything it left")
    command("vars", "variables for ansible-playbook -e @FILE, as YAML")
    screen = command("console", "the console log of a machine")
    screen.add_argument("host", metavar="HOST")
    screen.add_argument("--follow", "-f", action="store_true", help="go on printing")
    by_hand = command(
        "boot", ("boot a machine manually: put the medium in, switch on (for hosts whose boot method is manual)")
    )
    by_hand.add_argument("host", metavar="HOST")
    by_hand.add_argument("--image", required=True, metavar="URL", help="where the medium is published")
    power = command("power", "switch a machine on or off past its BMC, as a person at the rack or a power cut does")
    power.add_argument("host", metavar="HOST", nargs="?", default="")
    power.add_argument("power", choices=("on", "off"))
    power.add_argument("--all", action="store_true", help="every machine of the site")
    other = command(
        "install", ("something else is installed on a machine and runs there, as if another team had done it")
    )
    other.add_argument("host", metavar="HOST")
    other.add_argument("system", metavar="SYSTEM", nargs="?", default="", help="an operating system, as rhel-8")
    other.add_argument(
        "--cluster", default="", metavar="NAME", help=("the machine is a worker of this cluster, which runs")
    )
    pace = command("speed", "go on faster or slower")
    pace.add_argument("speed", type=_speed, metavar="N", help="lab seconds per second")
    credentials = command("kubeconfig", "a kubeconfig of the newest cluster that works while the lab runs")
    credentials.add_argument("--hub", action="store_true", help="of the hub instead")
    credentials.add_argument(
        "--cluster", default="", metavar="NAME", help=("of the newest cluster with this name, hosted or not")
    )
    _add_fault_parsers(command("fault", "make things go wrong"))
    captured = command("replay", "play the captured Redfish answers of a BMC")
    captured.add_argument(
        "directory",
        type=Path,
        metavar="DIRECTORY",
        help=("JSON files, as Redfish-Mockup-Creator writes them or in any layout"),
    )
    captured.add_argument(
        "--listen",
        type=_endpoint,
        default=("127.0.0.1", 8000),
        metavar="HOST:PORT",
        help="default 127.0.0.1:8000; port 0: any free one",
    )
    draft = command("site-from-inventory", "draft a site file from an inventory; correct it to the physical truth")
    draft.add_argument(
        "--inventory",
        "-i",
        action="append",
        required=True,
        metavar="PATH",
        help="as for ansible-playbook; can be repeated",
    )
    draft.add_argument("--output", "-o", type=Path, metavar="FILE", help="where to write (default: standard output)")
    draft.add_argument(
        "--extra-vars",
        "-e",
        action="append",
        default=[],
        metavar="VARS",
        help="as for ansible-playbook; can be repeated",
    )
    return parser


def _add_fault_parsers(parser: argparse.ArgumentParser) -> None:
    # The default of an action would replace what was given before it.
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--state", type=Path, default=argparse.SUPPRESS, metavar="DIR", help="state directory (default: .ztlab)"
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = "\n".join(f"  {kind:<26} {text}" for kind, text in KINDS.items())
    add = actions.add_parser(
        "add",
        help="inject a fault",
        parents=[common],
        epilog=f"kinds:\n{listing}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add.add_argument("kind", metavar="KIND")
    add.add_argument("--machine", metavar="NAME", help="only there")
    add.add_argument("--count", type=int, default=1, help="how many times (default 1; 0: until cleared)")
    add.add_argument(
        "--option", action="append", default=[], type=_assignment, metavar="NAME=VALUE", help="can be repeated"
    )
    actions.add_parser("list", help="faults and how often they bit", parents=[common])
    clear = actions.add_parser("clear", help="forget faults", parents=[common])
    clear.add_argument("kind", nargs="?", metavar="KIND")
    clear.add_argument("--machine", metavar="NAME")


def _duration(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no duration like 90s, 30m, 2h")
    return float(match[1]) * _UNITS[match[2]]


def _endpoint(text: str) -> tuple[str, int]:
    host, _colon, port = text.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT")
    return host.strip("[]"), int(port)


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from error
    if speed <= 0:
        raise argparse.ArgumentTypeError("must be greater than 0")
    return speed


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _up(options: argparse.Namespace) -> None:
    wanted = Options(
        site=str(options.site.resolve()),
        net=options.net,
        speed=options.speed,
        ttl=options.ttl,
        base_image=str(options.base_image.resolve()) if options.base_image else "",
        rhel=options.rhel,
        swagger=str(options.swagger.resolve()) if options.swagger else "",
        process=options.with_process,
    )
    print(commands.summary(commands.up(options.state.resolve(), wanted), options.state))
    if options.vars:
        options.vars.write_text(_variables(options.state))


def _status(options: argparse.Namespace) -> None:
    status = ask(options.state, "status")
    print(json.dumps(status, indent=2) if options.json else commands.summary(status, options.state))


def _down(options: argparse.Namespace) -> None:
    ended = commands.down(options.state.resolve())
    print("The lab is down." if ended else f"No lab in {options.state}.")


def _variables(state: Path) -> str:
    return yaml.safe_dump(ask(state, "vars"), sort_keys=False)


def _vars(options: argparse.Namespace) -> None:
    print(_variables(options.state), end="")


def _console(options: argparse.Namespace) -> None:
    commands.console(options.state, options.host, follow=options.follow)


def _boot(options: argparse.Namespace) -> None:
    ask(options.state, "boot", machine=options.host, image=options.image)
    print(f"{options.host} boots from {options.image}; ztlab console {options.host} shows how far it gets.")


def _power(options: argparse.Namespace) -> None:
    if bool(options.host) == options.all:
        raise commands.CommandError("name a machine, or all of them with --all")
    states = ask(options.state, "power", machines=[] if options.all else [options.host], power=options.power)
    print("\n".join(f"{name}: {state}" for name, state in states.items()))


def _install(options: argparse.Namespace) -> None:
    if bool(options.system) == bool(options.cluster):
        raise commands.CommandError("name an operating system, or a cluster with --cluster")
    done = ask(options.state, "install", machine=options.host, system=options.system, cluster=options.cluster)
    role = next(iter(done["installed"].values()))
    system = options.system or f"as {role} of {options.cluster}"
    print(f"{options.host} runs {system}.")


def _change_speed(options: argparse.Namespace) -> None:
    print(f"speed {ask(options.state, 'speed', speed=options.speed)['speed']:g}")


def _kubeconfig(options: argparse.Namespace) -> None:
    print(ask(options.state, "kubeconfig", hub=options.hub, cluster=options.cluster), end="")


def _fault(options: argparse.Namespace) -> None:
    if options.action == "add":
        fault = ask(
            options.state,
            "fault-add",
            kind=options.kind,
            machine=options.machine,
            count=options.count or None,
            options=dict(options.option),
        )
        print(f"fault {fault['id']}: {fault['kind']}: {KINDS[fault['kind']]}")
    elif options.action == "clear":
        print(f"{ask(options.state, 'fault-clear', kind=options.kind, machine=options.machine)} faults forgotten")
    else:
        for fault in ask(options.state, "fault-list"):
            where = fault["machine"] or "any machine"
            most, settings = fault["count"] or "any number of", fault["options"] or ""
            times = f"bit {fault['taken']} of {most} times"
            print(f"{fault['id']:>3} {fault['kind']:<26} {where}, {times} {settings}".rstrip())


def _replay(options: argparse.Namespace) -> None:
    from .bmc.replay import ReplayError, replay  # late: no other command needs it

    try:
        replay(options.directory, *options.listen)
    except ReplayError as error:
        raise commands.CommandError(str(error)) from error


def _site_from_inventory(options: argparse.Namespace) -> None:
    from .drafting import draft_site  # late: no other command needs it

    text = draft_site(options.inventory, options.extra_vars)
    if options.output:
        options.output.touch(mode=0o600)
        options.output.write_text(text, encoding="utf-8")
        print(f"{options.output} is a draft: correct it to the hardware in the rack.")
    else:
        print(text, end="")


_COMMANDS = {
    "up": _up,
    "status": _status,
    "down": _down,
    "vars": _vars,
    "console": _console,
    "boot": _boot,
    "power": _power,
    "install": _install,
    "speed": _change_speed,
    "kubeconfig": _kubeconfig,
    "fault": _fault,
    "replay": _replay,
    "site-from-inventory": _site_from_inventory,
}

if __name__ == "__main__":
    sys.exit(main())
