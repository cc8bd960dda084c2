# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Write the changes that a reconcile pass planned. The writes of one object form a chain, and are made in order.

Each write is locked to the version of the object that it was planned from. A conflict ends a chain; the caller then
reads and plans again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from ..common.errors import Interrupted, PartialFailure, RemoteError, Unreachable, ZeroTouchError
from ..common.parallel import for_each
from ..kube.client import KubeClient
from ..kube.faults import ConflictError
from ..kube.write import Change, WriteOutcome, apply_change
from .steps import Chain, ChainStep


@dataclasses.dataclass(frozen=True)
class ChainResult:
    """The result of a chain: the writes that were made, and what ended it early.

    ``again``: another client was faster, or an answer was lost; ``refused`` is that write.
    """

    chain: Chain
    outcomes: tuple[WriteOutcome, ...] = ()
    error: Exception | None = None
    again: bool = False
    warnings: tuple[str, ...] = ()
    refused: Change | None = None


def apply_stages(client: KubeClient, stages: Iterable[Sequence[Chain]], forks: int = 8) -> list[ChainResult]:
    """Carry out all chains, those of a stage ``forks`` at a time.

    A chain whose needs were not met is skipped, with the error of what it needs.
    """
    done: dict[str, ChainResult] = {}
    for stage in stages:
        ready = [chain for chain in stage if not _unmet(chain, done)]
        done |= {
            chain.name: ChainResult(chain, error=_unmet(chain, done), again=_pending(chain, done))
            for chain in stage
            if _unmet(chain, done)
        }
        for found in for_each([chain for chain in ready if chain.steps], lambda chain: _apply(client, chain), forks):
            done[found.item.name] = found.result or ChainResult(found.item, error=found.error)
            if isinstance(done[found.item.name].error, Interrupted):
                return list(done.values())
    return list(done.values())


def raise_failures(done: Iterable[ChainResult]) -> None:
    """:class:`PartialFailure` with every chain that failed; what is no foreseeable fault, and an interruption, as it
    is.
    """
    failed = [each for each in done if each.error is not None]
    for each in failed:
        if isinstance(each.error, Interrupted) or not isinstance(each.error, ZeroTouchError):
            raise each.error or AssertionError("a chain that failed has an error")
    if failed:
        raise PartialFailure("\n".join(dict.fromkeys(f"{each.chain.name}: {each.error}" for each in failed)), {})


def refusals(client: KubeClient, steps: Iterable[ChainStep]) -> dict[str, str]:
    """The optional steps that the server would refuse, by path, with the words of a run.

    Each is sent as a dry run: rights are known by trying alone.
    """
    found: dict[str, str] = {}
    for step in steps:
        if step.optional:
            try:
                apply_change(client, step.change, check_mode=True)
            except (RemoteError, Unreachable) as error:
                if not isinstance(error, ConflictError):
                    found[step.change.path] = _warning(step.change, error)
    return found


def _warning(change: Change, error: Exception) -> str:
    return f"{change.title}: {error}"


def _unmet(chain: Chain, done: dict[str, ChainResult]) -> Exception | None:
    return next((done[name].error for name in chain.needs if name in done and done[name].error is not None), None)


def _pending(chain: Chain, done: dict[str, ChainResult]) -> bool:
    return any(done[name].again for name in chain.needs if name in done)


def _apply(client: KubeClient, chain: Chain) -> ChainResult:
    outcomes: list[WriteOutcome] = []
    warnings: list[str] = []
    versions: dict[str, str] = {}
    for step in chain.steps:
        change = _with_version(step.change, versions)
        try:
            now = apply_change(client, change)
        except (RemoteError, Unreachable) as error:
            if step.optional and not isinstance(error, ConflictError):
                warnings.append(_warning(change, error))
                continue
            again = _worth_a_look(error, change)
            return ChainResult(chain, tuple(outcomes), error, again, tuple(warnings), change if again else None)
        except ZeroTouchError as error:
            return ChainResult(chain, tuple(outcomes), error, warnings=tuple(warnings))
        outcomes.append(WriteOutcome(change, now, changed=True))
        versions[change.path] = str(now.get("metadata", {}).get("resourceVersion") or "")
    return ChainResult(chain, tuple(outcomes), warnings=tuple(warnings))


def _with_version(change: Change, versions: dict[str, str]) -> Change:
    """A chain may write an object twice: the second time it is as old as our own first write has made it."""
    version = versions.get(change.path)
    return dataclasses.replace(change, resource_version=version) if version and change.verb == "patch" else change


def _worth_a_look(error: Exception, change: Change) -> bool:
    if isinstance(error, Unreachable):
        return error.kind in ("broken", "timeout")  # it may have been carried out
    # An object that vanished under our hands; for a create 404 means that the namespace or the kind is missing.
    return isinstance(error, ConflictError) or (
        isinstance(error, RemoteError) and error.status == 404 and change.verb == "patch"
    )
