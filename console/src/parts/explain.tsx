// Why something is where it is, in the words of the server.

import type { Condition, Explanation } from "../lib/types";
import { type Matters, useResource } from "../lib/use";
import { Ago, Card, Loaded, Value, When } from "./base";
import { Icon } from "./icon";

export function Explain({ path, matters, title }: { path: string; matters: Matters; title?: string }) {
  const explained = useResource<Explanation>(path, matters);
  return (
    <Card title={title ?? "Why is it here?"}>
      <Loaded of={explained}>{(it) => <Told of={it} />}</Loaded>
    </Card>
  );
}

function Told({ of }: { of: Explanation }) {
  return (
    <div class="explain">
      <p>{of.summary}</p>
      {of.stuck === undefined ? null : <p class="problem"><Icon name="failed" />Stuck: {of.stuck}</p>}
      <Waits of={of.waits ?? []} />
      {TENSES.map(([tense, name]) => (
        <Conditions key={tense} name={name} of={(of.conditions ?? []).filter((it) => it.tense === tense)} />
      ))}
      <Next of={of.next ?? []} />
    </div>
  );
}

function Waits({ of }: { of: NonNullable<Explanation["waits"]> }) {
  if (of.length === 0) return null;
  return (
    <ul>
      {of.map((it, at) => (
        <li key={at}>
          {it.at === undefined ? null : <strong>{it.at}</strong>} waits for {it.for ?? "something"}
          {it.since ? <>, since <Ago at={it.since} /></> : null}
          {it.until ? <>, until <When at={it.until} /></> : null}
        </li>
      ))}
    </ul>
  );
}

function Next({ of }: { of: NonNullable<Explanation["next"]> }) {
  if (of.length === 0) return null;
  return (
    <>
      <h3>What can happen next</h3>
      <ul>
        {of.map((it, at) => (
          <li key={at}>
            {it.what}
            {it.leadsTo.length === 0 ? null : <> → <strong>{it.leadsTo.join(", ")}</strong></>}
            {it.by === "" ? null : <span class="quiet"> by {it.by}</span>}
            {it.refusedBecause === undefined ? null : <span class="bad"> not now: {it.refusedBecause}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

const TENSES: [Condition["tense"], string][] = [
  ["here", "Conditions that keep it here"],
  ["ahead", "Conditions ahead"],
  ["passed", "Conditions on the way here"],
];

const OUTCOMES: Record<string, string> = { asked: "decided by somebody outside", error: "no answer" };

function Conditions({ name, of }: { name: string; of: Condition[] }) {
  if (of.length === 0) return null;
  return (
    <>
      <h3>{name}</h3>
      <ul>
        {of.map((it, at) => (
          <li key={at}>
            <code>{it.text}</code> <span class="quiet">at {it.at}</span> is{" "}
            <strong>{OUTCOMES[it.outcome] ?? it.outcome}</strong>
            {it.error === undefined ? null : <span class="bad">: {it.error}</span>}
            {Object.entries(it.values).map(([name, value]) => (
              <span key={name} class="quiet"> · {name} = <Value value={value} /></span>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}
