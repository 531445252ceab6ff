// What the server says about entities and lifecycles.

export interface Model {
  id: string;
  modelName: string;
  modelVersion: number;
  currentState: string;
  modelUpdateDate: string;
}

export interface StateCount {
  modelName: string;
  modelVersion: number;
  state: string;
  count: number;
}

export interface Entity {
  data: Record<string, unknown>;
  meta: {
    id: string;
    modelKey?: { name: string; version: number };
    state: string;
    creationDate: string;
    lastUpdateTime: string;
    transactionId: string;
    transitionForLatestSave?: string;
  };
}

export interface EntityPage {
  content: Entity[];
  page: { number: number; size: number; totalElements: number; totalPages: number };
}

export interface EntityChange {
  changeType: string;
  timeOfChange: string;
  user: string;
  transactionId: string;
}

export interface EntityDeed {
  auditEventType: string;
  eventType?: string;
  changeType?: string;
  severity: string;
  utcTime: string;
  state?: string;
  details?: string;
  actor?: { name: string };
}

export interface LifecycleKind {
  workflow: string;
  kv_bucket: string;
  phases: string[];
  terminal_phases: string[];
  operator_writable_fields: string[];
  counts_by_phase: Record<string, number>;
  counts_error?: string;
}

export type LifecycleValue = Record<string, unknown>;

export interface LifecycleDefinition {
  workflow: string;
  /** Where each phase leads. */
  transitions: Record<string, string[]>;
  kv_bucket: string;
  operator_writable_fields: string[];
}

export interface LifecycleSnapshot {
  workflow: string;
  entity_id: string;
  phase: string;
  is_terminal: boolean;
  /** Its phase is not declared. */
  degraded: boolean;
  parent?: string | null;
  revision: number;
  value: LifecycleValue;
}

export interface LifecycleMove {
  from: string;
  to: string;
  at: string;
  triggered: string;
  note?: string;
}
