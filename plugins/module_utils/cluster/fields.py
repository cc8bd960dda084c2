# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the allowed keys and value types of install-config.yaml and agent-config.yaml.

These shapes contain the fields of the table of fields (field_table.py), and fields that exist only in files. They
describe the current layout; upgrade.py converts old layouts to it.

Source: openshift/installer pkg/types/installconfig.go and pkg/types/agent/agent_config_type.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .field_row import FieldRow
from .field_table import AGENT_FIELDS, AGENT_HOST_FIELDS, INSTALL_FIELDS
from .located import PULL_SECRET_HINT
from .nested_fields import DOCUMENT_POOL, METADATA, NETWORKING, OTHER_PLATFORMS, PKI, TYPE
from .platform_fields import BMC, PLATFORMS
from .shapes import OPAQUE, STRING, ListOf, Scalar, Shape, record


def _shapes(rows: Iterable[FieldRow]) -> Mapping[str, Shape]:
    return {row.upstream: row.shape for row in rows}


INSTALL_CONFIG = record(
    {
        "apiVersion": TYPE,
        "kind": TYPE,
        "metadata": METADATA,
        "baseDomain": STRING,
        "platform": record({**PLATFORMS, **dict.fromkeys(OTHER_PLATFORMS, OPAQUE)}),
        "networking": NETWORKING,
        "controlPlane": DOCUMENT_POOL,
        "arbiter": DOCUMENT_POOL,
        "compute": ListOf(DOCUMENT_POOL),
        "pullSecret": Scalar("string", hint=PULL_SECRET_HINT),
        "sshKey": STRING,
        **_shapes(INSTALL_FIELDS),
        "imageContentSources": ListOf(record({"source": STRING, "mirrors": ListOf(STRING)})),
        "publish": STRING,
        "operatorPublishingStrategy": record({"ingress": STRING, "apiserver": STRING}),
        "credentialsMode": STRING,
        "pki": PKI,
        "bootstrapInPlace": record({"installationDisk": STRING}),
    }
)
AGENT_HOST = record({**_shapes(AGENT_HOST_FIELDS), "bmc": BMC})
AGENT_CONFIG = record(
    {
        "apiVersion": TYPE,
        "kind": TYPE,
        "metadata": METADATA,
        **_shapes(AGENT_FIELDS),
        "hosts": ListOf(AGENT_HOST),
    }
)
