"""Workers, compute nodes and a client for Waypost, a durable state-machine engine."""

from ._version import __version__
from .chain import Chain, Chains, Step, Task, Wake
from .client import Client
from .errors import (
    FatalError,
    NoAnswerError,
    RefusedError,
    RetryableError,
    UnexpectedAnswerError,
    UnreachableError,
    WaypostError,
)
from .jobs import JobWorker, Registry
from .process import CallbackResult, Definition, Instance, Job, Processes, StepExecution, UserTask
from .steps import Completed, Event, StepRegistry, StepWorker, Waiting
from .worker import Options, Worker, worker_id

__all__ = [
    "CallbackResult",
    "Chain",
    "Chains",
    "Client",
    "Completed",
    "Definition",
    "Event",
    "FatalError",
    "Instance",
    "Job",
    "JobWorker",
    "NoAnswerError",
    "Options",
    "Processes",
    "RefusedError",
    "Registry",
    "RetryableError",
    "Step",
    "StepExecution",
    "StepRegistry",
    "StepWorker",
    "Task",
    "UnexpectedAnswerError",
    "UnreachableError",
    "UserTask",
    "Waiting",
    "Wake",
    "WaypostError",
    "Worker",
    "__version__",
    "worker_id",
]
