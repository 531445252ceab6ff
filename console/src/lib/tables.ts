// What the server says about decision tables.

import type { Variables } from "./types";

export interface TableRef {
  definitionId: string;
  definitionName: string;
  definitionVersion: number;
  stepId: string;
  stepName: string;
}

export interface TableRule {
  when: Variables;
  outputs: Variables;
  hits: number;
}

export interface TableFinding {
  code: string;
  severity: string;
  message: string;
  /** Which rule, counted from 0; the table as a whole, if absent. */
  rule?: number;
  example?: Variables;
}

export interface DecisionTable extends TableRef {
  hitPolicy: string;
  rules: TableRule[];
  findings: TableFinding[];
  counted: { instances: number; visits: number };
}

export interface TriedTable {
  rules: { matches: boolean; failure?: string }[];
  outputs?: Variables;
  failure?: string;
}
