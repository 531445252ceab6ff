// A server with something to look at, and a browser that looks.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { Server } from "../../sdks/typescript/tests/server.js";

/** Where the browser is, unless the environment says otherwise. */
export const CHROMIUM = process.env["WAYPOST_CHROMIUM"] ?? "/usr/bin/chromium";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** How long anything may take to appear. */
export const PATIENCE = 15_000;

const LOAN = {
  id: "loan",
  name: "Loan",
  steps: [
    { id: "check", name: "Check income", type: "SERVICE_TASK", jobType: "check", retryCount: 0, nextStep: "tier" },
    { id: "tier", name: "Risk tier", type: "DECISION_TABLE", hitPolicy: "F", nextStep: "review", decisionTable: { rules: [{ when: { points: "score < 500" }, outputs: { tier: "HIGH" } }, { when: {}, outputs: { tier: "LOW" } }] } },
    { id: "review", name: "Review by a person", type: "USER_TASK", nextStep: "route", boundaryEvents: [{ type: "TIMER", duration: "PT48H", interrupting: false, targetStepId: "late" }] },
    { id: "route", name: "Route", type: "DECISION", conditionalNextSteps: { "#decision == 'APPROVED'": "paid", "#decision == 'REJECTED'": "end" } },
    { id: "paid", name: "Wait for the payment", type: "WAIT", nextStep: "end" },
    { id: "late", name: "Escalate", type: "SERVICE_TASK", jobType: "escalate", nextStep: "end" },
    { id: "end", name: "Done", type: "END" },
  ],
};

/** One of its conditions always holds. */
const LOOSE = {
  id: "loose",
  name: "Loose end",
  steps: [
    { id: "pack", name: "Pack", type: "SERVICE_TASK", jobType: "pack", nextStep: "choose" },
    { id: "choose", name: "Choose", type: "DECISION", conditionalNextSteps: { "1 == 1": "end", true: "late" } },
    { id: "late", name: "Late", type: "SERVICE_TASK", jobType: "late", nextStep: "end" },
    { id: "end", name: "Done", type: "END" },
  ],
};

const ORDER = { workflowType: "order", workflowVersion: 1, steps: [{ stepType: "VALIDATE", maxAttempts: 1 }, { stepType: "PAY" }] };

const STATES = {
  DRAFT: { transitions: [{ name: "SEND", next: "SENT", manual: true }] },
  SENT: { transitions: [{ name: "PAY", next: "PAID", manual: true }] },
  PAID: { transitions: [] },
};

interface Job {
  id: string;
  instanceId: string;
}

/** Longer than a test takes: what is taken on the way to another job is not given away again. */
const LEASE_SECONDS = 600;

export class World {
  /** What the tests themselves show, where the server asks who comes. */
  token = "";

  /** Checks that were taken and are still to be done, oldest first. */
  private taken: Job[] = [];

  private constructor(
    readonly server: Server,
    readonly browser: Browser,
  ) {}

