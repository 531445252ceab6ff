// What travels between compute nodes and a server.

/** A question about an entity: what a processor is to do, or what a criterion is to decide. */
export interface Question<E = Record<string, unknown>> {
  /** The request's id, for the answer. */
  requestId: string;
  entityId: string;
  /** The name of the processor or criterion. */
  name: string;
  /** The workflow that runs, or is in question. */
  workflow: { name: string };
  /** The transition it is about, unless it is about the workflow. */
  transition?: { name: string; stateFrom: string; stateTo: string };
  /** The transaction in which it is asked. */
  transactionId: string;
  /** What the definition says to pass on. */
  parameters?: string;
  /** The entity, if it is sent. */
  payload?: {
    /** Its value as it stands. */
    data: E;
    meta: {
      id: string;
      modelKey: { name: string; version: number };
      /** The state it comes from. */
      state: string;
      creationDate: string;
      lastUpdateTime: string;
    };
  };
  /**
   * What lets calls back into the transaction: the header `X-Tx-Token` over HTTP, the metadata
   * `tx-token` over gRPC.
   */
  ticket: string;
}

/** What a node answers. */
export interface Reply {
  id: string;
  requestId: string;
  entityId: string;
  success: boolean;
  /** Of a processor: what becomes of the entity; nothing if absent. */
  payload?: { type: "JSON"; data: unknown };
  /** Of a criterion: what it has decided. */
  matches?: boolean;
  error?: { code: "FAILED"; message: string; retryable: boolean };
}
