// One entity: its state, what it says, what can become of it, and what it was.

import { useRoute } from "preact-iso";
import { useState } from "preact/hooks";
import { path, put, query } from "../lib/api";
import type { Entity, EntityChange, EntityDeed } from "../lib/entity";
import { when, words } from "../lib/text";
import type { Picture } from "../lib/types";
import { once, usePolled, useResource, useTitle } from "../lib/use";
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
  const changes = usePolled<EntityChange[]>(`${root}/changes`);
  const times = (changes.data ?? []).map((it) => it.timeOfChange).reverse();
  const [place, setPlace] = useState<number>();
  const chosen = place === undefined ? undefined : times[place];
  const entity = usePolled<Entity>(`${root}${query({ pointInTime: chosen })}`);
  const before = useResource<Entity>(place !== undefined && place > 0 ? `${root}${query({ pointInTime: times[place - 1] })}` : null);
  useTitle(entity.data === undefined ? id : title(entity.data));
  return (
    <SignedIn of={entity}>
      {(it) => (
        <>
          <Head title={<>{title(it)} <span class="state">{it.meta.state}</span></>} sub={<Origin of={it} />}>
            {chosen === undefined ? <Transitions of={it} root={root} /> : undefined}
          </Head>
          <Explain path={`${root}/explain`} matters={once} />
          <Scrubber times={times.map((at) => Date.parse(at))} place={place} set={setPlace} text={chosen === undefined ? undefined : `${when(chosen)}: ${it.meta.state}`} />
          <Tabs
            label="About this entity"
            of={[
              { id: "data", name: "Document", body: () => <Card><Variables now={it.data} before={place !== undefined && place > 0 ? before.data?.data : undefined} /></Card> },
              { id: "chart", name: "State chart", body: () => <Chart root={root} /> },
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

function Chart({ root }: { root: string }) {
  const picture = usePolled<Picture>(`${root}/diagram.json`);
  return <Loaded of={picture}>{(it) => <Diagram of={it} />}</Loaded>;
}

function Transitions({ of, root }: { of: Entity; root: string }) {
  const names = usePolled<string[]>(`${root}/transitions`);
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
  const page = usePolled<{ items: EntityDeed[] }>(path`/api/audit/entity/${id}`);
  return <Loaded of={page}>{(it) => <Table label="Audit" rows={it.items} columns={DEEDS} rowKey={(row) => `${row.utcTime} ${row.auditEventType} ${row.eventType} ${row.details}`} empty="Nothing is known." />}</Loaded>;
}
