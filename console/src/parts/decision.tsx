// A decision table: rules as a grid, what is wrong with them, how often they decide, and a row to
// try it with.

import { useState } from "preact/hooks";
import { parse, path, post } from "../lib/api";
import { count, plural } from "../lib/text";
import type { DecisionTable, TableFinding, TableRule, TriedTable } from "../lib/tables";
import { Trouble, Value } from "./base";
import { Icon } from "./icon";
import { Status } from "./status";

const POLICIES: Record<string, string> = {
  F: "the first rule that fits decides",
  U: "one rule fits, or the step fails",
  A: "any rules that fit, if they agree",
  R: "all rules that fit, in order",
  C: "all rules that fit",
  "C+": "the sum over the rules that fit",
  "C#": "how many rules fit",
  "C>": "the largest of the rules that fit",
  "C<": "the smallest of the rules that fit",
};

/** What findings say in one word, beside the rule. */
const MARKS: Record<string, string> = { T003: "never decides", T004: "overlaps", T005: "contradicts", T007: "never matches" };

/** Words of expressions that name no variable. */
const WORDS = new Set("in not let and or matches contains startsWith endsWith if else true false nil null".split(" "));

/** Variables that conditions read: columns may be called otherwise. */
function read(rules: TableRule[]): string[] {
  const names = rules.flatMap((rule) => Object.entries(rule.when)).flatMap(([column, cell]) => {
    if (typeof cell !== "string") return [column];
    const bare = cell.replace(/'[^']*'|"[^"]*"/g, "''");
    return (bare.match(/(?<![\w.])[A-Za-z_]\w*(?!\w|\s*\()/g) ?? []).filter((it) => !WORDS.has(it));
  });
  return [...new Set(names)];
}

const columns = (rules: TableRule[], of: "when" | "outputs"): string[] => [...new Set(rules.flatMap((it) => Object.keys(it[of])))];

export function Decision({ of }: { of: DecisionTable }) {
  const [tried, setTried] = useState<TriedTable>();
  const [texts, setTexts] = useState<Record<string, string>>({});
  const [error, setError] = useState<Error>();
  const attempt = async (values: Record<string, string>) => {
    setError(undefined);
    try {
      const variables = Object.fromEntries(Object.entries(values).filter(([, text]) => text.trim() !== "").map(([name, text]) => [name, literal(text)]));
      setTried(await post<TriedTable>(path`/v1/definitions/${of.definitionId}/versions/${of.definitionVersion}/tables/${of.stepId}/try`, { variables }));
    } catch (thrown) {
      setTried(undefined);
      setError(thrown as Error);
    }
  };
  const example = (it: TableFinding) => {
    const shown = Object.fromEntries(Object.entries(it.example ?? {}).map(([name, value]) => [name, JSON.stringify(value)]));
    setTexts(shown);
    void attempt(shown);
  };
  return (
    <>
      <p class="quiet">
        Hit policy <strong>{of.hitPolicy}</strong>: {POLICIES[of.hitPolicy] ?? "see the definition"}.
        {of.counted.visits === 0 ? " No instance has come here yet." : ` Hits of ${plural(of.counted.visits, "visit")} by the newest ${plural(of.counted.instances, "instance")}.`}
      </p>
      <Findings of={of.findings} show={example} />
      <Grid of={of} tried={tried} />
      <Try names={[...new Set([...read(of.rules), ...Object.keys(texts)])]} texts={texts} set={setTexts} attempt={attempt} label={of.stepName || of.stepId} />
      {error === undefined ? null : <Trouble error={error} />}
      <div role="status">{tried === undefined ? null : <Outcome of={tried} />}</div>
    </>
  );
}

function Findings({ of, show }: { of: TableFinding[]; show: (it: TableFinding) => void }) {
  if (of.length === 0) return null;
  return (
    <ul class="findings" aria-label="Findings">
      {of.map((it, at) => (
        <li key={at}>
          <Status of={it.severity} /> <code>{it.code}</code> {it.message}
          {it.example === undefined ? null : <> <button type="button" class="link" onClick={() => show(it)}>Try it<span class="hidden"> with the example of {it.code}</span></button></>}
        </li>
      ))}
    </ul>
  );
}

function Grid({ of, tried }: { of: DecisionTable; tried: TriedTable | undefined }) {
  const [inputs, outputs] = [columns(of.rules, "when"), columns(of.rules, "outputs")];
  const most = Math.max(1, ...of.rules.map((it) => it.hits));
  const decides = deciding(of, tried);
  return (
    <div class="scroll" role="region" aria-label={`Rules of ${of.stepName || of.stepId}`} tabIndex={0}>
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Rule</th>
            {inputs.map((it) => <th key={`in ${it}`} scope="col" class="input">if {it}</th>)}
            {outputs.map((it) => <th key={`out ${it}`} scope="col" class="output">then {it}</th>)}
            <th scope="col" class="number">Hits</th>
          </tr>
        </thead>
        <tbody>
          {of.rules.map((rule, at) => {
            const isAll = Object.keys(rule.when).length === 0;
            const marks = of.findings.filter((it) => it.rule === at && MARKS[it.code] !== undefined);
            const matches = tried?.rules[at];
            const kind = [isAll ? "otherwise" : "", marks.length > 0 ? "is-wrong" : "", matches?.matches ? "is-match" : "", decides.has(at) ? "is-deciding" : ""].join(" ");
            return (
              <tr key={at} class={kind}>
                <th scope="row">
                  {at + 1}{isAll ? " otherwise" : ""}
                  {marks.map((it) => <span key={it.code} class="mark bad"><Icon name="failed" />{MARKS[it.code]}</span>)}
                  {decides.has(at) ? <span class="mark done"><Icon name="completed" />decides</span> : matches?.matches ? <span class="mark"><Icon name="pending" />matches</span> : null}
                  {matches?.failure === undefined ? null : <span class="mark bad" title={matches.failure}><Icon name="failed" />cannot be told</span>}
                </th>
                {inputs.map((it) => <td key={`in ${it}`} class="input">{it in rule.when ? <Value value={rule.when[it]} /> : <span class="quiet">any</span>}</td>)}
                {outputs.map((it) => <td key={`out ${it}`} class="output">{it in rule.outputs ? <Value value={rule.outputs[it]} /> : <span class="quiet">–</span>}</td>)}
                <td class="number"><span class="heat" style={{ width: `${Math.round((100 * rule.hits) / most)}%` }} aria-hidden="true" />{count(rule.hits)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Rules that have a say in what was tried: of those that match the first, or all. */
function deciding(of: DecisionTable, tried: TriedTable | undefined): Set<number> {
  // Where the step would fail, nothing is decided.
  if (tried?.outputs === undefined) return new Set();
  const matching = tried.rules.flatMap((it, at) => (it.matches ? [at] : []));
  return new Set(of.hitPolicy === "F" ? matching.slice(0, 1) : matching);
}

interface TryProps {
  names: string[];
  texts: Record<string, string>;
  set: (texts: Record<string, string>) => void;
  attempt: (texts: Record<string, string>) => Promise<void>;
  label: string;
}

function Try({ names, texts, set, attempt, label }: TryProps) {
  const [other, setOther] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    void attempt(texts);
  };
  const add = () => {
    const name = other.trim();
    if (name !== "") set({ ...texts, [name]: texts[name] ?? "" });
    setOther("");
  };
  return (
    <form class="filters try" onSubmit={submit} aria-label={`Try ${label}`}>
      {names.map((it) => (
        <label key={it} class="inline"><span>{it}</span><input type="text" value={texts[it] ?? ""} onInput={(event) => set({ ...texts, [it]: (event.target as HTMLInputElement).value })} /></label>
      ))}
      <label class="inline"><span>Another variable</span><input type="text" value={other} placeholder="name" onInput={(event) => setOther((event.target as HTMLInputElement).value)} onChange={add} /></label>
      <button type="submit" class="primary">Try</button>
    </form>
  );
}

function Outcome({ of }: { of: TriedTable }) {
  if (of.outputs === undefined) return <p class="problem"><Icon name="failed" />The step would fail: {of.failure}</p>;
  const set = Object.entries(of.outputs);
  return <p>It would set {set.length === 0 ? "nothing" : set.map(([name, value], at) => <span key={name}>{at === 0 ? "" : ", "}<strong>{name}</strong> = <Value value={value} /></span>)}.</p>;
}

/** What is JSON is taken as such; everything else is a text. */
function literal(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}
