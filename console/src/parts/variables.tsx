// What is known, and what of it is new.

import { Value } from "./base";

export function Variables({ now, before }: { now: Record<string, unknown>; before?: Record<string, unknown> | undefined }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(now)])].sort();
  if (names.length === 0) return <p class="empty">It knows nothing.</p>;
  return (
    <div class="scroll" role="region" aria-label="Variables" tabIndex={0}>
      <table class="variables">
        <thead>
          <tr><th scope="col">Name</th><th scope="col">Value</th>{before === undefined ? null : <th scope="col">Since the last step</th>}</tr>
        </thead>
        <tbody>
          {names.map((name) => <Row key={name} name={name} now={now} before={before} />)}
        </tbody>
      </table>
    </div>
  );
}

function Row({ name, now, before }: { name: string; now: Record<string, unknown>; before: Record<string, unknown> | undefined }) {
  const [isThere, wasThere] = [name in now, before === undefined || name in before];
  const isOther = before !== undefined && JSON.stringify(now[name]) !== JSON.stringify(before[name]);
  const change = !wasThere ? "new" : !isThere ? "gone" : isOther ? "changed" : "";
  return (
    <tr class={change}>
      <th scope="row"><code>{name}</code></th>
      <td>{isThere ? <Value value={now[name]} /> : "–"}</td>
      {before === undefined ? null : <td>{change === "changed" ? <>was <Value value={before[name]} /></> : change}</td>}
    </tr>
  );
}