  /** A server with a client `first` whose secret is `s3cret`, which asks who comes. */
  static async asking(): Promise<World> {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048, privateKeyEncoding: { type: "pkcs8", format: "pem" }, publicKeyEncoding: { type: "spki", format: "pem" } });
    const server = await Server.start(`[auth]\nmode = "jwt"\nsigning_key = """\n${privateKey}"""\n[auth.client]\nid = "first"\nsecret = "s3cret"\n`);
    const body = new URLSearchParams({ grant_type: "client_credentials" });
    const answer = await fetch(`${server.url}/api/oauth/token`, { method: "POST", headers: { authorization: `Basic ${btoa("first:s3cret")}` }, body });
    const { access_token } = (await answer.json()) as { access_token: string };
    return World.on(server, access_token);
  }

  static async start(): Promise<World> {
    return World.on(await Server.start(), "");
  }

  private static async on(server: Server, token: string): Promise<World> {
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
    const world = new World(server, browser);
    world.token = token;
    await world.deploy();
    return world;
  }

  /** Gives the server what it runs by. */
  async deploy(): Promise<void> {
    await this.call("POST", "/v1/definitions", LOAN);
    await this.call("POST", "/v1/definitions", { ...LOAN, name: "Loan, renamed" });
    await this.call("POST", "/v1/definitions", LOOSE);
    await this.call("POST", "/v1/chains/definitions", ORDER);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.server.remove();
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const text = body === undefined ? null : JSON.stringify(body);
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (this.token !== "") headers["authorization"] = `Bearer ${this.token}`;
    const response = await fetch(this.server.url + path, { method, headers, body: text });
    const answer = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${answer}`);
    return (answer.trim() === "" ? undefined : JSON.parse(answer)) as T;
  }

  /** Starts a loan; says its id. */
  async loan(key: string, variables: object = {}): Promise<string> {
    const started = await this.call<{ id: string }>("POST", "/v1/instances", { definitionId: "loan", businessKey: key, variables });
    return started.id;
  }

  /** Works off a check: with a score, or with an error. It is that of the loan, if one is named. */
  async check(score: number | string, loan?: string): Promise<void> {
    const job = await this.take(loan);
    const deed = typeof score === "number" ? "complete" : "fail";
    const body = typeof score === "number" ? { variables: { score } } : { errorMessage: score, retryable: false };
    await this.call("POST", `/v1/jobs/${job.id}/${deed}`, { workerId: "ann", ...body });
  }

  /** A check to be done: tests before this one may have left others, which are longer due. */
  private async take(loan?: string): Promise<Job> {
    for (;;) {
      const at = this.taken.findIndex((it) => loan === undefined || it.instanceId === loan);
      const [found] = at < 0 ? [] : this.taken.splice(at, 1);
      if (found !== undefined) return found;
      const asked = { workerId: "ann", jobTypes: ["check"], maxJobs: loan === undefined ? 1 : 100, leaseSeconds: LEASE_SECONDS, waitMs: PATIENCE };
      const { jobs } = await this.call<{ jobs: Job[] }>("POST", "/v1/jobs/poll", asked);
      assert.notEqual(jobs.length, 0, "there is no check to be done");
      this.taken.push(...jobs);
    }
  }

  /** A loan that waits for a person. */
  async waiting(key: string): Promise<string> {
    const id = await this.loan(key);
    await this.check(700, id);
    return id;
  }

  /** A loan that has failed. */
  async failed(key: string): Promise<string> {
    const id = await this.loan(key);
    await this.check("the bank is closed", id);
    return id;
  }

  async order(key: string): Promise<string> {
    const started = await this.call<{ instanceId: string }>("POST", "/v1/chains/instances", { workflowType: "order", bizKey: key, context: { amount: 12.5 } });
    return started.instanceId;
  }

  /** An invoice; says its id. */
  async invoice(number: string): Promise<string> {
    await this.call("POST", "/api/model/import/JSON/SAMPLE_DATA/Invoice/1", { number: "A-0", amount: 12.5 }).catch(() => undefined);
    await this.call("PUT", "/api/model/Invoice/1/lock").catch(() => undefined);
    await this.call("POST", "/api/model/Invoice/1/workflow/import", { workflows: [{ version: "1", name: "invoice", initialState: "DRAFT", states: STATES }] });
    const made = await this.call<{ entityIds: string[] }[]>("POST", "/api/entity/JSON/Invoice/1", { number, amount: 100.5 });
    return made[0]?.entityIds[0] ?? "";
  }

  async status(id: string): Promise<string> {
    return (await this.call<{ status: string }>("GET", `/v1/instances/${id}`)).status;
  }

  /** A page that fails the test when anything is wrong in it. */
  async open(path: string, look: Look = {}): Promise<Looked> {
    const context = await this.browser.newContext({ viewport: { width: look.width ?? 1280, height: 800 }, colorScheme: look.theme ?? "light" });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const trouble: string[] = [];
    page.on("pageerror", (error) => trouble.push(error.message));
    page.on("response", (response) => {
      const isExpected = look.refused?.test(response.url()) ?? false;
      if (response.status() >= 400 && !isExpected) trouble.push(`${response.status()} ${response.url()}`);
    });
    // What is refused is noted above, with where it was.
    const isAbout = (text: string) => text.startsWith("Failed to load resource");
    page.on("console", (message) => message.type() === "error" && !isAbout(message.text()) && trouble.push(message.text()));
    await page.goto((look.from ?? this.server.url) + path);
    await page.locator("main h1, main .empty").first().waitFor();
    return { page, context, trouble };
  }
}

export interface Look {
  width?: number;
  theme?: "light" | "dark";
  /** Where the page comes from, if not from the server itself. */
  from?: string;
  /** What may be refused: nothing, unless it is part of the story. */
  refused?: RegExp;
}

export interface Looked {
  page: Page;
  context: BrowserContext;
  trouble: string[];
}

/** What is wrong for those who do not see, or have no mouse; of these rules, or of all. */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: { run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> } };
    return (await axe.run({ resultTypes: ["violations"], ...(runOnly && { runOnly }) })).violations;
  }, rules);
  return found.flatMap((it) => it.nodes.map((node) => `${it.id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`));
}
