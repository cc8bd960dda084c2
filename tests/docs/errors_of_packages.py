# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Error messages of a run after the configuration was accepted, by package of plugins/module_utils: data from which
`docs/reference/errors-run.md` is generated.

A test fails for a message that is in no source file.
"""

from __future__ import annotations

from typing import NamedTuple


class Message(NamedTuple):
    """``text`` is as in the source file, with ``…`` for its variable part."""

    text: str
    cause: str
    correction: str


PACKAGES: dict[str, tuple[str, tuple[Message, ...]]] = {
    "bmc": (
        "BMCs",
        (
            Message(
                "has no scheme, which would mean IPMI; write …",
                "without a scheme the address means IPMI, which has no virtual media",
                "write `redfish-virtualmedia+https://HOST/redfish/v1/Systems/ID`",
            ),
            Message(
                "scheme … is unknown; …",
                "the scheme is not one of Redfish virtual media",
                "use one of the schemes in the message",
            ),
            Message(
                "the address must not contain credentials; use username and password",
                "the address contains user name and password",
                "move them to `bmc.username` and `bmc.password`",
            ),
            Message(
                "names no host",
                "`//HOST` is missing after the scheme",
                "add it",
            ),
            Message(
                "Systems of this BMC: …",
                "the path of the address is not a System of this BMC",
                "write the path of one of the Systems in the message: `/redfish/v1/Systems/ID`",
            ),
            Message(
                "the BMC has … {kind}s: …",
                "the BMC has several Systems or Managers",
                "add the path of the System to the address: `/redfish/v1/Systems/ID`",
            ),
            Message(
                "The BMC offers no virtual CD slot….",
                "the firmware is too old, or the licence for virtual media is missing",
                "update the firmware, check the licence, or boot manually: `boot: {method: manual}`",
            ),
            Message(
                "no virtual media slot takes the image: …",
                "the message ends with the message of the BMC. Often the BMC cannot reach the URL, or supports only "
                "HTTP",
                "correct `url` or `method` of `openshift_publish`: the BMC must reach the URL and support its protocol",
            ),
            Message(
                "The machine cannot boot from a virtual CD: …",
                "the BMC allows other boot devices only; the message lists them",
                "allow the virtual CD in the firmware settings",
            ),
            Message(
                "The BMC offers none of the reset types …",
                "the firmware has no suitable reset",
                "update the firmware, or boot manually",
            ),
        ),
    ),
    "image": (
        "Images",
        (
            Message(
                "is not an ISO 9660 image.",
                "the file is not a CoreOS live ISO",
                "set `openshift_base_image` to the live ISO of the release and architecture",
            ),
            Message(
                "ISO image is incomplete: …",
                "the download was interrupted",
                "download it again, and set its `sha256`",
            ),
            Message(
                "sha256 is not a SHA-256 (64 hex digits): …",
                "the value has another form",
                "write only the checksum, without a file name",
            ),
            Message(
                "redirects to an unprotected address.",
                "the server redirects from https to http",
                "set `sha256`, or write the address to which the server redirects",
            ),
            Message(
                "was changed while it was copied.",
                "another process writes to the base image",
                "run again when no process writes to it",
            ),
        ),
    ),
    "serving": (
        "Publishing",
        (
            Message(
                "The image server could not be started…",
                "the message continues with the reason; for a port in use it names the process",
                "stop that process, or set another `openshift_publish.port`",
            ),
            Message(
                "does not answer with …",
                "the image server was started, and this machine cannot connect to it",
                "allow connections of this machine to its own address, and read `logs/image-server.log`",
            ),
            Message(
                "belongs to another user and cannot be controlled.",
                "another user started the image server",
                "stop it as that user",
            ),
            Message(
                "does not exist: there is no image to publish.",
                "no task of this run built the image",
                "run the whole playbook, without `--start-at-task`",
            ),
            Message(
                "stores other bytes than were uploaded: …",
                "the server, or a cache in front of it, changes files; or PUT and GET of `url` reach different servers",
                "correct the server, or use another one",
            ),
            Message(
                "… was not uploaded: …",
                "the server refused the PUT. 401 and 403: the login; 413: the size of the file",
                "set `openshift_publish.headers`, or raise the limit of the server",
            ),
        ),
    ),
    "kube": (
        "Access to a hub or cluster",
        (
            Message(
                "None of the files in kubeconfig exists: …",
                "no kubeconfig was found",
                "set `kubeconfig`, or the environment variable `K8S_AUTH_KUBECONFIG`",
            ),
            Message(
                "The kubeconfig … does not exist.",
                "relative paths are from the directory in which the playbook is started",
                "correct the path",
            ),
            Message(
                "has no current context.",
                "the kubeconfig has several contexts",
                "set `context`",
            ),
            Message(
                "cannot be fetched: …",
                "the program that the kubeconfig names for credentials is missing, or is not logged in",
                "install it, and log in",
            ),
        ),
    ),
    "hub": (
        "A hub's Agents, InfraEnvs and clusters",
        (
            Message(
                "so the hub will not make an image.",
                "the message begins with the reason",
                "correct the InfraEnv",
            ),
            Message(
                "There is no InfraEnv …",
                "the hub has no InfraEnv with this name",
                "correct namespace and name in `openshift_infra_env`",
            ),
            Message(
                "hosts failed:",
                "each line has the hub's answer for one host; all other hosts were configured",
                "correct these hosts, and run again",
            ),
            Message(
                "and is not changed.",
                "another tool created the object",
                "delete it with that tool, or set the label that the message names",
            ),
        ),
    ),
    "assisted": (
        "An assisted service",
        (
            Message(
                "The service has no {kind} …",
                "the name or id is wrong, or the address is that of another service",
                "correct the option that the message names",
            ),
            Message(
                "There are … {kind}s …",
                "several objects have this name",
                "use the id",
            ),
            Message(
                "hosts are not as described.",
                "each host's line has the reason of the service",
                "correct the description",
            ),
            Message(
                "The logs that the service sent are no whole tar archive: …",
                "the service has no space left, or was stopped",
                "repeat the task",
            ),
        ),
    ),
    "common": (
        "Directories",
        (
            Message(
                "cannot be a directory: …",
                "a file or a link with this name exists",
                "set another `openshift_work_dir` or `dest`",
            ),
            Message(
                "cannot be written: you have no write permission for …",
                "the user may not write to the directory",
                "set another `openshift_work_dir` or `dest`",
            ),
        ),
    ),
    "manifests": (
        "Cluster manifests",
        (
            Message(
                "does not exist",
                "`config_dir` is not a directory with `install-config.yaml` or `cluster-manifests/`",
                "correct it",
            ),
            Message(
                "dest and config_dir are both …",
                "the collection never changes your files",
                "set another `dest`",
            ),
        ),
    ),
    "deployment": (
        "Deployment",
        (
            Message(
                "holds configuration files that this collection did not write.",
                "the work directory contains files that the collection did not write",
                "set another `openshift_work_dir`, or `openshift_config_dir` if they are the input",
            ),
            Message(
                "There is nothing to wait for: no image was built in …",
                "no image was built in this work directory",
                "run `deploy_cluster` first, with the same `openshift_work_dir`",
            ),
            Message(
                "is a directory that users share.",
                "the directory will contain secrets",
                "set a directory of your own",
            ),
            Message(
                "names no CoreOS build.",
                "the base image does not contain its version",
                "set `openshift_base_image.version`",
            ),
        ),
    ),
}
