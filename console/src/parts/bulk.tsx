// The same for several instances: shown first, then done one by one, each with its own outcome.

import { useState } from "preact/hooks";
import { because, path, post } from "../lib/api";
import { refresh } from "../lib/live";
import { plural } from "../lib/text";
import { isViewer } from "../lib/who";
import { Dialog, Field, object } from "./dialog";
import { Icon } from "./icon";
import { Status } from "./status";

export interface Target {
  face: "process" | "chain";
  id: string;
  name: string;
  status: string;
  /** Where it is; failed processes are tried again there. */
  steps: string[];
}

/** How many are asked for at a time. */
const AT_ONCE = 4;

export type Deed = "cancel" | "retry";

const OVER = ["COMPLETED", "FAILED", "CANCELLED", "CANCELED"];

export function canBe(deed: Deed, it: Target): boolean {
  if (deed === "retry") return it.face === "process" && it.status === "FAILED" && it.steps.length > 0;
  return !OVER.includes(it.status);
}

export function Bulk({ targets, clear }: { targets: Target[]; clear: () => void }) {
  const [deed, setDeed] = useState<Deed>();
  if (isViewer() || (targets.length === 0 && deed === undefined)) return null;
  const able = (it: Deed) => targets.filter((target) => canBe(it, target)).length;
  return (
    <div class="bulk" role="region" aria-label="Chosen instances">
      <strong>{plural(targets.length, "instance")} chosen</strong>
      <button type="button" disabled={able("retry") === 0} onClick={() => setDeed("retry")}><Icon name="retry" />Retry {able("retry")}…</button>
      <button type="button" disabled={able("cancel") === 0} onClick={() => setDeed("cancel")}><Icon name="cancelled" />Cancel {able("cancel")}…</button>
      <button type="button" class="link" onClick={clear}>Choose none</button>
      {deed === undefined ? null : <Together deed={deed} targets={targets} onClose={() => { setDeed(undefined); clear(); }} />}
    </div>
  );
}

/** What came of one; nothing yet, if absent. */
type Outcomes = Map<string, Error | "done">;

export function Together({ deed, targets, onClose }: { deed: Deed; targets: Target[]; onClose: () => void }) {
  const [input, setInput] = useState("");
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<string>();
  const [outcomes, setOutcomes] = useState<Outcomes>();
  const [isBusy, setBusy] = useState(false);
  // Those that are chosen now: later ones may look different by the time they are asked for.
  const [able] = useState(() => targets.filter((it) => canBe(deed, it)));
  const left = targets.length - able.length;
  const run = async (event: Event) => {
    event.preventDefault();
    let body: Record<string, unknown>;
    try {
      body = deed === "cancel" ? { reason: reason.trim() } : { variables: object(input) };
    } catch (error) {
      setProblem((error as Error).message);
      return;
    }
    setProblem(undefined);
    setBusy(true);
    setOutcomes(new Map());
    const waiting = [...able];
    const work = async () => {
      for (let it = waiting.shift(); it !== undefined; it = waiting.shift()) {
        const target = it;
        const outcome = await carry(deed, target, body, reason).then(() => "done" as const, (error: Error) => error);
        setOutcomes((before) => new Map(before).set(target.id, outcome));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    setBusy(false);
    refresh();
  };
  const isDone = outcomes !== undefined && !isBusy;
  const verb = deed === "retry" ? "Retry" : "Cancel";
  return (
    <Dialog title={`${verb} ${plural(able.length, "instance")}`} onClose={onClose}>
      <form onSubmit={run}>
        {left > 0 ? <p class="quiet">{plural(left, "other")} cannot be: they have ended, or have not failed.</p> : null}
        <ul class="outcomes">
          {able.map((it) => (
            <li key={it.id}>
              <span>{it.name} <span class="quiet">at {it.steps.join(", ") || "no step"}</span></span>
              <Outcome of={outcomes?.get(it.id)} />
            </li>
          ))}
        </ul>
        {isDone || deed === "cancel" ? null : (
          <Field label="Variables to change" value={input} set={setInput} isLong placeholder="{}" hint="A JSON object that is merged into the variables of each; leave it empty to change nothing" />
        )}
        {isDone ? null : <Field label="Reason" value={reason} set={setReason} hint="Kept with each instance, for whoever asks later" />}
        {problem === undefined ? null : <p class="problem" role="alert">{problem}</p>}
        <div class="buttons">
          <button type="button" onClick={onClose}>{isDone ? "Close" : "Keep as they are"}</button>
          {isDone ? null : <button type="submit" class={deed === "cancel" ? "danger" : "primary"} disabled={isBusy || able.length === 0}>{isBusy ? "Working…" : `${verb} ${able.length}`}</button>}
        </div>
      </form>
    </Dialog>
  );
}

function Outcome({ of }: { of: Error | "done" | undefined }) {
  if (of === undefined) return null;
  return of === "done" ? <Status of="DONE" /> : <Status of="FAILED" text={of.message} />;
}

function carry(deed: Deed, it: Target, body: unknown, reason: string): Promise<unknown> {
  if (deed === "retry") return post(path`/v1/instances/${it.id}/steps/${it.steps[0] ?? ""}/retry`, body, because(reason));
  const root = it.face === "process" ? "/v1/instances" : "/v1/chains/instances";
  return post(`${root}${path`/${it.id}/cancel`}`, body);
}
