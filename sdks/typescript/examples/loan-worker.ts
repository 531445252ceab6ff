// The workers of the loan application and its disbursement (`examples/*.json` of the repository).

import { JobWorker, type WorkerOptions } from "@waypost/worker";

interface Application {
  applicantId: string;
  loanAmount: number;
  applicantEmail: string;
}

/** What the bureau says about an applicant. */
type Bureau = (application: Application) => { creditScore?: number; fraudScore?: number };

/** A worker for every job of a loan. */
export function loanWorker(options: WorkerOptions, bureau: Bureau): JobWorker {
  return new JobWorker(options)
    .register<Application>("validate-application", ({ variables }) => {
      const { applicantId, loanAmount, applicantEmail } = variables;
      return { applicantId, loanAmount, applicantEmail };
    })
    .register<Application>("credit-score", async ({ variables }) => {
      return { creditScore: bureau(variables).creditScore ?? 720 };
    })
    .register<Application>("fraud-screen", async ({ variables }) => {
      return { fraudScore: bureau(variables).fraudScore ?? 0.12 };
    })
    .register<Application>("approve-loan", (job) => ({ loanId: `LOAN-${job.variables.applicantId}` }))
    .register("escalate-review", () => {})
    .register<Application>("prepare-disbursement", (job) => {
      return { disbursementId: `DISB-${job.variables.applicantId}` };
    })
    .register<Application>("transfer-funds", (job) => {
      return { transferRef: `TXN-${job.variables.applicantId}` };
    })
    .register("notify-disbursement", () => {})
    .register("notify-approval-overdue", () => {});
}
