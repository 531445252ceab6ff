// One definition: drawn, as it was written, and what is to be said about it.

import { useLocation, useRoute } from "preact-iso";
import { useEffect, useState } from "preact/hooks";
import { path, post, query, Refused } from "../lib/api";
import { count } from "../lib/text";
import type { ChainDefinition, Finding, Page, Picture, ProcessInstance, ProcessSource } from "../lib/types";
import { isMissing, useResource, useTitle } from "../lib/use";
import { Card, Empty, Head, Loaded, Loading, Trouble } from "../parts/base";
import { Diagram } from "../parts/diagram";
import { Source } from "../parts/source";
import { Status } from "../parts/status";
import { Tabs, withQuery } from "../parts/tabs";

export function ProcessDefinitionScreen() {
  const { params } = useRoute();
  const { query: asked } = useLocation();
  const id = params["id"] ?? "";
  const latest = useResource<ProcessSource>(path`/v1/definitions/${id}`);
  const version = Number(asked["version"] ?? latest.data?.version ?? 0);
  const chosen = useResource<ProcessSource>(version > 0 ? path`/v1/definitions/${id}/versions/${version}` : null);
  const root = path`/v1/definitions/${id}`;
  useTitle(latest.data?.name ?? id);
  return (
    <Loaded of={latest}>
      {(newest) => (
        <>
          <Head title={newest.name} sub={<>{id} · version {version} of {newest.version}{newest.description === undefined ? null : <> · {newest.description}</>}</>} />
          <Versions chosen={version} latest={newest.version} />
          <Loaded of={chosen}>
            {(source) => (
              <Tabs
                label="About this definition"
                of={[
                  { id: "diagram", name: "Diagram", body: () => <Drawn path={`${root}/diagram.json${query({ version })}`} /> },
                  { id: "source", name: "Source", body: () => <Source text={JSON.stringify(source, null, 2)} /> },
                  { id: "lint", name: "Findings", body: () => <Lint key={version} kind="process" source={source} /> },
                  { id: "diff", name: "What changed", body: () => <Diff id={id} version={version} source={source} /> },
                  { id: "instances", name: "Instances", body: () => <Instances id={id} /> },
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
      {(it) => (
        <>
          <Head title={name} sub={`version ${version}`} />
          <Tabs
            label="About this definition"
            of={[
              { id: "diagram", name: "Diagram", body: () => <Drawn path={`${root}/diagram.json`} /> },
              { id: "source", name: "Source", body: () => <Source text={JSON.stringify(it, null, 2)} /> },
              { id: "lint", name: "Findings", body: () => <Lint kind="chain" source={{ workflowType: it.workflowType, workflowVersion: it.workflowVersion, steps: it.steps }} /> },
            ]}
          />
          <p><a href={`/console/instances?face=chain&definition=${encodeURIComponent(name)}`}>Its instances</a></p>
        </>
      )}
    </Loaded>
  );
}

function Versions({ chosen, latest }: { chosen: number; latest: number }) {
  const { url } = useLocation();
  if (latest < 2) return null;
  const versions = Array.from({ length: latest }, (_, at) => latest - at);
  return (
    <nav class="versions" aria-label="Versions">
      {versions.map((it) => <a key={it} class="chip" href={withQuery(url, { version: String(it) })} aria-current={it === chosen ? "page" : undefined}>v{it}</a>)}
    </nav>
  );
}

export function Drawn({ path }: { path: string }) {
  const picture = useResource<Picture>(path);
  if (isMissing(picture.error)) return <Empty>This server draws no diagrams.</Empty>;
  return <Loaded of={picture}>{(it) => <Diagram of={it} />}</Loaded>;
}

type Findings = Finding[] | { findings?: Finding[]; items?: Finding[] };

function Lint({ kind, source }: { kind: string; source: unknown }) {
  const [found, setFound] = useState<Finding[]>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    post<Findings>(`/v1/lint?kind=${kind}`, source).then(
      (it) => setFound(Array.isArray(it) ? it : (it.findings ?? it.items ?? [])),
      (thrown: Error) => setError(thrown),
    );
  }, [kind]);
  if (error instanceof Refused && error.status === 404) return <Empty>This server does not look for mistakes.</Empty>;
  if (error !== undefined) return <Trouble error={error} />;
  if (found === undefined) return <Loading />;
  if (found.length === 0) return <Empty>Nothing to be said against it.</Empty>;
  return (
    <ul class="findings">
      {found.map((it, at) => (
        <li key={at}>
          <Status of={it.severity} /> <strong>{it.message}</strong> <code>{it.code}</code>
          {it.line === undefined ? null : <span class="quiet"> line {it.line}</span>}
          {it.help === undefined ? null : <p class="quiet">{it.help}</p>}
        </li>
      ))}
    </ul>
  );
}

function Diff({ id, version, source }: { id: string; version: number; source: ProcessSource }) {
  const before = useResource<ProcessSource>(version > 1 ? path`/v1/definitions/${id}/versions/${version - 1}` : null);
  if (version < 2) return <Empty>This is the first version.</Empty>;
  return <Loaded of={before}>{(it) => <Source text={JSON.stringify(source, null, 2)} before={JSON.stringify(it, null, 2)} />}</Loaded>;
}

const STATUSES = ["ACTIVE", "WAITING", "FAILED", "COMPLETED", "CANCELLED"];

function Instances({ id }: { id: string }) {
  return (
    <Card title="Instances of all versions">
      <ul class="counts">{STATUSES.map((it) => <Count key={it} id={id} status={it} />)}</ul>
    </Card>
  );
}

function Count({ id, status }: { id: string; status: string }) {
  const page = useResource<Page<ProcessInstance>>(`/v1/instances${query({ definitionId: id, status, pageSize: 1 })}`, (it) => it.faces.has("process"));
  return (
    <li>
      <a href={`/console/instances${query({ definition: id, status })}`}>
        <Status of={status} />
        <strong>{page.data?.total === undefined ? "…" : count(page.data.total)}</strong>
      </a>
    </li>
  );
}
