// One definition: drawn, as it was written, and what is to be said about it.

import { useLocation, useRoute } from "preact-iso";
import { path, postText, query } from "../lib/api";
import { listOf } from "../lib/status";
import { count } from "../lib/text";
import type { ChainDefinition, Counts, Face, Finding, ProcessSource } from "../lib/types";
import { useAnswer, useResource, useTitle } from "../lib/use";
import { Card, Empty, Head, Loaded } from "../parts/base";
import { Drawn } from "../parts/drawn";
import { Source } from "../parts/source";
import { Status } from "../parts/status";
import { Tabs, withQuery } from "../parts/tabs";

/** How many versions are offered, and how many are counted: the newest. */
const [OFFERED, COUNTED] = [50, 10];

/** A definition as it is shown, and as it is looked through: lines are counted in it. */
const written = (source: unknown): string => JSON.stringify(source, null, 2);

export function ProcessDefinitionScreen() {
  const { params } = useRoute();
  const { query: asked } = useLocation();
  const id = params["id"] ?? "";
  const latest = useResource<ProcessSource>(path`/v1/definitions/${id}`);
  const version = Number(asked["version"] ?? latest.data?.version ?? 0);
  const root = path`/v1/definitions/${id}/versions/${version}`;
  const chosen = useResource<ProcessSource>(version > 0 ? root : null);
  useTitle(latest.data?.name ?? id);
  return (
    <Loaded of={latest}>
      {(newest) => (
        <>
          <Head
            title={newest.name}
            sub={[`${id} · version ${version} of ${newest.version}`, newest.description].filter(Boolean).join(" · ")}
          />
          <Versions chosen={version} latest={newest.version} />
          <Loaded of={chosen}>
            {(source) => (
              <Tabs
                label="About this definition"
                of={[
                  { id: "diagram", name: "Diagram", body: () => <Drawn path={`${root}/diagram.json`} /> },
                  { id: "source", name: "Source", body: () => <Source text={written(source)} /> },
                  { id: "lint", name: "Findings", body: () => <Lint kind="process" text={written(source)} /> },
                  {
                    id: "diff",
                    name: "What changed",
                    body: () => <Diff id={id} version={version} latest={newest.version} source={source} />,
                  },
                  {
                    id: "instances",
                    name: "Instances",
                    body: () => <Instances face="process" definition={id} latest={newest.version} />,
                  },
                ]}
              />
            )}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

export function ChainDefinitionScreen() {
  const { params } = useRoute();
  const [name, version] = [params["name"] ?? "", params["version"] ?? ""];
  const root = path`/v1/chains/definitions/${name}/${version}`;
  const definition = useResource<ChainDefinition>(root);
  useTitle(name);
  return (
    <Loaded of={definition}>
      {({ deployedAt: _, ...source }) => (
        <>
          <Head title={name} sub={`version ${version}`} />
          <Tabs
            label="About this definition"
            of={[
              { id: "diagram", name: "Diagram", body: () => <Drawn path={`${root}/diagram.json`} /> },
              { id: "source", name: "Source", body: () => <Source text={written(source)} /> },
              { id: "lint", name: "Findings", body: () => <Lint kind="chain" text={written(source)} /> },
              {
                id: "instances",
                name: "Instances",
                body: () => <Instances face="chain" definition={name} latest={Number(version)} />,
              },
            ]}
          />
        </>
      )}
    </Loaded>
  );
}

/** The versions there are, newest first. */
const downFrom = (latest: number, most: number): number[] =>
  Array.from({ length: Math.min(latest, most) }, (_, at) => latest - at);

function Versions({ chosen, latest }: { chosen: number; latest: number }) {
  const { url } = useLocation();
  if (latest < 2) return null;
  const href = (version: number) => withQuery(url, { version: String(version), with: undefined });
  return (
    <nav class="versions" aria-label="Versions">
      {downFrom(latest, OFFERED).map((it) => (
        <a key={it} class="chip" href={href(it)} aria-current={it === chosen ? "page" : undefined}>v{it}</a>
      ))}
    </nav>
  );
}

function Lint({ kind, text }: { kind: string; text: string }) {
  const report = useAnswer(() => postText<{ findings: Finding[] }>(`/v1/lint?kind=${kind}`, text), text);
  return (
    <Loaded of={report}>
      {({ findings }) => (findings.length === 0 ? <Empty>Nothing to be said against it.</Empty> : (
        <>
          <ul class="findings">{findings.map((it, at) => <Found key={at} of={it} />)}</ul>
          <Source text={text} marks={new Map(findings.map((it) => [it.place.line, it.message]))} />
        </>
      ))}
    </Loaded>
  );
}

function Found({ of }: { of: Finding }) {
  return (
    <li>
      <Status of={of.severity} /> <strong>{of.message}</strong> <code>{of.code}</code>{" "}
      <a href={`#line-${of.place.line}`}>line {of.place.line}</a>
      {of.help === undefined ? null : <p class="quiet">{of.help}</p>}
    </li>
  );
}

interface DiffProps {
  id: string;
  version: number;
  latest: number;
  source: ProcessSource;
}

/** Against the version before, or any other. */
function Diff({ id, version, latest, source }: DiffProps) {
  const { url, query: asked, route } = useLocation();
  const other = Number(asked["with"] ?? (version > 1 ? version - 1 : 2));
  const before = useResource<ProcessSource>(latest > 1 ? path`/v1/definitions/${id}/versions/${other}` : null);
  if (latest < 2) return <Empty>This is the only version.</Empty>;
  const others = downFrom(latest, OFFERED).filter((it) => it !== version);
  const choose = (event: Event) => route(withQuery(url, { with: (event.target as HTMLSelectElement).value }));
  return (
    <>
      <div class="filters">
        <label class="inline">
          <span>Compared with</span>
          <select value={String(other)} onChange={choose}>
            {others.map((it) => <option key={it} value={it}>version {it}</option>)}
          </select>
        </label>
      </div>
      <Loaded of={before}>{(it) => <Source text={written(source)} before={written(it)} />}</Loaded>
    </>
  );
}

function Instances({ face, definition, latest }: { face: Face; definition: string; latest: number }) {
  return (
    <div class="columns">
      {downFrom(latest, COUNTED).map((it) => <Version key={it} face={face} definition={definition} version={it} />)}
      {latest > COUNTED ? <p class="quiet">Older versions are not counted here.</p> : null}
    </div>
  );
}

function Version({ face, definition, version }: { face: Face; definition: string; version: number }) {
  const counted = useResource<Counts>(`/v1/counts${query({ face, definition, version })}`, (it) => it.faces.has(face));
  return (
    <Card title={`Version ${version}`}>
      <Loaded of={counted}>
        {({ counts }) => (
          <ul class="counts">
            {counts.map((it) => (
              <li key={it.status}>
                <a href={listOf(face, { definition, version, status: it.status })}>
                  <Status of={it.status} />
                  <strong>{count(it.count)}</strong>
                </a>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}
