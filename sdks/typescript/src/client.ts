// A client for programs that start, read and steer instances.

import { Chains } from "./chains.js";
import { Connection } from "./http.js";
import { Processes } from "./processes.js";

/** A connection to a server. Connects when it is used. */
export class Client {
  /** The processes. */
  readonly processes: Processes;
  /** The chains. */
  readonly chains: Chains;
  readonly #connection: Connection;

  /**
   * A client of the server at `url`; without one, of the one that the environment variable
   * `WAYPOST_SERVER` names, or of this machine's on port 8080.
   *
   * @throws TypeError when `url` is not an address.
   */
  constructor(url?: string) {
    this.#connection = new Connection(url);
    this.processes = new Processes(this.#connection);
    this.chains = new Chains(this.#connection);
  }

  /** Closes its connections. They would close by themselves when nobody uses them. */
  close(): void {
    this.#connection.close();
  }
}
