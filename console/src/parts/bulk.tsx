// The same for several instances: shown first, then done one by one, each with its own outcome.

import { useEffect, useRef, useState } from "preact/hooks";
import { because, path, post } from "../lib/api";
import { refresh } from "../lib/live";
import { count, plural } from "../lib/text";
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

/** All that match something, page by page: there may be more than fit on a screen. */
export type Walk = () => AsyncGenerator<Target[]>;

/** How many are asked for at a time. */
const AT_ONCE = 4;

/** How many are done together at the most. For more, there is the command line. */
export const TOGETHER_MAX = 10_000;

/** How many are told one by one. */
const TOLD = 50;

export type Deed = "cancel" | "retry";

const OVER = ["COMPLETED", "FAILED", "CANCELLED", "CANCELED"];

export function canBe(deed: Deed, it: Target): boolean {
  if (deed === "retry") return it.face === "process" && it.status === "FAILED" && it.steps.length > 0;
  return !OVER.includes(it.status);
}

interface BulkProps {
  targets: Target[];
  /** How many match what is looked for, and how to come by all of them. */
  total: number;
  walk: Walk;
  clear: () => void;
}

export function Bulk({ targets, total, walk, clear }: BulkProps) {
  const [deed, setDeed] = useState<Deed>();
  const [isAll, setAll] = useState(false);
  if (isViewer() || (targets.length === 0 && deed === undefined)) return null;
  const able = (it: Deed) => targets.filter((target) => canBe(it, target)).length;
  const close = () => {
    setDeed(undefined);
    setAll(false);
    clear();
  };
  const text = (it: Deed, verb: string) => (isAll ? `${verb} all that can be…` : `${verb} ${able(it)}…`);
  return (
    <div class="bulk" role="region" aria-label="Chosen instances">
      <strong>{plural(isAll ? total : targets.length, "instance")} chosen</strong>
      {!isAll && total > targets.length ? (
        <button type="button" class="link" onClick={() => setAll(true)}>Choose all {count(total)} that match</button>
      ) : null}
      <button type="button" disabled={!isAll && able("retry") === 0} onClick={() => setDeed("retry")}>
        <Icon name="retry" />{text("retry", "Retry")}
      </button>
      <button type="button" disabled={!isAll && able("cancel") === 0} onClick={() => setDeed("cancel")}>
        <Icon name="cancelled" />{text("cancel", "Cancel")}
      </button>
      <button type="button" class="link" onClick={close}>Choose none</button>
      {deed === undefined ? null : <Together deed={deed} targets={isAll ? walk : targets} onClose={close} />}
    </div>
  );
}

/** What came of one; nothing yet, if absent. */
type Outcomes = Map<string, Error | "done">;

