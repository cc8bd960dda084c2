# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Run ``openshift-install agent …`` with our modules: agent_config checks and writes the configuration, agent_image
builds the image, and agent_manifests creates the manifests.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_collections.zerotouch.openshift.plugins.module_utils.common.entry_point import Call, perform
from ansible_collections.zerotouch.openshift.plugins.module_utils.deployment.state.work_dir import WorkDir
from ansible_collections.zerotouch.openshift.plugins.module_utils.ignition.secrets import BuildSecrets
from ansible_collections.zerotouch.openshift.plugins.modules import agent_config, agent_image, agent_manifests
from ansible_collections.zerotouch.openshift.tests.unit.installer_cases.counterparts import COMMANDS, VARIABLES

# What an installer that was built without a release calls itself.
UNBUILT = "was not built correctly"
_FAILED = {
    "create image": "failed to fetch Agent Installer ISO",
    "create pxe-files": "failed to fetch Agent Installer PXE Files",
    "create config-image": "failed to fetch Agent Installer Config ISO",
    "create cluster-manifests": "failed to fetch Agent Manifests",
}


_KINDS = {"create image": "iso", "create pxe-files": "pxe", "create config-image": "config_iso"}


class NoCounterpart(Exception):
    """Our modules have nothing that does this; the text says why."""


@dataclasses.dataclass(frozen=True)
class Done:
    code: int
    stderr: str = ""
    stdout: str = ""


@dataclasses.dataclass(frozen=True)
class Installer:
    """``scratch`` is a directory beside the case; ``base`` the CoreOS image.

    Signers are drawn once for all cases: that costs a second each.
    """

    scratch: Path
    base: Path
    version: str
    release_image: str
    secrets: BuildSecrets

    def run(self, arguments: Sequence[str], variables: Mapping[str, str]) -> Done:
        named = {argument.partition("=")[0] for argument in arguments if argument.startswith("--")}
        directory, words = _options(arguments)
        command = " ".join(words[1:3] if words[1:2] == ["create"] else words[1:2])
        if words[:1] != ["agent"] or (command not in _FAILED and command not in COMMANDS):
            raise ValueError(f"openshift-install {' '.join(words)} is not known")
        if command in COMMANDS:
            raise NoCounterpart(f"openshift-install agent {command}: {COMMANDS[command]}")
        for name, reason in VARIABLES.items():
            if variables.get(name):
                raise NoCounterpart(f"{name}: {reason}")
        if unknown := named - {"--dir", "--log-level"}:
            raise ValueError(f"unknown options {', '.join(sorted(unknown))}")
        return self.manifests(directory) if command == "create cluster-manifests" else self.image(command, directory)

    def image(self, command: str, directory: Path) -> Done:
        """What is refused is refused before anything is built; auth/ is the installer's, images/agent.… is its
        agent.….iso.
        """
        work = self.scratch / "work"
        config = self.open(agent_config, config_dir=str(directory), dest=str(work / "config"))
        if config["failed"]:
            return _refused(command, config)
        with WorkDir(work).state.edit() as document:
            document["secrets"] = self.secrets.to_state()
        image = self.open(
            agent_image,
            config_dir=str(work / "config"),
            work_dir=str(work),
            base_image={"path": str(self.base)},
            kind=_KINDS[command],
        )
        if image["failed"]:
            return _refused(command, image)
        shutil.copytree(work / "auth", directory / "auth")
        artifacts = work / "boot-artifacts"
        if artifacts.is_dir():
            shutil.copytree(artifacts, directory / artifacts.name)
        if command != "create pxe-files":
            built = Path(image["path"])
            shutil.copy(built, directory / built.name)
        (directory / "rendezvousIP").write_text(image["rendezvous_ip"])
        replicas = config["replicas"]
        infos = [
            (
                f"Configuration has {replicas['master']} master replicas, {replicas['arbiter']} arbiter replicas, and "
                f"{replicas['worker']} worker replicas"
            ),
            f"The rendezvous host IP (node0 IP) is {image['rendezvous_ip']}",
        ]
        if command == "create pxe-files":
            infos += [f"Created iPXE script {path.name} in {artifacts} directory" for path in artifacts.glob("*.ipxe")]
        elif image["boot_artifacts"]:
            infos.append(f"RootFS file created in: {directory}/{artifacts.name}. Upload it at {image['rootfs_url']}")
        return Done(0, _log("info", infos) + _log("warning", _warnings(config)))

    def manifests(self, directory: Path) -> Done:
        made = self.open(agent_manifests, config_dir=str(directory), dest=str(self.scratch / "manifests"))
        if made["failed"]:
            return _refused("create cluster-manifests", made)
        for name in made["files"]:
            if not name.startswith("openshift/"):
                (directory / name).parent.mkdir(exist_ok=True)
                shutil.copy(self.scratch / "manifests" / name, directory / name)
        return Done(
            0,
            _log("info", [(f"Cluster-Manifests created in: {directory}/cluster-manifests and {directory}/mirror")])
            + _log("warning", _warnings(made)),
        )

    def open(self, entry_point: Any, **options: Any) -> dict[str, Any]:
        params = {name: spec.get("default") for name, spec in entry_point.argument_spec().items()}
        if "version" in params:
            # Our own checks are not the installer's: what they say is not compared.
            params |= {"version": self.version, "release_image": self.release_image, "checks": _OWN_CHECKS_OFF}
        if isinstance(options.get("base_image"), dict):
            options["base_image"] = {
                "url": None,
                "sha256": None,
                "version": None,
                "rootfs_url": None,
                **options["base_image"],
            }
        return perform(entry_point.run, Call({**params, **options}))


def _own_checks() -> dict[str, str]:
    from ansible_collections.zerotouch.openshift.plugins.module_utils.cluster.rules.checks import CHECKS

    return {name: "off" for name, check in CHECKS.items() if check.layer == "ours"}


_OWN_CHECKS_OFF = _own_checks()


def _options(arguments: Sequence[str]) -> tuple[Path, list[str]]:
    """The directory, and the words that are no options."""
    directory, words, waiting = Path(), [], ""
    for argument in arguments:
        if waiting:
            directory = Path(argument) if waiting == "--dir" else directory
            waiting = ""
        elif argument in ("--dir", "--log-level"):
            waiting = argument
        elif argument.startswith("--dir="):
            directory = Path(argument.removeprefix("--dir="))
        elif not argument.startswith("--"):
            words.append(argument)
    return directory, words


def _refused(command: str, result: Mapping[str, Any]) -> Done:
    problems = [problem for problem in result.get("problems", []) if problem["severity"] == "error"]
    reported = [
        ": ".join(filter(None, (one["path"], one["kind"], one["value"], one["detail"]))) for one in problems
    ] or [str(result["msg"])]
    listed = f"[{', '.join(reported)}]"
    shown = reported[0] if len(reported) == 1 else listed
    return Done(1, _log("fatal", [f"{_FAILED[command]}: {shown}"]))


def _warnings(result: Mapping[str, Any]) -> list[str]:
    return [f"{one['path']}: {one['detail']}" for one in result["problems"] if one["severity"] == "warning"]


def _log(level: str, texts: Sequence[str]) -> str:
    return "".join(f"level={level} msg={text}\n" for text in texts)
