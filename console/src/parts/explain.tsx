// Why something is where it is, in the words of the server.

import { words } from "../lib/text";
import type { Explanation } from "../lib/types";
import { type Matters, useResource } from "../lib/use";
import { Ago, Card, Value, When } from "./base";
import { Icon } from "./icon";

/** Nothing, where the server does not explain. */
export function Explain({ path, matters }: { path: string; matters: Matters }) {
  const explained = useResource<Explanation>(path, matters);
  if (explained.data === undefined) return null;
  return <Card title="Why is it here?"><Told of={explained.data} /></Card>;
}

function Told({ of }: { of: Explanation }) {
  const stuck = typeof of.stuck === "string" ? of.stuck : of.stuck ? "It is stuck: nothing that can happen by itself gets it further." : "";
  return (
    <div class="explain">
      <p>{of.summary}</p>
      {stuck === "" ? null : <p class="problem"><Icon name="failed" />{stuck}</p>}
      {(of.waits ?? []).length === 0 ? null : (
        <ul>
          {of.waits?.map((it, at) => (
            <li key={at}>
              {it.at === undefined ? null : <strong>{it.at}</strong>} waits for {it.for ?? "something"}
              {it.since ? <>, since <Ago at={it.since} /></> : null}
              {it.until ? <>, until <When at={it.until} /></> : null}
            </li>
          ))}
        </ul>
      )}
      {(of.conditions ?? []).length === 0 ? null : <Conditions of={of.conditions ?? []} />}
      {(of.next ?? []).length === 0 ? null : (
        <>
          <h3>What can happen next</h3>
          <ul>
            {of.next?.map((it, at) => (
              <li key={at}>
                {it.what}
                {it.leadsTo ? <> → <strong>{it.leadsTo}</strong></> : null}
                {it.byWhom ? <span class="quiet"> by {it.byWhom}</span> : null}
                {it.refusedBecause ? <span class="bad"> not now: {it.refusedBecause}</span> : null}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Conditions({ of }: { of: NonNullable<Explanation["conditions"]> }) {
  return (
    <>
      <h3>Conditions</h3>
      <ul>
        {of.map((it, at) => (
          <li key={at}>
            <code>{it.text}</code> is <strong>{words(String(it.outcome)).toLowerCase()}</strong>
            {Object.entries(it.values ?? {}).map(([name, value]) => <span key={name} class="quiet"> · {name} = <Value value={value} /></span>)}
          </li>
        ))}
      </ul>
    </>
  );
}
