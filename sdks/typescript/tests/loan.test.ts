import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { type Process } from "@waypost/worker";

import { loanWorker } from "../examples/loan-worker.js";
import { during, eventually, World } from "./world.js";

const world = new World();

const APPLICATION = "LOS::loan-application-full";
const DISBURSEMENT = "LOS::loan-disbursement-workflow";

interface Loan {
  name: string;
  creditScore?: number;
  fraudScore?: number;
  loanAmount?: number;
  review?: string;
  approval?: string;
  /** Where the application ends, and the disbursement that follows. */
  ends: [string, string?];
}

const LOANS: Loan[] = [
  { name: "plain", ends: ["end-approved", "end-disbursed"] },
  { name: "very-good", creditScore: 750, ends: ["end-approved", "end-disbursed"] },
  { name: "reviewed", creditScore: 600, review: "APPROVED", ends: ["end-approved", "end-disbursed"] },
  { name: "refused", creditScore: 600, review: "REJECTED", ends: ["end-rejected"] },
  { name: "low-score", creditScore: 499, ends: ["end-rejected"] },
  { name: "fraud", fraudScore: 0.9, ends: ["end-rejected"] },
  { name: "large", loanAmount: 6e8, approval: "APPROVED", ends: ["end-approved", "end-disbursed"] },
  {
    name: "too-large",
    loanAmount: 6e8,
    approval: "REJECTED",
    ends: ["end-approved", "end-disbursement-rejected"],
  },
];

test("the loan application's workers take loans to every end", async () => {
  const { processes } = world.client;
  for (const name of ["loan-disbursement", "loan-application"]) {
    // Built files lie two folders deeper than this one's package.
    const file = new URL(`../../../../examples/${name}.json`, import.meta.url);
    await processes.upload(await readFile(file, "utf8"));
  }
  const tries = new Map<string, number>();
  const worker = loanWorker({ url: world.url, onNotice: () => undefined }, ({ applicantId }) => {
    // The bureau is away at first, for everybody.
    const count = (tries.get(applicantId) ?? 0) + 1;
    tries.set(applicantId, count);
    if (count === 1) throw new Error("the bureau is away");
    return LOANS.find((it) => it.name === applicantId) ?? {};
  });
  await during(worker, () => Promise.all(LOANS.map(applied)));
  assert.equal(tries.size, LOANS.length);
});

async function applied(loan: Loan): Promise<void> {
  const { processes } = world.client;
  const { name, loanAmount = 200_000_000 } = loan;
  const variables = { applicantId: name, loanAmount, applicantEmail: `${name}@example.com` };
  const start = { definitionId: APPLICATION, variables, businessKey: name };
  const { id } = await processes.start(start);
  if (loan.review !== undefined) {
    await complete(id, "manual-review-task", { reviewDecision: loan.review });
  }
  const application = await world.ended(id);
  assert.equal(await end(application), loan.ends[0], name);
  if (loan.ends[1] === undefined) return;
  const next = await eventually(`${name} is disbursed`, async () => {
    const query = { definitionId: DISBURSEMENT, businessKey: name };
    return (await processes.list(query)).items[0];
  });
  assert.equal(next.parentInstanceId, id);
  if (loan.approval !== undefined) {
    await complete(next.id, "senior-approval-task", { seniorDecision: loan.approval });
  }
  const disbursement = await world.ended(next.id);
  assert.equal(await end(disbursement), loan.ends[1], name);
  if (loan.ends[1] === "end-disbursed") {
    const { loanId, disbursementId, transferRef } = disbursement.variables;
    assert.deepEqual([loanId, disbursementId, transferRef], [`LOAN-${name}`, `DISB-${name}`, `TXN-${name}`]);
  }
}

async function complete(id: string, step: string, variables: Record<string, unknown>): Promise<void> {
  const { processes } = world.client;
  await eventually(`${step} is reached`, async () => {
    return (await processes.show(id)).currentStepIds.includes(step) || undefined;
  });
  await processes.completeUserTask(id, step, { completedBy: "ann", variables });
}

async function end(instance: Process): Promise<string | undefined> {
  assert.equal(instance.status, "COMPLETED");
  return (await world.client.processes.history(instance.id)).at(-1)?.stepId;
}
