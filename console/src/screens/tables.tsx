// Decision tables: what is looked at, what follows, and what is wrong with them.

import { useLocation } from "preact-iso";
import { path } from "../lib/api";
import type { DecisionTable, TableRef } from "../lib/tables";
import type { Page } from "../lib/types";
import { useResource, useTitle } from "../lib/use";
import { Card, Empty, Head, Loaded } from "../parts/base";
import { Decision } from "../parts/decision";
import { withQuery } from "../parts/tabs";

/** How many are shown at once; of more, one is chosen. */
const SHOWN = 4;

/** How many instances are looked at to count hits. */
const LOOKED_AT = 100;

const name = (it: TableRef) => `${it.definitionId}/${it.stepId}`;

export function Tables() {
  useTitle("Decision tables");
  const { url, query } = useLocation();
  const tables = useResource<Page<TableRef>>("/v1/tables?pageSize=1000", (it) => it.all);
  return (
    <>
      <Head title="Decision tables" sub="Of the latest version of each process" />
      <Loaded of={tables}>
        {({ items }) => {
          if (items.length === 0) return <Empty>No process has a decision table.</Empty>;
          const chosen = items.filter((it) => name(it) === query["table"]);
          const shown = chosen.length > 0 ? chosen : items.slice(0, SHOWN);
          return (
            <>
              {items.length <= SHOWN ? null : (
                <ul class="chips" aria-label="Tables">
                  {items.map((it) => (
                    <li key={name(it)}><a class="chip" aria-current={shown.includes(it) ? "true" : undefined} href={withQuery(url, { table: name(it) })}>{it.stepName || it.stepId}<span class="quiet">{it.definitionName}</span></a></li>
                  ))}
                </ul>
              )}
              {shown.map((it) => <One key={`${name(it)} ${it.definitionVersion}`} of={it} />)}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function One({ of }: { of: TableRef }) {
  const table = useResource<DecisionTable>(`${path`/v1/definitions/${of.definitionId}/versions/${of.definitionVersion}/tables/${of.stepId}`}?instances=${LOOKED_AT}`, (it) => it.all);
  return (
    <Card title={of.stepName || of.stepId} extra={<a href={path`/console/definitions/process/${of.definitionId}`}>{of.definitionName} v{of.definitionVersion}</a>}>
      <Loaded of={table}>{(it) => <Decision of={it} />}</Loaded>
    </Card>
  );
}
