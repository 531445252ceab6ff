// Decision tables, as grids: what is looked at, and what follows.

import { path } from "../lib/api";
import type { Page, ProcessDefinition, ProcessSource, ProcessStep } from "../lib/types";
import { useResource, useTitle } from "../lib/use";
import { Card, Empty, Head, Loaded, Value } from "../parts/base";

export function Tables() {
  useTitle("Decision tables");
  const definitions = useResource<Page<ProcessDefinition>>("/v1/definitions?pageSize=1000", (it) => it.all);
  return (
    <>
      <Head title="Decision tables" sub="Of the latest version of each process" />
      <Loaded of={definitions}>
        {(page) => (page.items.length === 0 ? <Empty>No process has been uploaded.</Empty> : <>{page.items.map((it) => <OfDefinition key={it.id} of={it} />)}</>)}
      </Loaded>
    </>
  );
}

function OfDefinition({ of }: { of: ProcessDefinition }) {
  const source = useResource<ProcessSource>(path`/v1/definitions/${of.id}/versions/${of.version}`);
  const steps = (source.data?.steps ?? []).filter((it) => it.type === "DECISION_TABLE" && it.decisionTable !== undefined);
  return (
    <>
      {steps.map((it) => (
        <Card key={it.id} title={it.name ?? it.id} extra={<a href={path`/console/definitions/process/${of.id}`}>{of.name}</a>}>
          <Grid of={it} />
        </Card>
      ))}
    </>
  );
}

const POLICIES: Record<string, string> = { F: "first rule that fits", U: "the one rule that fits", A: "any rule that fits", C: "all rules that fit", R: "all rules that fit, in order", P: "the rule with the highest priority" };

export function Grid({ of }: { of: ProcessStep }) {
  const rules = of.decisionTable?.rules ?? [];
  const inputs = [...new Set(rules.flatMap((it) => Object.keys(it.when ?? {})))];
  const outputs = [...new Set(rules.flatMap((it) => Object.keys(it.outputs ?? {})))];
  const policy = of.hitPolicy ?? "F";
  return (
    <>
      <p class="quiet">Hit policy <strong>{policy}</strong>: {POLICIES[policy.charAt(0)] ?? "see the definition"}</p>
      <div class="scroll" role="region" aria-label={`Rules of ${of.name ?? of.id}`} tabIndex={0}>
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">Rule</th>
              {inputs.map((it) => <th key={`in ${it}`} scope="col" class="input">if {it}</th>)}
              {outputs.map((it) => <th key={`out ${it}`} scope="col" class="output">then {it}</th>)}
            </tr>
          </thead>
          <tbody>
            {rules.map((rule, at) => (
              <tr key={at} class={Object.keys(rule.when ?? {}).length === 0 ? "otherwise" : ""}>
                <th scope="row">{at + 1}{Object.keys(rule.when ?? {}).length === 0 ? " otherwise" : ""}</th>
                {inputs.map((it) => <td key={`in ${it}`} class="input">{it in (rule.when ?? {}) ? <Value value={rule.when?.[it]} /> : <span class="quiet">any</span>}</td>)}
                {outputs.map((it) => <td key={`out ${it}`} class="output">{it in (rule.outputs ?? {}) ? <Value value={rule.outputs?.[it]} /> : <span class="quiet">–</span>}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
