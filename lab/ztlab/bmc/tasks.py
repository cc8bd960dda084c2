# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Serve the Redfish tasks of a BMC: an operation that finishes later returns 202 with a task, which
the client polls.
"""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from ..clock import LabClock
from . import documents
from .errors import RedfishError
from .exchange import reply

ROOT = documents.ROOT


@dataclasses.dataclass
class _Task:
    id: str
    state: str = "Running"
    messages: list[dict[str, Any]] = dataclasses.field(default_factory=list)


class Tasks:
    """The task service of one BMC."""

    def __init__(self, clock: LabClock) -> None:
        self._clock = clock
        self._ids = itertools.count(1)
        self._tasks: dict[str, _Task] = {}
        self._running: set[asyncio.Task[None]] = set()

    def add_routes(self, app: web.Application) -> None:
        path = f"{ROOT}/TaskService"
        app.add_routes(
            [
                web.get(path, self._get_service),
                web.get(f"{path}/Tasks", self._list),
                web.get(f"{path}/Tasks/{{id}}", self._get),
            ]
        )

    def accept(self, seconds: float, work: Callable[[], Awaitable[None]]) -> web.Response:
        """Answer 202 now and do the work after so many lab seconds; a RedfishError of it becomes the task's end."""
        task = _Task(str(next(self._ids)))
        self._tasks[task.id] = task
        running = asyncio.create_task(self._finish(task, seconds, work), name=f"BMC task {task.id}")
        self._running.add(running)
        running.add_done_callback(self._running.discard)
        document = documents.task(task.id, task.state, task.messages)
        return web.json_response(document, status=202, headers={"Location": document["@odata.id"], "Retry-After": "1"})

    async def _finish(self, task: _Task, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        await self._clock.sleep(seconds)
        try:
            await work()
            task.state = "Completed"
        except RedfishError as error:
            task.state = "Exception"
            task.messages.append({"MessageId": error.message_id, "Message": str(error), "Severity": "Critical"})

    async def _get_service(self, request: web.Request) -> web.Response:
        return reply(request, documents.task_service())

    async def _list(self, request: web.Request) -> web.Response:
        path = f"{ROOT}/TaskService/Tasks"
        return reply(
            request,
            documents.collection(
                path, "TaskCollection", "Task Collection", [f"{path}/{identifier}" for identifier in self._tasks]
            ),
        )

    async def _get(self, request: web.Request) -> web.Response:
        task = self._tasks.get(request.match_info["id"])
        if task is None:
            raise RedfishError("ResourceMissingAtURI", request.path)
        return reply(
            request, documents.task(task.id, task.state, task.messages), status=202 if task.state == "Running" else 200
        )
