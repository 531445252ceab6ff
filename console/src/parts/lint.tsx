// What is wrong with a definition, as the server sees it.

import { useEffect, useState } from "preact/hooks";
import { post, Refused } from "../lib/api";
import { Empty, Loading, Trouble } from "./base";
import { Status } from "./status";

interface Finding {
  code: string;
  severity: string;
  message: string;
  help?: string;
  place?: { line: number };
}

export function Lint({ kind, source }: { kind: string; source: unknown }) {
  const [found, setFound] = useState<Finding[]>();
  const [error, setError] = useState<Error>();
  const text = JSON.stringify(source);
  useEffect(() => {
    setFound(undefined);
    setError(undefined);
    post<{ findings: Finding[] }>(`/v1/lint?kind=${kind}`, JSON.parse(text)).then((it) => setFound(it.findings), setError);
  }, [kind, text]);
  if (error instanceof Refused && error.status === 404) return <Empty>This server does not look for mistakes.</Empty>;
  if (error !== undefined) return <Trouble error={error} />;
  if (found === undefined) return <Loading />;
  if (found.length === 0) return <Empty>Nothing to be said against it.</Empty>;
  return (
    <ul class="findings" aria-label="Findings">
      {found.map((it, at) => (
        <li key={at}>
          <Status of={it.severity} /> <strong>{it.message}</strong> <code>{it.code}</code>
          {it.place === undefined ? null : <span class="quiet"> line {it.place.line}</span>}
          {it.help === undefined ? null : <p class="quiet">{it.help}</p>}
        </li>
      ))}
    </ul>
  );
}
