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

/** What is still to end; where entities end is told by their workflow alone. */
const EXPECTED = ["ACTIVE", "WAITING", "RUNNING"];

function Told({ of }: { of: Explanation }) {
  const isStuck = of.stuck !== undefined && EXPECTED.includes(of.status ?? "");
  return (
    <div class="explain">
      <p class={isStuck ? "problem" : undefined}>{isStuck ? <Icon name="failed" /> : null}{of.summary}</p>
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

type Move = NonNullable<Explanation["next"]>[number];

/** What cannot be done now is told to those who ask. */
function Next({ of }: { of: Move[] }) {
  const [able, refused] = [of.filter((it) => it.refusedBecause === undefined), of.filter((it) => it.refusedBecause !== undefined)];
  return (
    <>
      {able.length === 0 ? null : <><h3>What can happen next</h3><Moves of={able} /></>}
      {refused.length === 0 ? null : <details><summary>What cannot happen now</summary><Moves of={refused} /></details>}
    </>
  );
}

function Moves({ of }: { of: Move[] }) {
  return (
    <ul>
      {of.map((it, at) => (
        <li key={at}>
          {it.what}
          {it.leadsTo.length === 0 ? null : <> → <strong>{it.leadsTo.join(", ")}</strong></>}
          {it.by === "" ? null : <span class="quiet"> by {it.by}</span>}
          {it.refusedBecause === undefined ? null : <>: {it.refusedBecause}</>}
        </li>
      ))}
    </ul>
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
