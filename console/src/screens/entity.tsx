// One entity: its state, what it says, what can become of it, and what it was.

import { useRoute } from "preact-iso";
import { useState } from "preact/hooks";
import { path, put, query } from "../lib/api";
import type { Entity, EntityChange, EntityDeed } from "../lib/entity";
import { when, words } from "../lib/text";
import type { Picture } from "../lib/types";
import { entityMatters, isMissing, useResource, useTitle } from "../lib/use";
import { Ago, Card, Copy, Head, Json, Loaded, When } from "../parts/base";
import { Diagram } from "../parts/diagram";
import { Ask } from "../parts/dialog";
import { Explain } from "../parts/explain";
import { Do } from "../parts/process-actions";
import { Scrubber } from "../parts/scrubber";
import { SignedIn } from "../parts/sign-in";
import { type Column, Table } from "../parts/table";
import { Tabs } from "../parts/tabs";
import { Variables } from "../parts/variables";
import { title } from "./model";

export function EntityScreen() {
  const { params } = useRoute();
  const id = params["id"] ?? "";
  return <One key={id} id={id} />;
}

function One({ id }: { id: string }) {
  const root = path`/api/entity/${id}`;
  const mine = entityMatters(id);
  const changes = useResource<EntityChange[]>(`${root}/changes`, mine);
  const times = (changes.data ?? []).map((it) => it.timeOfChange).reverse();
  const [place, setPlace] = useState<number>();
  const chosen = place === undefined ? undefined : times[place];
  const entity = useResource<Entity>(`${root}${query({ pointInTime: chosen })}`, mine);
  const before = useResource<Entity>(place !== undefined && place > 0 ? `${root}${query({ pointInTime: times[place - 1] })}` : null);
  useTitle(entity.data === undefined ? id : title(entity.data));
  return (
    <SignedIn of={entity}>
      {(it) => (
        <>
          <Head title={<>{title(it)} <span class="state">{it.meta.state}</span></>} sub={<Origin of={it} />}>
            {chosen === undefined ? <Transitions of={it} root={root} /> : undefined}
          </Head>
          {chosen === undefined ? <Explain path={`${root}/explain`} matters={mine} /> : null}
          <Scrubber times={times.map((at) => Date.parse(at))} place={place} set={setPlace} text={chosen === undefined ? undefined : `${when(chosen)}: ${it.meta.state}`} />
          <Tabs
            label="About this entity"
            of={[
              { id: "data", name: "Document", body: () => <Card><Variables now={it.data} before={place !== undefined && place > 0 ? before.data?.data : undefined} /></Card> },
              { id: "chart", name: "State chart", body: () => <Chart id={id} root={root} at={chosen} /> },
              { id: "next", name: "Transitions", body: () => <Ways id={id} root={root} at={chosen} /> },
              { id: "audit", name: "Audit", body: () => <Audit id={id} /> },
              { id: "raw", name: "Raw", body: () => <Json value={it} label="The entity as the server tells it" /> },
            ]}
          />
        </>
      )}
    </SignedIn>
  );
}

function Origin({ of }: { of: Entity }) {
  const model = of.meta.modelKey;
  return (
    <>
      {model === undefined ? null : <a href={path`/console/models/${model.name}/${model.version}`}>{model.name} v{model.version}</a>}
      {" · "}created <Ago at={of.meta.creationDate} /> · changed <Ago at={of.meta.lastUpdateTime} />
      {" · "}<code>{of.meta.id}</code> <Copy text={of.meta.id} />
    </>
  );
}

/** The state it is in, or was in at a moment. */
function Chart({ id, root, at }: { id: string; root: string; at: string | undefined }) {
  const picture = useResource<Picture>(`${root}/diagram.json${query({ pointInTime: at })}`, entityMatters(id));
  if (isMissing(picture.error)) return <p class="empty">This server draws no chart of it.</p>;
  return <Loaded of={picture}>{(it) => <Diagram of={it} />}</Loaded>;
}

/** Where it could go, now or then. */
function Ways({ id, root, at }: { id: string; root: string; at: string | undefined }) {
  const names = useResource<string[]>(`${root}/transitions${query({ pointInTime: at })}`, entityMatters(id));
  return (
    <Loaded of={names}>
      {(it) => (it.length === 0 ? <p class="empty">No transition leads out of this state.</p> : <Card title={at === undefined ? "It can take" : "It could take"}><ul class="plain-list">{it.map((name) => <li key={name}><code>{name}</code></li>)}</ul></Card>)}
    </Loaded>
  );
}

function Transitions({ of, root }: { of: Entity; root: string }) {
  const names = useResource<string[]>(`${root}/transitions`, entityMatters(of.meta.id));
  const [asked, setAsked] = useState<string>();
  return (
    <>
      {(names.data ?? []).map((it) => <Do key={it} icon="active" text={`${it}…`} onClick={() => setAsked(it)} />)}
      {asked === undefined ? null : (
        <Ask title={`${asked} ${title(of)}?`} verb={asked} onClose={() => setAsked(undefined)} act={() => take(of, asked)}>
          <p>It is in {of.meta.state}. The document stays as it is; processors of the transition may change it.</p>
        </Ask>
      )}
    </>
  );
}

/** Only if nobody has changed it since it was shown. */
function take(of: Entity, transition: string): Promise<unknown> {
  return put(path`/api/entity/JSON/${of.meta.id}/${transition}`, of.data, { "if-match": of.meta.transactionId });
}

const DEEDS: Column<EntityDeed>[] = [
  { head: "When", cell: (it) => <When at={it.utcTime} /> },
  { head: "What", cell: (it) => words(it.eventType ?? it.changeType ?? it.auditEventType) },
  { head: "State", cell: (it) => it.state ?? "–" },
  { head: "Detail", cell: (it) => it.details ?? "–" },
  { head: "Who", cell: (it) => it.actor?.name ?? "the engine", isWide: true },
];

function Audit({ id }: { id: string }) {
  const [cursors, setCursors] = useState<string[]>([]);
  const page = useResource<{ items: EntityDeed[]; pagination?: { hasNext: boolean; nextCursor?: string | null } }>(`${path`/api/audit/entity/${id}`}${query({ cursor: cursors.at(-1) })}`, entityMatters(id));
  return (
    <Loaded of={page}>
      {({ items, pagination }) => (
        <>
          <Table label="Audit" rows={items} columns={DEEDS} rowKey={(row) => `${row.utcTime} ${row.auditEventType} ${row.eventType} ${row.details}`} empty="Nothing is known." />
          <div class="pager">
            {cursors.length === 0 ? null : <button type="button" onClick={() => setCursors(cursors.slice(0, -1))}>Newer</button>}
            {pagination?.hasNext && pagination.nextCursor ? <button type="button" onClick={() => setCursors([...cursors, pagination.nextCursor ?? ""])}>Older</button> : null}
          </div>
        </>
      )}
    </Loaded>
  );
}
