"""The loan application of the examples, with everybody who works on it in Python."""

from __future__ import annotations

import json
from typing import Any

from fixture import EXAMPLES, PATIENCE, Served, eventually, running

from waypost import Job, JobWorker, Registry

APPLICATION = "LOS::loan-application-full"
DISBURSEMENT = "LOS::loan-disbursement-workflow"

registry = Registry()


@registry.register("validate-application")
def validate(ctx: Job) -> dict[str, Any]:
    variables = ctx["variables"]
    return {name: variables[name] for name in ("applicantId", "loanAmount", "applicantEmail")}


@registry.register("credit-score")
async def credit_score(ctx: Job) -> dict[str, Any]:
    return {"creditScore": ctx.variables["expected"]["credit"]}


@registry.register("fraud-screen")
async def fraud_screen(ctx: Job) -> dict[str, Any]:
    return {"fraudScore": ctx.variables["expected"]["fraud"]}


@registry.register("approve-loan")
def approve(ctx: Job) -> dict[str, Any]:
    return {"loanId": f"LOAN-{ctx.variables['applicantId']}"}


@registry.register("prepare-disbursement")
def prepare(ctx: Job) -> dict[str, Any]:
    return {"disbursementId": f"DISB-{ctx.step_execution_id}"}


@registry.register("transfer-funds")
def transfer(ctx: Job) -> dict[str, Any]:
    return {"transferRef": f"TXN-{ctx.variables['loanId']}"}


@registry.register("notify-disbursement")
def notify(ctx: Job) -> None:
    assert ctx.variables["applicantEmail"]


class Loan(Served):
    def setUp(self) -> None:
        for name in ("loan-disbursement", "loan-application"):
            text = (EXAMPLES / f"{name}.json").read_text()
            self.client.processes.deploy(json.loads(text))

    def apply(self, key: str, *, amount: int, credit: int, fraud: float = 0.1) -> str:
        variables = {
            "applicantId": key,
            "loanAmount": amount,
            "applicantEmail": "someone@example.org",
            "expected": {"credit": credit, "fraud": fraud},
        }
        return self.client.processes.start(APPLICATION, variables, business_key=key).id

    def end(self, instance_id: str) -> str:
        self.assertEqual(self.client.processes.wait(instance_id, PATIENCE).status, "COMPLETED")
        return self.client.processes.history(instance_id)[-1].step_id

    def disbursement(self, key: str) -> str:
        """What is started when the application has ended, a moment later."""
        processes = self.client.processes

        def found() -> list[str]:
            following = processes.find(definition_id=DISBURSEMENT, business_key=key)
            return [it.id for it in following]

        eventually(lambda: len(found()), 1)
        return found()[0]

    def decide(self, instance_id: str, step_id: str, **variables: str) -> None:
        """A person decides, as soon as they are asked to."""

        def waiting() -> list[str]:
            tasks = self.client.processes.user_tasks()
            return [it.step_id for it in tasks if it.instance_id == instance_id]

        eventually(waiting, [step_id])
        self.client.processes.complete_user_task(
            instance_id, step_id, variables, completed_by="officer"
        )

    def test_loans_are_granted_refused_and_paid(self) -> None:
        with running(JobWorker(self.client, registry)):
            plain = self.apply("plain", amount=200_000_000, credit=720)
            risky = self.apply("risky", amount=200_000_000, credit=720, fraud=0.9)
            review = self.apply("review", amount=200_000_000, credit=600)
            large = self.apply("large", amount=600_000_000, credit=760)
            self.decide(review, "manual-review-task", reviewDecision="APPROVED")
            self.assertEqual(self.end(risky), "end-rejected")
            for key, application in [("plain", plain), ("review", review), ("large", large)]:
                self.assertEqual(self.end(application), "end-approved")
                following = self.disbursement(key)
                if key == "large":
                    self.decide(following, "senior-approval-task", seniorDecision="APPROVED")
                self.assertEqual(self.end(following), "end-disbursed")
                known = self.client.processes.show(following)
                self.assertEqual(known.variables["transferRef"], f"TXN-LOAN-{key}")
                self.assertEqual(known.parent_instance_id, application)
