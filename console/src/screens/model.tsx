// The entities of one model: looked for by what they say.

import { useLocation, useRoute } from "preact-iso";
import { useCallback, useEffect, useState } from "preact/hooks";
import { get, path, post } from "../lib/api";
import type { Entity, EntityPage, StateCount } from "../lib/entity";
import { complete, condition, nothing, read } from "../lib/search";
import { count, plural } from "../lib/text";
import { entityMatters, isMissing, useResource, useTitle } from "../lib/use";
import type { Picture } from "../lib/types";
import { Ago, Empty, Head, Json, Loaded, Loading, Trouble, When } from "../parts/base";
import { Conditions } from "../parts/conditions";
import { Diagram } from "../parts/diagram";
import { Lint } from "../parts/lint";
import { SignedIn } from "../parts/sign-in";
import { type Column, Table } from "../parts/table";
import { Tabs, withQuery } from "../parts/tabs";

const PAGE = 50;

/** How long to wait until a search is looked at again. */
const LOOK_MS = 150;

export function ModelScreen() {
  const { params } = useRoute();
  const [name, version] = [params["name"] ?? "", params["version"] ?? ""];
  useTitle(name);
  const schema = useResource<{ model: unknown }>(path`/api/model/export/SIMPLE_VIEW/${name}/${version}`);
  const workflow = useResource<unknown>(path`/api/model/${name}/${version}/workflow/export`);
  return (
    <>
      <Head title={name} sub={`model, version ${version}`} />
      <Tabs
        label="About this model"
        of={[
          { id: "entities", name: "Entities", body: () => <Entities key={`${name} ${version}`} name={name} version={version} /> },
          { id: "workflow", name: "Workflow", body: () => <Workflow root={path`/api/model/${name}/${version}/workflow`} source={workflow.data} /> },
          { id: "lint", name: "Findings", body: () => (workflow.data === undefined ? <Empty>It has no workflow of its own.</Empty> : <Lint kind="entity" source={workflow.data} />) },
          { id: "schema", name: "Schema", body: () => <SignedIn of={schema}>{(it) => <Json value={it.model} label="Schema" />}</SignedIn> },
        ]}
      />
    </>
  );
}

function Workflow({ root, source }: { root: string; source: unknown }) {
  const picture = useResource<Picture>(`${root}/diagram.json`);
  return (
    <>
      {isMissing(picture.error) ? <Empty>It has no workflow of its own.</Empty> : <Loaded of={picture}>{(it) => <Diagram of={it} />}</Loaded>}
      {source === undefined ? null : <Json value={source} label="Workflow" />}
    </>
  );
}

const COLUMNS: Column<Entity>[] = [
  { head: "Entity", cell: (it) => <a class="name" href={path`/console/entities/${it.meta.id}`}><strong>{title(it)}</strong><span class="quiet">{it.meta.id.slice(0, 8)}</span></a> },
  { head: "State", cell: (it) => <span class="state">{it.meta.state}</span> },
  { head: "Says", cell: (it) => <code class="clip">{JSON.stringify(it.data)}</code>, isWide: true },
  { head: "Changed", cell: (it) => <Ago at={it.meta.lastUpdateTime} />, isNumber: true },
];

/** The first text in it is most often what people call it. */
export function title(of: Entity): string {
  const text = Object.values(of.data).find((it): it is string => typeof it === "string" && it !== "");
  return text ?? of.meta.id.slice(0, 8);
}

/** What is looked for is in the address. */
function Entities({ name, version }: { name: string; version: string }) {
  const { query, url, route } = useLocation();
  const state = query["state"] ?? "";
  const asked = query["q"];
  const [draft, setDraft] = useState(() => read(asked));
  useEffect(() => setDraft(read(asked)), [asked]);
  const states = useResource<StateCount[]>(path`/api/entity/stats/states/${name}/${version}`, entityMatters());
  const submit = (event: Event) => {
    event.preventDefault();
    const wanted = complete(draft);
    route(withQuery(url, { q: wanted.parts.length === 0 ? undefined : JSON.stringify(wanted), page: undefined }));
  };
  const isBlank = asked === undefined && draft.parts.length === 0;
  const isSearch = state !== "" || read(asked).parts.length > 0;
  const page = Math.max(0, Number(query["page"] ?? 0) || 0);
  return (
    <>
      <StateChips states={states.data ?? []} chosen={state} />
      <form class="search" onSubmit={submit} aria-label="Search">
        <Conditions of={draft} set={setDraft} />
        <div class="actions">
          {isBlank ? null : <button type="submit" class="primary">Search</button>}
          {isBlank ? null : <button type="button" class="link" onClick={() => { setDraft(nothing()); route(withQuery(url, { q: undefined, page: undefined })); }}>Clear</button>}
        </div>
      </form>
      {isSearch ? <Found root={path`${name}/${version}`} asked={JSON.stringify(condition(read(asked), state))} page={page} /> : <All root={path`/api/entity/${name}/${version}`} page={page} total={sum(states.data)} />}
    </>
  );
}

