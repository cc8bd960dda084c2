# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Check the ConfigMaps that a NodePool refers to: they must exist and have content that the operator accepts.

Source: openshift/hypershift api/hypershift/v1beta1/nodepool_types.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from ...capi.objects import part
from ...common import yaml_text
from ...hub.kinds import CONFIG_MAP
from ...kube.client import KubeClient, Object
from ...kube.faults import ForbiddenError

# Option -> key in the ConfigMap and kinds that may be under it.
CONTENTS: Mapping[str, tuple[str, frozenset[str]]] = {
    "config": (
        "config",
        frozenset(
            {
                "MachineConfig",
                "KubeletConfig",
                "ContainerRuntimeConfig",
                "ImageContentSourcePolicy",
                "ImageDigestMirrorSet",
                "ClusterImagePolicy",
            },
        ),
    ),
    "tuning_config": ("tuning", frozenset({"Tuned", "PerformanceProfile"})),
}
Found: TypeAlias = "Mapping[str, Object | None]"


def find_config_maps(client: KubeClient, options: Mapping[str, Any]) -> dict[str, Object | None]:
    """Those that the options name, by name; one that may not be read is not in the result."""
    found: dict[str, Object | None] = {}
    for name in dict.fromkeys(str(name) for option in CONTENTS for name in options.get(option) or ()):
        try:
            found[name] = client.find(CONFIG_MAP.path(options["namespace"], name))
        except ForbiddenError:
            continue
    return found


def config_faults(options: Mapping[str, Any], found: Found) -> Iterator[str]:
    """What is wrong with them, a sentence each."""
    for option, (key, kinds) in CONTENTS.items():
        for name in dict.fromkeys(str(name) for name in options.get(option) or ()):
            if name in found:
                yield from (
                    f"ConfigMap {options['namespace']}/{name} ({option}) {fault}"
                    for fault in _faults(found[name], key, kinds)
                )


def _faults(config_map: Object | None, key: str, kinds: frozenset[str]) -> Iterator[str]:
    if config_map is None:
        yield "does not exist"
        return
    text = part(config_map, "data").get(key)
    if not text:
        yield f"has nothing under {key}"
        return
    try:
        documents = [each for each in yaml_text.load_all(str(text)) if each is not None]
    except yaml_text.NotYaml:
        yield f"holds no YAML under {key}"
        return
    for document in documents:
        kind = document.get("kind") if isinstance(document, Mapping) else None
        if kind not in kinds:
            shown_kind = kind or "document without kind"
            yield f"holds a {shown_kind}; {', '.join(sorted(kinds))} are taken"
