// Conditions on entities, as people put them together and as the server takes them.

export interface Simple {
  path: string;
  op: string;
  value: string;
}

export interface Group {
  all: boolean;
  parts: Part[];
}

export type Part = Simple | Group;

export const isGroup = (it: Part): it is Group => "parts" in it;

/** Operators, what they are called, and how many values they take. */
export const OPERATORS: [string, string, 0 | 1 | 2][] = [
  ["EQUALS", "is", 1],
  ["NOT_EQUAL", "is not", 1],
  ["GREATER_THAN", "is above", 1],
  ["GREATER_OR_EQUAL", "is at least", 1],
  ["LESS_THAN", "is below", 1],
  ["LESS_OR_EQUAL", "is at most", 1],
  ["BETWEEN", "is between (without the bounds)", 2],
  ["BETWEEN_INCLUSIVE", "is between (with the bounds)", 2],
  ["CONTAINS", "contains", 1],
  ["NOT_CONTAINS", "does not contain", 1],
  ["STARTS_WITH", "begins with", 1],
  ["NOT_STARTS_WITH", "does not begin with", 1],
  ["ENDS_WITH", "ends with", 1],
  ["NOT_ENDS_WITH", "does not end with", 1],
  ["LIKE", "is like (% and _)", 1],
  ["MATCHES_PATTERN", "matches the pattern", 1],
  ["IEQUALS", "is, whatever the case", 1],
  ["INOT_EQUAL", "is not, whatever the case", 1],
  ["ICONTAINS", "contains, whatever the case", 1],
  ["INOT_CONTAINS", "does not contain, whatever the case", 1],
  ["ISTARTS_WITH", "begins with, whatever the case", 1],
  ["INOT_STARTS_WITH", "does not begin with, whatever the case", 1],
  ["IENDS_WITH", "ends with, whatever the case", 1],
  ["INOT_ENDS_WITH", "does not end with, whatever the case", 1],
  ["IS_NULL", "is not there", 0],
  ["NOT_NULL", "is there", 0],
];

export const arity = (op: string): number => OPERATORS.find(([name]) => name === op)?.[2] ?? 1;

export const simple = (): Simple => ({ path: "", op: "EQUALS", value: "" });

/** What the address says; everything, if that is nothing or makes no sense. */
export function read(text: string | undefined): Group {
  try {
    const value = JSON.parse(text ?? "") as Group;
    return Array.isArray(value.parts) ? value : nothing();
  } catch {
    return nothing();
  }
}

export const nothing = (): Group => ({ all: true, parts: [] });

/** What is complete enough to be looked for. */
export function complete(of: Group): Group {
  const parts = of.parts.map((it) => (isGroup(it) ? complete(it) : it));
  return { ...of, parts: parts.filter((it) => (isGroup(it) ? it.parts.length > 0 : it.path.trim() !== "")) };
}

/** The condition, as the server takes it. */
export function condition(of: Group, state: string): unknown {
  const said = group(complete(of));
  if (state === "") return said;
  const inState = { type: "lifecycle", field: "state", operatorType: "EQUALS", value: state };
  return { type: "group", operator: "AND", conditions: [inState, ...(said.conditions.length === 0 ? [] : [said])] };
}

interface Told {
  type: "group";
  operator: string;
  conditions: unknown[];
}

function group(of: Group): Told {
  return { type: "group", operator: of.all ? "AND" : "OR", conditions: of.parts.map((it) => (isGroup(it) ? group(it) : leaf(it))) };
}

function leaf({ path, op, value }: Simple): unknown {
  const jsonPath = path.trim().startsWith("$") ? path.trim() : `$.${path.trim()}`;
  const bounds = () => value.split(",").map((it) => literal(it.trim()));
  const taken = arity(op) === 0 ? {} : { value: arity(op) === 2 ? bounds() : literal(value) };
  return { type: "simple", jsonPath, operatorType: op, ...taken };
}

/** Numbers and truth values as such; everything else is a text. */
function literal(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