const sum = (of: StateCount[] | undefined) => of?.reduce((total, it) => total + it.count, 0);

/** All of them, as they are. */
function All({ root, page, total }: { root: string; page: number; total: number | undefined }) {
  const found = useResource<Entity[]>(`${root}?pageSize=${PAGE}&pageNumber=${page}`, entityMatters());
  return (
    <SignedIn of={found}>
      {(it) => (
        <>
          <Table label="Entities" rows={it} columns={COLUMNS} rowKey={(row) => row.meta.id} empty="There is no entity of this model." />
          <Pager page={page} total={total ?? page * PAGE + it.length} />
        </>
      )}
    </SignedIn>
  );
}

interface Result {
  id: string;
  at: string;
  asked: string;
}

/** What matches, as it was when it was looked for: pages of it do not shift. */
function Found({ root, asked, page }: { root: string; asked: string; page: number }) {
  const [result, setResult] = useState<Result>();
  const [error, setError] = useState<Error>();
  const search = useCallback(() => {
    const stop = new AbortController();
    setError(undefined);
    run(root, asked, stop.signal).then(
      (it) => stop.signal.aborted || setResult(it),
      (thrown: Error) => stop.signal.aborted || setError(thrown),
    );
    return () => stop.abort();
  }, [root, asked]);
  useEffect(() => search(), [search]);
  const mine = result?.asked === asked ? result : undefined;
  const found = useResource<EntityPage>(mine !== undefined ? `${path`/api/search/async/${mine.id}`}?pageSize=${PAGE}&pageNumber=${page}` : null);
  if (error !== undefined) return <Trouble error={error} />;
  if (mine === undefined) return <Loading />;
  return (
    <Loaded of={found}>
      {(it) => (
        <>
          <p class="quiet">{plural(it.page.totalElements, "match").replace("matchs", "matches")} at <When at={mine.at} />. <button type="button" class="link" onClick={() => search()}>Search again</button></p>
          <Table label="Entities" rows={it.content} columns={COLUMNS} rowKey={(row) => row.meta.id} empty="No entity is like that." />
          <Pager page={page} total={it.page.totalElements} />
        </>
      )}
    </Loaded>
  );
}

/** Searches, and waits until that is over. */
async function run(root: string, asked: string, signal: AbortSignal): Promise<Result> {
  const id = await post<string>(`/api/search/async/${root}`, JSON.parse(asked));
  const at = new Date().toISOString();
  for (;;) {
    const { searchJobStatus } = await get<{ searchJobStatus: string }>(path`/api/search/async/${id}/status`, signal);
    if (searchJobStatus === "SUCCESSFUL") return { id, at, asked };
    if (searchJobStatus !== "RUNNING") throw new Error(`The search has ended: ${searchJobStatus.toLowerCase()}.`);
    await new Promise((resolve) => window.setTimeout(resolve, LOOK_MS));
  }
}

function Pager({ page, total }: { page: number; total: number }) {
  const { url } = useLocation();
  if (total <= PAGE && page === 0) return null;
  const to = (it: number) => withQuery(url, { page: it === 0 ? undefined : String(it) });
  const last = Math.min(total, (page + 1) * PAGE);
  return (
    <nav class="pager" aria-label="Pages">
      <span class="quiet">{count(page * PAGE + 1)} to {count(last)} of {count(total)}</span>
      {page === 0 ? null : <a class="button" href={to(page - 1)}>Previous</a>}
      {last >= total ? null : <a class="button" href={to(page + 1)}>Next</a>}
    </nav>
  );
}

function StateChips({ states, chosen }: { states: StateCount[]; chosen: string }) {
  const { url } = useLocation();
  return (
    <ul class="chips" aria-label="States">
      {states.map((it) => (
        <li key={it.state}><a class="chip" aria-current={it.state === chosen ? "true" : undefined} href={withQuery(url, { state: it.state === chosen ? undefined : it.state, page: undefined })}>{it.state}<span class="number">{count(it.count)}</span></a></li>
      ))}
    </ul>
  );
}
