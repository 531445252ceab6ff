// What the server says, as far as the console looks at it.

export type Face = "process" | "chain";
export type Variables = Record<string, unknown>;

export interface ProcessInstance {
  id: string;
  definitionId: string;
  definitionVersion: number;
  status: string;
  currentStepIds: string[];
  variables: Variables;
  startedAt: string;
  completedAt?: string;
  failureReason?: string;
  businessKey?: string;
  parentInstanceId?: string;
}

export interface Page<T> {
  items: T[];
  total?: number;
  hasMore?: boolean;
  next?: string;
}

export interface Visit {
  id: string;
  stepId: string;
  stepName: string;
  stepType: string;
  attemptNumber: number;
  status: string;
  startedAt: string;
  endedAt: string | null;
  inputSnapshot: Variables | null;
  outputSnapshot: Variables | null;
  failureReason: string | null;
}

export interface Deed {
  sequence: number;
  at: string;
  kind: string;
  actor: string;
  workerId?: string;
  stepId?: string;
  stepName?: string;
  detail?: string;
}

export interface ProcessDefinition {
  id: string;
  version: number;
  name: string;
  uploadedAt: string;
}

export interface ProcessSource {
  id: string;
  version: number;
  name: string;
  description?: string;
  steps: ProcessStep[];
}

export interface ProcessStep {
  id: string;
  name?: string;
  type: string;
  nextStep?: string;
  jobType?: string;
  hitPolicy?: string;
  conditionalNextSteps?: Record<string, string>;
  decisionTable?: { rules: { when?: Variables; outputs?: Variables }[] };
}

export interface UserTask {
  id: string;
  instanceId: string;
  definitionId: string;
  businessKey?: string;
  stepId: string;
  stepName: string;
  jobType: string;
  createdAt: string;
  variables: Variables;
}

export interface ChainInstance {
  instanceId: string;
  version: number;
  workflowType: string;
  workflowVersion: number;
  bizKey: string | null;
  status: string;
  currentStepSeq: number;
  currentStepType: string;
  context: unknown;
  startedAt: string;
  completedAt: string | null;
  failedAt: string | null;
  canceledAt: string | null;
  cancelReason: string | null;
  steps?: ChainStep[];
}

export interface ChainStep {
  stepSeq: number;
  stepType: string;
  status: string;
  attempts: number;
  maxAttempts: number;
  nextRunAt: string | null;
  waitingEventType: string | null;
  deadlineAt: string | null;
  lockedBy: string | null;
  lockedUntil: string | null;
  lastError: string | null;
}

export interface ChainEvent {
  type: string;
  stepSeq?: number;
  at?: string;
  workerId?: string;
  eventType?: string;
  error?: string;
  reason?: string;
  deadlineAt?: string;
  nextRunAt?: string;
  [other: string]: unknown;
}

export interface ChainCommit {
  version: number;
  at: string;
  events: ChainEvent[];
}

export interface ChainDefinition {
  workflowType: string;
  workflowVersion: number;
  steps: { stepType: string; maxAttempts?: number }[];
  deployedAt: string;
}

export interface Mark {
  here?: number | boolean;
  visits?: number;
  due?: string;
  isFailed?: boolean;
}

export interface Picture {
  title: string;
  width: number;
  height: number;
  nodes: { id: string; label: string; detail: string; kind: string; x: number; y: number; w: number; h: number; mark?: Mark }[];
  edges: { from: string; to: string; label: string; style: string; points: [number, number][] }[];
  groups: { label: string; x: number; y: number; w: number; h: number }[];
}

export interface Explanation {
  status?: string;
  summary: string;
  waits?: { at?: string; for?: string; since?: string; until?: string }[];
  conditions?: { at?: string; text: string; outcome: unknown; values?: Variables }[];
  next?: { what: string; leadsTo?: string; byWhom?: string; refusedBecause?: string }[];
  stuck?: unknown;
}

export interface Finding {
  code: string;
  severity: string;
  message: string;
  help?: string;
  line?: number;
  column?: number;
}

export interface Overview {
  at: string;
  faces: { face: Face; counts: { status: string; count: number }[] }[];
  tasks: { ready: number; oldestReadyAt?: string; leased: number; awaiting: number };
  timers: { due: number; nextAt?: string };
  outbox: { pending: number; oldestAt?: string; dead: number };
  members: number;
  commits: number;
}

export interface Hold {
  face: string;
  instanceId: string;
  definition: string;
  queue: string;
  workerId: string;
  leasedUntil: string;
  readyAt: string;
}

export interface ArmedTimer {
  face: string;
  instanceId: string;
  name: string;
  kind: "boundary" | "next" | "deadline";
  businessKey?: string;
  stepId?: string;
  stepName?: string;
  leadsTo?: string;
  dueAt: string;
  isOverdue: boolean;
}
