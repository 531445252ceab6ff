// What can be done about a process. Everything asks first and says what came of it.

import { useState } from "preact/hooks";
import { because, path, post } from "../lib/api";
import type { ProcessInstance, ProcessSource, ProcessStep, Variables } from "../lib/types";
import { isViewer } from "../lib/who";
import { CancelAsk } from "./cancel-ask";
import { Ask, Field, object } from "./dialog";
import { Icon } from "./icon";

type Deed = { kind: "cancel" } | { kind: "retry" | "signal" | "complete"; step: string };

const OVER = ["COMPLETED", "CANCELLED"];

export function ProcessActions({ of, definition }: { of: ProcessInstance; definition: ProcessSource | undefined }) {
  const [deed, setDeed] = useState<Deed>();
  const steps = (definition?.steps ?? []).filter((it) => of.currentStepIds.includes(it.id));
  const isOver = of.status === "FAILED" || OVER.includes(of.status);
  const atKind = (kind: string) => (isOver ? [] : steps.filter((it) => it.type === kind));
  const named = (found: { length: number }, verb: string, name: string) =>
    found.length > 1 ? `${verb} ${name}…` : `${verb}…`;
  const text = (found: ProcessStep[], verb: string, it: ProcessStep) => named(found, verb, it.name ?? it.id);
  const asks = (kind: "retry" | "signal" | "complete", step: string) => () => setDeed({ kind, step });
  const failed = of.status === "FAILED" ? of.currentStepIds : [];
  const [people, waits] = [atKind("USER_TASK"), atKind("WAIT")];
  return (
    <>
      {people.map((it) => (
        <Do key={it.id} icon="person" text={text(people, "Complete", it)} isFirst onClick={asks("complete", it.id)} />
      ))}
      {waits.map((it) => (
        <Do key={it.id} icon="signal" text={text(waits, "Signal", it)} isFirst onClick={asks("signal", it.id)} />
      ))}
      {failed.map((it) => (
        <Do key={it} icon="retry" text={named(failed, "Retry", it)} isFirst onClick={asks("retry", it)} />
      ))}
      {isOver ? null : <Do icon="cancelled" text="Cancel…" onClick={() => setDeed({ kind: "cancel" })} />}
      {deed === undefined ? null : deed.kind === "cancel" ? (
        <CancelAsk
          name={of.businessKey ?? of.id}
          path={path`/v1/instances/${of.id}/cancel`}
          onClose={() => setDeed(undefined)}
        />
      ) : (
        <StepAsk of={of} kind={deed.kind} step={deed.step} definition={definition} onClose={() => setDeed(undefined)} />
      )}
    </>
  );
}

interface DoProps {
  icon: string;
  text: string;
  isFirst?: boolean;
  onClick: () => void;
}

export function Do({ icon, text, isFirst, onClick }: DoProps) {
  if (isViewer()) return null;
  return <button type="button" class={isFirst ? "primary" : ""} onClick={onClick}><Icon name={icon} />{text}</button>;
}

const STEP = {
  complete: {
    title: "Complete",
    verb: "Complete it",
    text: "The task is done, with what you enter here.",
    label: "What came of it",
  },
  signal: {
    title: "Signal",
    verb: "Send the signal",
    text: "It goes on, as if what it waits for had happened.",
    label: "What the signal brings",
  },
  retry: {
    title: "Retry",
    verb: "Try again",
    text: "The step is tried again, with variables changed if need be.",
    label: "Variables",
  },
};

const HINTS = {
  complete: "A JSON object; leave it empty to bring nothing",
  signal: "A JSON object; leave it empty to bring nothing",
  retry: "As they are now; change what was wrong. Names that are taken out stay as they are",
};

interface StepAskProps {
  of: { id: string; variables?: Variables };
  kind: keyof typeof STEP;
  step: string;
  definition: ProcessSource | undefined;
  onClose: () => void;
}

export function StepAsk({ of, kind, step, definition, onClose }: StepAskProps) {
  // What is tried again begins with what is known: to mend a value, one sees it.
  const [text, setText] = useState(kind === "retry" ? JSON.stringify(of.variables ?? {}, null, 2) : "");
  const [reason, setReason] = useState("");
  const { title, verb, text: note, label } = STEP[kind];
  const name = definition?.steps.find((it) => it.id === step)?.name ?? step;
  const act = () => {
    const variables = kind === "retry" ? changed(of.variables ?? {}, object(text)) : object(text);
    if (kind === "retry") return post(path`/v1/instances/${of.id}/steps/${step}/retry`, { variables }, because(reason));
    if (kind === "signal") return post(path`/v1/instances/${of.id}/signals/${step}`, variables, because(reason));
    return post(path`/v1/instances/${of.id}/user-tasks/${step}/complete`, { variables }, because(reason));
  };
  return (
    <Ask title={`${title}: ${name}`} verb={verb} onClose={onClose} act={act}>
      <p>{note}</p>
      <Choices of={kind === "retry" ? [] : choices(definition, step)} set={setText} />
      <Field label={label} value={text} set={setText} isLong placeholder="{}" hint={HINTS[kind]} />
      <Field label="Reason" value={reason} set={setReason} hint="Kept in the audit, for whoever asks later" />
    </Ask>
  );
}

/** What is other than it was: only that is sent. */
function changed(before: Variables, now: Variables): Variables {
  const isOther = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(before[name]);
  return Object.fromEntries(Object.entries(now).filter(isOther));
}

/** Answers that the step behind this one looks for: variables and values it compares. */
function choices(definition: ProcessSource | undefined, step: string): [string, string][] {
  const next = definition?.steps.find((it) => it.id === step)?.nextStep;
  const conditions = Object.keys(definition?.steps.find((it) => it.id === next)?.conditionalNextSteps ?? {});
  const found = conditions.flatMap((it) => [...it.matchAll(/#?([A-Za-z_]\w*)\s*==\s*['"]([^'"]*)['"]/g)]);
  return found.flatMap(([, name, value]): [string, string][] =>
    name === undefined || value === undefined ? [] : [[name, value]],
  );
}

const answer = (name: string, value: string): string => JSON.stringify({ [name]: value }, null, 2);

function Choices({ of, set }: { of: [string, string][]; set: (text: string) => void }) {
  if (of.length === 0) return null;
  return (
    <div class="choices" role="group" aria-label="Answers the next step looks for">
      {of.map(([name, value]) => (
        <button key={`${name} ${value}`} type="button" class="chip" onClick={() => set(answer(name, value))}>
          {name} = {value}
        </button>
      ))}
    </div>
  );
}
