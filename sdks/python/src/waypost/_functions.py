"""The functions of a compute node, what they are asked, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ._exact import dumps
from ._record import Member, Record
from ._run import Function
from .errors import FatalError, RetryableError
from .worker import words

F = TypeVar("F", bound=Function)


class Question(Record):
    """A question about an entity: what a processor is to do, or what a function is to decide."""

    request_id = Member[str]("requestId")
    entity_id = Member[str]("entityId")
    #: The transaction in which it is asked.
    transaction_id = Member[str]("transactionId")
    #: What the definition says to pass on.
    parameters = Member[str | None]("parameters")
    #: Lets calls back into the transaction: the header ``X-Tx-Token`` over HTTP, the metadata
    #: ``tx-token`` over gRPC.
    ticket: str = ""

    @property
    def name(self) -> str:
        """The name of the processor or function."""
        return str(self.get("processorName") or self.get("criteriaName") or "")

    @property
    def data(self) -> dict[str, Any]:
        """The entity's value, if the definition says to send it. Its numbers keep their digits."""
        payload = self.get("payload")
        if not payload:
            raise FatalError("the entity was not sent; attachEntity must be true")
        data: dict[str, Any] = payload["data"]
        return data

    @property
    def meta(self) -> dict[str, Any]:
        """What is known about the entity: ``modelKey``, ``state``, ``creationDate`` and so on."""
        payload = self.get("payload") or {}
        return dict(payload.get("meta") or {})

    @property
    def workflow(self) -> str:
        """The name of the workflow that runs, or is in question."""
        return str(self["workflow"]["name"])

    @property
    def transition(self) -> str | None:
        """The name of the transition it is about, unless it is about the workflow."""
        transition = self.get("transition")
        return transition and str(transition["name"])


class Functions:
    """The functions of a compute node, by name."""

    def __init__(self) -> None:
        self._processors: dict[str, Function] = {}
        self._criteria: dict[str, Function] = {}

    def processor(self, name: str) -> Callable[[F], F]:
        """Have the decorated function, plain or a coroutine, work on entities.

        It is given a `Question` and returns what becomes of the entity as a whole, or nothing to
        leave it as it is. If it raises, the write that asks fails; with `RetryableError` it is
        asked again, if the definition's retry policy says so. It may run more than once for the
        same change: make it so that this does no harm.
        """
        return self._adding(self._processors, name)

    def criterion(self, name: str) -> Callable[[F], F]:
        """Have the decorated function, plain or a coroutine, decide: it returns true or false."""
        return self._adding(self._criteria, name)

    @staticmethod
    def _adding(functions: dict[str, Function], name: str) -> Callable[[F], F]:
        def add(function: F) -> F:
            if name in functions:
                raise ValueError(f"{name} has two functions")
            functions[name] = function
            return function

        return add

    def function(self, question: Question) -> Function | None:
        """The function that is asked for."""
        functions = self._processors if "processorName" in question else self._criteria
        return functions.get(question.name)


def answer(question: Question, outcome: object) -> str:
    """What a function returned or raised, as it is sent."""
    reply = {
        "id": question.request_id,
        "requestId": question.request_id,
        "entityId": question.entity_id,
        "success": True,
    }
    try:
        return dumps({**reply, **_said("processorName" in question, outcome)})
    except (TypeError, ValueError) as error:
        failure = FatalError(f"what the function returned is not JSON: {error}")
        return dumps({**reply, **_said(False, failure)})


def _said(is_processor: bool, outcome: object) -> dict[str, Any]:
    if isinstance(outcome, BaseException):
        meant = isinstance(outcome, FatalError | RetryableError)
        message = str(outcome) if meant else words(outcome)
        retryable = isinstance(outcome, RetryableError)
        fault = {"code": "FAILED", "message": message, "retryable": retryable}
        return {"success": False, "error": fault}
    if not is_processor:
        if not isinstance(outcome, bool):
            raise TypeError(f"a criterion says true or false, not {type(outcome).__name__}")
        return {"matches": outcome}
    if outcome is None:
        return {}
    if not isinstance(outcome, Mapping):
        raise TypeError(f"an entity is a mapping, not {type(outcome).__name__}")
    return {"payload": {"type": "JSON", "data": outcome}}
