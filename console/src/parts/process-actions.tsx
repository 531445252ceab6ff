// What can be done about a process. Everything asks first and says what came of it.

import { useState } from "preact/hooks";
import { because, path, post } from "../lib/api";
import { isViewer } from "../lib/who";
import type { ProcessInstance, ProcessSource, ProcessStep } from "../lib/types";
import { Ask, Field, object } from "./dialog";
import { Icon } from "./icon";

type Deed = { kind: "cancel" } | { kind: "retry" | "signal" | "complete"; step: string };

const OVER = ["COMPLETED", "CANCELLED"];

export function ProcessActions({ of, definition }: { of: ProcessInstance; definition: ProcessSource | undefined }) {
  const [deed, setDeed] = useState<Deed>();
  const steps = (definition?.steps ?? []).filter((it) => of.currentStepIds.includes(it.id));
  const atKind = (kind: string) => (of.status === "FAILED" || OVER.includes(of.status) ? [] : steps.filter((it) => it.type === kind));
  const several = (found: ProcessStep[], verb: string, it: ProcessStep) => (found.length > 1 ? `${verb} ${it.name ?? it.id}…` : `${verb}…`);
  const [people, waits] = [atKind("USER_TASK"), atKind("WAIT")];
  return (
    <>
      {people.map((it) => <Do key={it.id} icon="person" text={several(people, "Complete", it)} isFirst onClick={() => setDeed({ kind: "complete", step: it.id })} />)}
      {waits.map((it) => <Do key={it.id} icon="signal" text={several(waits, "Signal", it)} isFirst onClick={() => setDeed({ kind: "signal", step: it.id })} />)}
      {of.status === "FAILED" ? of.currentStepIds.map((it) => <Do key={it} icon="retry" text={of.currentStepIds.length > 1 ? `Retry ${it}…` : "Retry…"} isFirst onClick={() => setDeed({ kind: "retry", step: it })} />) : null}
      {OVER.includes(of.status) || of.status === "FAILED" ? null : <Do icon="cancelled" text="Cancel…" onClick={() => setDeed({ kind: "cancel" })} />}
      {deed === undefined ? null : deed.kind === "cancel" ? (
        <CancelAsk of={of} onClose={() => setDeed(undefined)} />
      ) : (
        <StepAsk of={of} kind={deed.kind} step={deed.step} definition={definition} onClose={() => setDeed(undefined)} />
      )}
    </>
  );
}

export function Do({ icon, text, isFirst, onClick }: { icon: string; text: string; isFirst?: boolean; onClick: () => void }) {
  if (isViewer()) return null;
  return <button type="button" class={isFirst ? "primary" : ""} onClick={onClick}><Icon name={icon} />{text}</button>;
}

function CancelAsk({ of, onClose }: { of: ProcessInstance; onClose: () => void }) {
  const [reason, setReason] = useState("");
  return (
    <Ask title={`Cancel ${of.businessKey ?? of.id}?`} verb="Cancel it" isDangerous onClose={onClose} act={() => post(path`/v1/instances/${of.id}/cancel`, { reason: reason.trim() })}>
      <p>It ends here. Work that is under way is refused when it is reported. This cannot be undone.</p>
      <Field label="Reason" value={reason} set={setReason} hint="Kept with the instance, for whoever asks later" />
    </Ask>
  );
}

const STEP = {
  complete: { title: "Complete", verb: "Complete it", text: "The task is done, with what you enter here.", label: "What came of it" },
  signal: { title: "Signal", verb: "Send the signal", text: "It goes on, as if what it waits for had happened.", label: "What the signal brings" },
  retry: { title: "Retry", verb: "Try again", text: "The step is tried again, with variables changed if need be.", label: "Variables to change" },
};

export function StepAsk({ of, kind, step, definition, onClose }: { of: { id: string }; kind: keyof typeof STEP; step: string; definition: ProcessSource | undefined; onClose: () => void }) {
  const [text, setText] = useState("");
  const [reason, setReason] = useState("");
  const { title, verb, text: note, label } = STEP[kind];
  const name = definition?.steps.find((it) => it.id === step)?.name ?? step;
  const act = () => {
    const variables = object(text);
    if (kind === "retry") return post(path`/v1/instances/${of.id}/steps/${step}/retry`, { variables }, because(reason));
    if (kind === "signal") return post(path`/v1/instances/${of.id}/signals/${step}`, variables, because(reason));
    return post(path`/v1/instances/${of.id}/user-tasks/${step}/complete`, { variables }, because(reason));
  };
  return (
    <Ask title={`${title}: ${name}`} verb={verb} onClose={onClose} act={act}>
      <p>{note}</p>
      <Choices of={kind === "retry" ? [] : choices(definition, step)} set={setText} />
      <Field label={label} value={text} set={setText} isLong placeholder="{}" hint="A JSON object; leave it empty to bring nothing" />
      <Field label="Reason" value={reason} set={setReason} hint="Kept in the audit, for whoever asks later" />
    </Ask>
  );
}

/** Answers that the step behind this one looks for: variables and values it compares. */
function choices(definition: ProcessSource | undefined, step: string): [string, string][] {
  const next = definition?.steps.find((it) => it.id === step)?.nextStep;
  const conditions = Object.keys(definition?.steps.find((it) => it.id === next)?.conditionalNextSteps ?? {});
  const found = conditions.flatMap((it) => [...it.matchAll(/#?([A-Za-z_]\w*)\s*==\s*['"]([^'"]*)['"]/g)]);
  return found.flatMap(([, name, value]): [string, string][] => (name === undefined || value === undefined ? [] : [[name, value]]));
}

function Choices({ of, set }: { of: [string, string][]; set: (text: string) => void }) {
  if (of.length === 0) return null;
  return (
    <div class="choices" role="group" aria-label="Answers the next step looks for">
      {of.map(([name, value]) => (
        <button key={`${name} ${value}`} type="button" class="chip" onClick={() => set(JSON.stringify({ [name]: value }, null, 2))}>{name} = {value}</button>
      ))}
    </div>
  );
}
