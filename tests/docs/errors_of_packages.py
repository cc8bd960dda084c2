# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Messages that a run meets after the configuration was accepted, by the part of the world that they are about.

A message that no source has fails a test.
"""

from __future__ import annotations

from typing import NamedTuple


class Message(NamedTuple):
    """``text`` as it is written in the sources, with ``…`` for what differs; ``room`` is a directory of
    module_utils.
    """

    text: str
    mend: str


PACKAGES: dict[str, tuple[str, tuple[Message, ...]]] = {
    "bmc": (
        "BMCs",
        (
            Message(
                "has no scheme, which would mean IPMI; write …",
                ("`redfish-virtualmedia+https://HOST/redfish/v1/Systems/ID`: IPMI has no virtual media"),
            ),
            Message("scheme … is unknown; …", "one of the schemes that are named"),
            Message(
                "credentials do not belong into the address; use username and password",
                "move them to `bmc.username` and `bmc.password`",
            ),
            Message("names no host", "`//HOST` is missing behind the scheme"),
            Message(
                "Systems of this BMC: …",
                ("put the path of the System that is meant into the address: `/redfish/v1/Systems/ID`"),
            ),
            Message(
                "the BMC has … {kind}s: …",
                ("add the path of the System that is meant to the address: `/redfish/v1/Systems/ID`"),
            ),
            Message(
                "The BMC offers no virtual CD slot….",
                "update the BMC's firmware, check its licence for virtual media, or boot by hand: `boot: {method: "
                "manual}`",
            ),
            Message(
                "no virtual media slot takes the image: …",
                "read the BMC's message at the end. Often the BMC cannot reach the URL (`openshift_publish`), or "
                "supports only HTTP",
            ),
            Message("The machine cannot boot from a virtual CD: …", "allow it in the firmware's settings"),
            Message("The BMC offers none of the reset types …", "update the BMC's firmware, or boot by hand"),
        ),
    ),
    "image": (
        "Images",
        (
            Message(
                "is not an ISO 9660 image.",
                ("`openshift_base_image` is the CoreOS live ISO of the release and architecture"),
            ),
            Message("ISO image is incomplete: …", "download it again, and name its `sha256`"),
            Message("sha256 is not a SHA-256 (64 hex digits): …", "the checksum alone, without a file name"),
            Message("redirects to an unprotected address.", "name the https address it leads to, if it can be trusted"),
            Message("was changed while it was copied.", "start again when no process writes to it"),
        ),
    ),
    "serving": (
        "Publishing",
        (
            Message(
                "The image server could not be started…",
                ("its own words follow; a port in use is named with the process that has it"),
            ),
            Message("belongs to another user and cannot be controlled.", "stop it as that user"),
            Message(
                "does not exist: there is no image to publish.", ("run the whole playbook, not with `--start-at-task`")
            ),
            Message(
                "stores other bytes than were uploaded: …",
                (
                    "the server, or a cache in front of it, changes files; or PUT and GET of `url` reach different "
                    "servers"
                ),
            ),
            Message(
                "… was not uploaded: …",
                (
                    "the answer of the server to PUT; 401 and 403: `openshift_publish.headers`, 413: its limit of a "
                    "file's size"
                ),
            ),
        ),
    ),
    "kube": (
        "Access to a hub or cluster",
        (
            Message(
                "None of the files in kubeconfig exists: …",
                ("`kubeconfig`, or the environment variable `K8S_AUTH_KUBECONFIG`"),
            ),
            Message(
                "The kubeconfig … does not exist.", ("the path is from the directory in which the playbook is started")
            ),
            Message("has no current context.", "name one: `context`"),
            Message(
                "cannot be fetched: …",
                ("the program that the kubeconfig names for credentials must be there and logged in"),
            ),
        ),
    ),
    "hub": (
        "A hub's Agents, InfraEnvs and clusters",
        (
            Message("so the hub will not make an image.", "the message begins with the reason; correct the InfraEnv"),
            Message("There is no InfraEnv …", "namespace and name in `openshift_infra_env`"),
            Message("hosts failed:", "each line has the hub's answer for one host; all other hosts were configured"),
            Message(
                "and is left alone.", "the collection deletes only objects that it created. Delete the object manually"
            ),
        ),
    ),
    "assisted": (
        "An assisted service",
        (
            Message("The service has no {kind} …", "the name or id, or the service's address"),
            Message("There are … {kind}s …", "say which one by its id"),
            Message("hosts are not as described.", "each host's line has the service's own reason"),
            Message(
                "The logs that the service sent are no whole tar archive: …",
                ("the service ran out of room or was stopped: repeat it"),
            ),
        ),
    ),
    "common": (
        "Directories",
        (
            Message(
                "cannot be a directory: …", ("a file or a link is in the way: another `openshift_work_dir` or `dest`")
            ),
            Message("cannot be written: you may not write to …", "another `openshift_work_dir` or `dest`"),
        ),
    ),
    "manifests": (
        "Cluster manifests",
        (
            Message(
                "does not exist",
                ("`config_dir` is the directory that holds `install-config.yaml` or `cluster-manifests/`"),
            ),
            Message("dest and config_dir are both …", "another `dest`: what you wrote is never changed"),
        ),
    ),
    "deployment": (
        "Deployment",
        (
            Message(
                "holds configuration files that this collection did not write.",
                ("another `openshift_work_dir`, or `openshift_config_dir` if they are the input"),
            ),
            Message(
                "There is nothing to wait for: no image was built in …",
                ("`deploy_cluster` first, with the same `openshift_work_dir`"),
            ),
            Message("is a directory that users share.", "a directory of your own: secrets go there"),
            Message("names no CoreOS build.", "`openshift_base_image.version`"),
        ),
    ),
}
