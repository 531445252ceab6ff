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
  failed?: boolean;
}

export interface Picture {
  title: string;
  width: number;
  height: number;
  nodes: PictureNode[];
  edges: PictureEdge[];
  groups: { label: string; x: number; y: number; w: number; h: number }[];
}

export interface PictureNode {
  id: string;
  label: string;
  detail: string;
  /** The label and the detail, broken into the lines there is room for. */
  labelLines: string[];
  detailLines: string[];
  kind: string;
  x: number;
  y: number;
  w: number;
  h: number;
  mark?: Mark;
}

export interface PictureEdge {
  from: string;
  to: string;
  label: string;
  labelLines: string[];
  /** Left, top, width, height. */
  labelArea?: [number, number, number, number];
  style: string;
  points: [number, number][];
  back: boolean;
  /** Whether the instance has gone this way. */
  taken: boolean;
}

export interface Explanation {
  status?: string;
  summary: string;
  waits?: { at?: string; for?: string; since?: string; until?: string }[];
  conditions?: Condition[];
  next?: { what: string; leadsTo: string[]; by: string; refusedBecause?: string }[];
  stuck?: string;
}

export interface Condition {
  at: string;
  text: string;
  /** `true`, `false`, `asked` when somebody outside decides, or `error`. */
  outcome: string;
  error?: string;
  values: Variables;
  /** On the way here, where it is, or on the way on. */
  tense: "passed" | "here" | "ahead";
}

export interface Finding {
  code: string;
  severity: string;
  message: string;
  help?: string;
  place: { pointer: string; line: number; column: number };
}

export interface Overview {
  at: string;
  faces: { face: Face; counts: { status: string; count: number }[] }[];
  tasks: { ready: number; oldestReadyAt?: string; leased: number; awaiting: number };
  timers: { due: number; nextAt?: string };
  outbox: { pending: number; oldestAt?: string; dead: number };
  members: number;
  commits: number;
  queues: Queue[];
  rates: Rate[];
}

/** What waits to be claimed of one kind of work. */
export interface Queue {
  face: Face;
  queue: string;
  definition: string;
  ready: number;
  firstAt: string;
}

/** What happened within a minute. */
export interface Rate {
  face: Face;
  from: string;
  started: number;
  completed: number;
  failed: number;
}

export interface Workers {
  workers: Worker[];
  members: Member[];
}

export interface Worker {
  face: Face;
  workerId: string;
  queues: string[];
  askedAt?: string;
  held: number;
  leasedUntil?: string;
}

/** A program that works on entities. */
export interface Member {
  id: string;
  tags: string[];
  pending: number;
  seenMsAgo: number;
}

export interface Counts {
  counts: { status: string; count: number }[];
}

export interface Incident {
  id: string;
  face: Face;
  definition: string;
  definitionVersion: number;
  step: string;
  error: string;
  count: number;
  firstAt: string;
  lastAt: string;
  sample: FailedInstance;
}

export interface FailedInstance {
  instanceId: string;
  businessKey?: string;
  error: string;
  failedAt: string;
}

/** A job of one process; each time it is offered again it is another one. */
export interface InstanceJob {
  id: string;
  stepId: string;
  stepName: string;
  jobType: string;
  attemptNumber: number;
  status: string;
  retriesRemaining: number;
  createdAt: string;
  endedAt?: string;
  workerId?: string;
  lockExpiresAt?: string;
  errorMessage?: string;
}

/** What is different between two moments. */
export interface Difference {
  changes: { op: string; path: string; from?: unknown; to?: unknown }[];
}

export interface Hold {
  face: Face;
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
