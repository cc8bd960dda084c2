# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Define the dataclasses for the rows of the table of fields (field_table.py).

A row describes one field of a cluster or host: its variable, its type, its path in the installer's documents, its text
in the documentation, and the release that introduced it.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from .shapes import Field, Opaque, Shape, in_snake_case


@dataclasses.dataclass(frozen=True)
class FieldRow:
    """One field.

    ``option``: its name in the variables. If a class of the spec (spec.py) has an attribute with that name, the
    attribute holds the value; otherwise the spec keeps the value as it was written. A field needs an attribute if other
    code reads it.
    ``shape``: its type in upstream's document. Variables have its keys in snake_case unless ``verbatim``;
    ``variable_shape`` if variables differ in more than that.
    ``text``: its description, for schema and documentation.
    ``upstream``: its path in upstream's document, for a host inside ``hosts[]``; empty without a counterpart.
    ``passed_on``: the document gets the value unchanged. If not, variables.py, documents.py and render.py have code for
    it.
    ``holds``: the class of the spec for the value, or for each element of a list.
    ``was``: names that users may know from elsewhere. ``since``: the first release whose installer knows the field.
    """

    option: str
    shape: Shape
    text: str
    upstream: str = ""
    passed_on: bool = True
    verbatim: bool = False
    variable_shape: Shape | None = None
    holds: type | None = None
    required: bool = False
    was: tuple[str, ...] = ()
    since: tuple[int, int] | None = None

    @property
    def keeps_case(self) -> bool:
        """Whether keys inside the variable are in upstream's spelling."""
        return self.verbatim or isinstance(self.shape, Opaque)

    @property
    def variable(self) -> Field:
        """The field of the variables."""
        shape = self.shape if self.keeps_case else in_snake_case(self.shape)
        return Field(self.variable_shape or shape, self.text, self.required, self.was)


@dataclasses.dataclass(frozen=True)
class ClusterRow(FieldRow):
    """A field of ``openshift_cluster``.

    ``document``: install-config.yaml or agent-config.yaml.
    ``override``: hubs and services get the value as an install-config override, unless it is ``default``.
    ``infra_env``: the option of module infra_env that has its value.
    ``hosted``: ``same`` if module hosted_cluster has an option of that name, ``rule`` if plugin_utils/pool.py has a
    rule for it. A hosted cluster must not have other fields.
    """

    document: Literal["install", "agent"] = "install"
    override: bool = False
    default: Any = None
    infra_env: str = ""
    hosted: Literal["", "same", "rule"] = ""


@dataclasses.dataclass(frozen=True)
class HostRow(FieldRow):
    """A field of a host.

    ``in_variables``: ``openshift_host`` has it.
    ``agent``: its name in the spec of an Agent; module agents has an option for it.
    ``annotation``: its name among the annotations that a BareMetalHost passes on to its Agent; module bare_metal_hosts
    has an option for it. ``agent`` is required then.
    ``service``: its name in an update of a host of assisted-service; module assisted_hosts has an option for it.
    ``own_request``: all three modules have an option for it with rules of its own.
    """

    document: Literal["agent"] = "agent"
    in_variables: bool = True
    agent: str = ""
    annotation: str = ""
    service: str = ""
    own_request: bool = False
