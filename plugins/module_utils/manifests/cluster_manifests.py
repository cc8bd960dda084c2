# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Render the manifests of a deployment: the files of ``cluster-manifests/`` and ``mirror/``, and the extra manifests.

Source: openshift/installer pkg/asset/agent/manifests.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..cluster.profile import profile_of
from ..cluster.spec import Deployment
from ..cluster.tree import plain
from ..cluster.upstream.pem import first_block
from ..common.yaml_text import dump_object, dump_objects
from . import objects, provided_set
from .extra import split_manifests
from .mirrors import registries_conf
from .names import CA_BUNDLE, CLUSTER_MANIFESTS, REGISTRIES_CONF
from .provided_texts import normalised


@dataclasses.dataclass(frozen=True)
class ManifestSet:
    """The complete input of the assisted service on the rendezvous host.

    ``files`` maps path (``cluster-manifests/…``, ``mirror/…``) to text, ``extra`` name to text of
    /etc/assisted/extra-manifests. Holds the pull secret and, in the overrides, passwords: for files of mode 0600 only,
    never for output.
    """

    agent_cluster_install: Mapping[str, Any] = dataclasses.field(repr=False)
    cluster_deployment: Mapping[str, Any]
    cluster_image_set: Mapping[str, Any]
    infra_env: Mapping[str, Any]
    nmstate_configs: tuple[Mapping[str, Any], ...]
    pull_secret: Mapping[str, Any] = dataclasses.field(repr=False)
    files: Mapping[str, str] = dataclasses.field(repr=False)
    extra: Mapping[str, str] = dataclasses.field(repr=False)

    @property
    def cluster_manifests(self) -> dict[str, str]:
        """File name -> text of the directory cluster-manifests/, which the live system has as
        /etc/assisted/manifests.
        """
        head = f"{CLUSTER_MANIFESTS}/"
        return {path.removeprefix(head): text for path, text in self.files.items() if path.startswith(head)}

    @property
    def objects(self) -> tuple[Mapping[str, Any], ...]:
        """All objects, in the order of their files."""
        return (
            self.agent_cluster_install,
            self.cluster_deployment,
            self.cluster_image_set,
            self.infra_env,
            *self.nmstate_configs,
            self.pull_secret,
        )


def render_manifests(deployment: Deployment) -> ManifestSet:
    """The set for a valid deployment; the same deployment gives the same bytes.

    Raises :class:`InvalidInput` for extra manifests that are not YAML.
    """
    if deployment.provided_manifests:
        return _provided(deployment)
    cluster = deployment.cluster
    profile = profile_of(cluster.version)
    made: dict[str, Any] = {
        "agent_cluster_install": objects.agent_cluster_install(deployment),
        "cluster_deployment": objects.cluster_deployment(cluster),
        "cluster_image_set": objects.cluster_image_set(cluster),
        "infra_env": objects.infra_env(deployment),
        "pull_secret": objects.pull_secret(cluster),
    }
    nmstate_configs = tuple(
        objects.nmstate_config(cluster, index, host)
        for index, host in enumerate(deployment.hosts)
        if host.network_config
    )
    files = {
        f"{CLUSTER_MANIFESTS}/agent-cluster-install.yaml": dump_object(made["agent_cluster_install"]),
        f"{CLUSTER_MANIFESTS}/cluster-deployment.yaml": dump_object(made["cluster_deployment"]),
        f"{CLUSTER_MANIFESTS}/cluster-image-set.yaml": dump_object(made["cluster_image_set"]),
        f"{CLUSTER_MANIFESTS}/infraenv.yaml": dump_object(made["infra_env"]),
        f"{CLUSTER_MANIFESTS}/nmstateconfig.yaml": dump_objects(nmstate_configs),
        f"{CLUSTER_MANIFESTS}/pull-secret.yaml": dump_object(made["pull_secret"]),
        REGISTRIES_CONF: registries_conf(
            cluster.image_digest_sources,
            blocking=profile.blocked_sources,
            layer_store_helper=profile.layer_store_helper,
        ),
        CA_BUNDLE: encode_certificates(cluster.additional_trust_bundle),
    }
    if not nmstate_configs:
        del files[f"{CLUSTER_MANIFESTS}/nmstateconfig.yaml"]
    return ManifestSet(
        **made, nmstate_configs=nmstate_configs, files=files, extra=split_manifests(cluster.extra_manifests)
    )


def _provided(deployment: Deployment) -> ManifestSet:
    """A hand-written set, as the live system gets it."""
    provided, texts, made = normalised(deployment)
    sources = deployment.provided_manifests.get(REGISTRIES_CONF)
    return ManifestSet(
        agent_cluster_install=made[provided_set.AGENT_CLUSTER_INSTALL],
        cluster_deployment=provided.plain(provided_set.CLUSTER_DEPLOYMENT),
        cluster_image_set=provided.plain(provided_set.CLUSTER_IMAGE_SET)
        or objects.cluster_image_set(deployment.cluster),
        infra_env=made[provided_set.INFRA_ENV],
        nmstate_configs=tuple(plain(item) for item in provided.objects.get(provided_set.NMSTATE_CONFIG, ())),
        pull_secret=made[provided_set.PULL_SECRET],
        files={
            # The installer makes the one object that a set may lack.
            provided_set.CLUSTER_IMAGE_SET: dump_object(
                objects.cluster_image_set(dataclasses.replace(deployment.cluster, namespace=""))
            ),
            **texts,
            REGISTRIES_CONF: registries_conf(()) if sources is None else sources,
            CA_BUNDLE: encode_certificates(deployment.provided_manifests.get(CA_BUNDLE, "")),
        },
        extra=split_manifests(deployment.cluster.extra_manifests),
    )


def encode_certificates(bundle: str) -> str:
    """The certificates of a PEM bundle, each freshly encoded, without the text between them; empty for an empty bundle.

    Their labels are kept: openshift/installer pkg/asset/manifests/additionaltrustbundleconfig.go takes any block that
    is a certificate.
    """
    found = []
    block, rest = first_block(bundle)
    while block is not None:
        found.append(block.encoded())
        block, rest = first_block(rest)
    return "".join(found)
