"""Render templates that are not built in, which may ask for any amount of memory and time."""

import threading
from collections.abc import Mapping

import msgspec

from benchpin.system.processes import HelperProcess

from ._render_worker import TIME_S, Origin, RenderAnswer, RenderRequest
from ._rendering import TemplateBroken
from ._template import RenderedFile, Template, Toolchain, Value

_MODULE = "benchpin.templates._render_worker"


class ConfinedRenderer:
    """Renders the templates of one folder in a worker process, which it keeps between calls."""

    def __init__(self, sources: Mapping[str, str], toolchains: Mapping[str, Toolchain]) -> None:
        self._origin = msgspec.msgpack.encode(Origin(sources, toolchains))
        self._lock = threading.Lock()
        self._worker: HelperProcess | None = None

    def render(
        self, template: Template, values: Mapping[str, Value], categories: frozenset[str]
    ) -> list[RenderedFile]:
        """Render the files of a template with checked values.

        Raises:
            TemplateBroken: when the template itself is wrong, or exceeds a limit.
        """
        request = RenderRequest(template, dict(values), categories)
        with self._lock:
            answer = self._ask(msgspec.msgpack.encode(request), template)
        if answer.problem:
            raise TemplateBroken(
                answer.problem,
                suggestion=f"Correct the template in {template.origin}.",
                data={"uri": template.uri},
            )
        return answer.files

    def _ask(self, request: bytes, template: Template) -> RenderAnswer:
        worker = self._worker
        if worker is None or not worker.is_alive:
            worker = self._worker = self._start()
        worker.send(request)
        answer = worker.receive(TIME_S)
        if answer:
            return msgspec.msgpack.decode(answer, type=RenderAnswer)
        worker.close()
        reason = f"takes longer than {TIME_S} s" if answer is None else "crashes the renderer"
        return RenderAnswer(problem=f"{template.uri} {reason}")

    def _start(self) -> HelperProcess:
        worker = HelperProcess(_MODULE)
        worker.send(self._origin)
        worker.wait_ready()
        return worker
