// Models of entities, and how many entities of each are in which state.

import { path } from "../lib/api";
import type { Model, StateCount } from "../lib/entity";
import { count } from "../lib/text";
import { entityMatters, usePolled, useResource, useTitle } from "../lib/use";
import { Ago, Head } from "../parts/base";
import { SignedIn } from "../parts/sign-in";
import { Status } from "../parts/status";
import { type Column, Table } from "../parts/table";

export function Entities() {
  useTitle("Entities");
  const models = usePolled<Model[]>("/api/model/");
  const states = useResource<StateCount[]>("/api/entity/stats/states", entityMatters());
  const columns: Column<Model>[] = [
    { head: "Model", cell: (it) => <a class="name" href={path`/console/models/${it.modelName}/${it.modelVersion}`}><strong>{it.modelName}</strong><span class="quiet">version {it.modelVersion}</span></a> },
    { head: "Model is", cell: (it) => <Status of={it.currentState} /> },
    { head: "Entities", cell: (it) => <States of={it} states={states.data ?? []} /> },
    { head: "Changed", cell: (it) => <Ago at={it.modelUpdateDate} />, isNumber: true },
  ];
  return (
    <>
      <Head title="Entities" sub="Documents under a state machine, by model" />
      <SignedIn of={models}>
        {(it) => <Table label="Models" rows={it} columns={columns} rowKey={(row) => row.id} empty={<>No model yet. Post a sample to <code>/api/model/import/JSON/SAMPLE_DATA/NAME/1</code>.</>} />}
      </SignedIn>
    </>
  );
}

function States({ of, states }: { of: Model; states: StateCount[] }) {
  const mine = states.filter((it) => it.modelName === of.modelName && it.modelVersion === of.modelVersion);
  if (mine.length === 0) return <span class="quiet">none</span>;
  return (
    <ul class="chips">
      {mine.map((it) => (
        <li key={it.state}><a class="chip" href={`${path`/console/models/${of.modelName}/${of.modelVersion}`}?state=${encodeURIComponent(it.state)}`}>{it.state}<span class="number">{count(it.count)}</span></a></li>
      ))}
    </ul>
  );
}
