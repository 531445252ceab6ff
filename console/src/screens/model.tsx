// The entities of one model: looked for by what they say.

import { useLocation, useRoute } from "preact-iso";
import { useEffect, useState } from "preact/hooks";
import { path, postForLines } from "../lib/api";
import type { Entity, StateCount } from "../lib/entity";
import { count } from "../lib/text";
import { isMissing, usePolled, useResource, useTitle } from "../lib/use";
import type { Picture } from "../lib/types";
import { Ago, Empty, Head, Json, Loaded, Loading, Trouble } from "../parts/base";
import { Diagram } from "../parts/diagram";
import { SignedIn } from "../parts/sign-in";
import { type Column, Table } from "../parts/table";
import { Tabs, withQuery } from "../parts/tabs";

const PAGE = 50;

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
          { id: "entities", name: "Entities", body: () => <Found key={`${name} ${version}`} name={name} version={version} /> },
          { id: "workflow", name: "Workflow", body: () => <Workflow root={path`/api/model/${name}/${version}`} source={workflow.data} /> },
          { id: "schema", name: "Schema", body: () => <SignedIn of={schema}>{(it) => <Json value={it.model} label="Schema" />}</SignedIn> },
        ]}
      />
    </>
  );
}

function Workflow({ root, source }: { root: string; source: unknown }) {
  const picture = useResource<Picture>(`${root}/workflow/diagram.json`);
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

const OPERATORS = ["EQUALS", "NOT_EQUAL", "GREATER_THAN", "LESS_THAN", "CONTAINS", "STARTS_WITH", "IS_NULL", "NOT_NULL"];

/** What is looked for is in the address. */
function Found({ name, version }: { name: string; version: string }) {
  const { query, url, route } = useLocation();
  const [found, setFound] = useState<Entity[]>();
  const [error, setError] = useState<Error>();
  const asked = JSON.stringify(condition(query));
  useEffect(() => {
    setError(undefined);
    postForLines<Entity>(`${path`/api/search/direct/${name}/${version}`}?limit=${PAGE}`, JSON.parse(asked)).then(setFound, setError);
  }, [name, version, asked]);
  return (
    <>
      <StateChips name={name} version={version} chosen={query["state"] ?? ""} />
      <Condition key={url} of={query} set={(changes) => route(withQuery(url, changes))} />
      {error === undefined ? null : <Trouble error={error} />}
      {found === undefined ? (error === undefined ? <Loading /> : null) : (
        <Table label="Entities" rows={found} columns={COLUMNS} rowKey={(it) => it.meta.id} empty="No entity is like that." />
      )}
      {found?.length === PAGE ? <p class="quiet">The first {PAGE}. Look for less to see others.</p> : null}
    </>
  );
}

function condition(query: Record<string, string>): unknown {
  const parts: unknown[] = [];
  if (query["state"]) parts.push({ type: "lifecycle", field: "state", operatorType: "EQUALS", value: query["state"] });
  if (query["path"]) parts.push({ type: "simple", jsonPath: query["path"], operatorType: query["op"] ?? "EQUALS", value: literal(query["value"] ?? "") });
  return { type: "group", operator: "AND", conditions: parts };
}

/** Numbers and truth values as such; everything else is a text. */
function literal(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

function StateChips({ name, version, chosen }: { name: string; version: string; chosen: string }) {
  const { url } = useLocation();
  const states = usePolled<StateCount[]>(path`/api/entity/stats/states/${name}/${version}`);
  return (
    <ul class="chips" aria-label="States">
      {(states.data ?? []).map((it) => (
        <li key={it.state}><a class="chip" aria-current={it.state === chosen ? "true" : undefined} href={withQuery(url, { state: it.state === chosen ? undefined : it.state })}>{it.state}<span class="number">{count(it.count)}</span></a></li>
      ))}
    </ul>
  );
}

function Condition({ of, set }: { of: Record<string, string>; set: (changes: Record<string, string | undefined>) => void }) {
  const [where, setWhere] = useState(of["path"] ?? "");
  const [op, setOp] = useState(of["op"] ?? "EQUALS");
  const [value, setValue] = useState(of["value"] ?? "");
  const submit = (event: Event) => {
    event.preventDefault();
    set({ path: where.trim(), op: where.trim() === "" ? undefined : op, value });
  };
  const text = (setter: (value: string) => void) => (event: Event) => setter((event.target as HTMLInputElement).value);
  return (
    <form class="filters" onSubmit={submit}>
      <label class="inline"><span>Where</span><input type="text" placeholder="$.customer.city" value={where} onInput={text(setWhere)} /></label>
      <label class="inline"><span>Is</span><select value={op} onChange={text(setOp)}>{OPERATORS.map((it) => <option key={it} value={it}>{it.replaceAll("_", " ").toLowerCase()}</option>)}</select></label>
      <label class="inline"><span>Value</span><input type="text" value={value} onInput={text(setValue)} /></label>
      <button type="submit">Search</button>
      {of["path"] ? <button type="button" class="link" onClick={() => set({ path: undefined, op: undefined, value: undefined })}>Clear</button> : null}
    </form>
  );
}