export function Together({ deed, targets, onClose }: { deed: Deed; targets: Target[] | Walk; onClose: () => void }) {
  const [input, setInput] = useState("");
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<string>();
  const found = useFound(targets);
  const work = useWork(deed);
  const able = found.all.filter((it) => canBe(deed, it)).slice(0, TOGETHER_MAX);
  const run = (event: Event) => {
    event.preventDefault();
    try {
      const body = deed === "cancel" ? { reason: reason.trim() } : { variables: object(input) };
      setProblem(undefined);
      void work.run(able, body, reason);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const verb = deed === "retry" ? "Retry" : "Cancel";
  const isDone = work.outcomes !== undefined && !work.isBusy;
  const isReady = !work.isBusy && found.isOver && able.length > 0;
  return (
    <Dialog title={found.isOver ? `${verb} ${plural(able.length, "instance")}` : verb} onClose={onClose}>
      <form onSubmit={run}>
        <Preview found={found} able={able} outcomes={work.outcomes} />
        {isDone || work.isBusy || deed === "cancel" ? null : <Variables input={input} set={setInput} />}
        {isDone || work.isBusy ? null : <Field label="Reason" value={reason} set={setReason} hint={KEPT} />}
        {problem === undefined ? null : <p class="problem" role="alert">{problem}</p>}
        <div class="buttons">
          {work.isBusy ? <button type="button" onClick={work.stop}>Stop</button> : (
            <button type="button" onClick={onClose}>{isDone ? "Close" : "Keep as they are"}</button>
          )}
          {isDone ? null : (
            <button type="submit" class={deed === "cancel" ? "danger" : "primary"} disabled={!isReady}>
              {work.isBusy ? "Working…" : `${verb} ${count(able.length)}`}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

const KEPT = "Kept with each instance, for whoever asks later";

function Variables({ input, set }: { input: string; set: (text: string) => void }) {
  const hint = "A JSON object that is merged into the variables of each; leave it empty to change nothing";
  return <Field label="Variables to change" value={input} set={set} isLong placeholder="{}" hint={hint} />;
}

interface Found {
  all: Target[];
  /** Whether all of them are known. */
  isOver: boolean;
  error: Error | undefined;
}

/** Those that are meant. What is looked for is looked for once: later it may look different. */
function useFound(targets: Target[] | Walk): Found {
  const [found, setFound] = useState<Found>(() => {
    const isGiven = Array.isArray(targets);
    return { all: isGiven ? targets : [], isOver: isGiven, error: undefined };
  });
  useEffect(() => {
    if (Array.isArray(targets)) return;
    let isGone = false;
    const look = async () => {
      for await (const page of targets()) {
        if (isGone) return;
        setFound((before) => ({ ...before, all: [...before.all, ...page] }));
      }
      setFound((before) => ({ ...before, isOver: true }));
    };
    look().catch((error: Error) => setFound((before) => ({ ...before, error })));
    return () => void (isGone = true);
  }, []);
  return found;
}

/** Carries out, a few at a time, until it is done or stopped. */
function useWork(deed: Deed) {
  const [outcomes, setOutcomes] = useState<Outcomes>();
  const [isBusy, setBusy] = useState(false);
  const isStopped = useRef(false);
  const run = async (able: Target[], body: Record<string, unknown>, reason: string) => {
    setBusy(true);
    const [waiting, results]: [Target[], Outcomes] = [[...able], new Map()];
    isStopped.current = false;
    const work = async () => {
      for (let it = waiting.shift(); it !== undefined && !isStopped.current; it = waiting.shift()) {
        const target = it;
        const carried = carry(deed, target, body, reason);
        results.set(target.id, await carried.then(() => "done" as const, (error: Error) => error));
        setOutcomes(new Map(results));
      }
    };
    setOutcomes(results);
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    setBusy(false);
    refresh();
  };
  // Whoever closes the window does not want more of it to be done.
  useEffect(() => () => void (isStopped.current = true), []);
  return { outcomes, isBusy, run, stop: () => void (isStopped.current = true) };
}

function Preview({ found, able, outcomes }: { found: Found; able: Target[]; outcomes: Outcomes | undefined }) {
  const left = found.all.length - able.length;
  const failed = able.filter((it) => outcomes?.get(it.id) instanceof Error);
  const told = [...failed, ...able.filter((it) => !failed.includes(it)).slice(0, TOLD)];
  return (
    <>
      {found.error === undefined ? null : <p class="problem" role="alert">{found.error.message}</p>}
      {found.isOver ? null : <p class="quiet" role="status">Looking: {plural(found.all.length, "instance")} so far</p>}
      {left > 0 && found.isOver ? (
        <p class="quiet">{plural(left, "other")} cannot be: ended, not failed, or too many.</p>
      ) : null}
      {outcomes === undefined ? null : (
        <p role="status">
          <progress max={able.length} value={outcomes.size} aria-label="Progress" />
          {" "}{count(outcomes.size)} of {count(able.length)}, {count(failed.length)} refused
        </p>
      )}
      <ul class="outcomes" tabIndex={0} aria-label="Instances">
        {told.map((it) => (
          <li key={it.id}>
            <span>{it.name} <span class="quiet">at {it.steps.join(", ") || "no step"}</span></span>
            <Outcome of={outcomes?.get(it.id)} />
          </li>
        ))}
      </ul>
      {able.length > told.length ? <p class="quiet">and {count(able.length - told.length)} more</p> : null}
    </>
  );
}

function Outcome({ of }: { of: Error | "done" | undefined }) {
  if (of === undefined) return null;
  return of === "done" ? <Status of="DONE" /> : <Status of="FAILED" text={of.message} />;
}

function carry(deed: Deed, it: Target, body: unknown, reason: string): Promise<unknown> {
  const step = it.steps[0] ?? "";
  if (deed === "retry") return post(path`/v1/instances/${it.id}/steps/${step}/retry`, body, because(reason));
  const root = it.face === "process" ? "/v1/instances" : "/v1/chains/instances";
  return post(`${root}${path`/${it.id}/cancel`}`, body);
}
