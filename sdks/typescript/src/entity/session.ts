// One stream of a compute node, from joining to leaving.

import { randomUUID } from "node:crypto";

import { Client, credentials, Metadata, type ClientDuplexStream } from "@grpc/grpc-js";

import { decode, encode, event, type CloudEvent } from "./event.js";

const METHOD = "/org.cyoda.cloud.api.grpc.CloudEventsService/startStreaming";

/** How long a connection may take to come about, and the server to greet. */
const JOIN_MAX = 10_000;
/** How long the server may be silent. It says every ten seconds that it is there. */
const SILENCE_MAX = 60_000;
/** How long the server may take to hear what was said last. */
const LEAVE_MAX = 1_000;

/** Where to join, and as what. */
export interface Place {
  url: string;
  tags: readonly string[];
  bearer: string | undefined;
}

/** What is done about what the server says. */
export interface Desk {
  /** The node has joined. */
  joined(memberId: string): void;
  /** Answers an event, unless it is none that is answered. Never throws. */
  answer(asked: CloudEvent): Promise<CloudEvent | undefined>;
  /** Aborted when the node is to leave and has answered everything. */
  readonly leave: AbortSignal;
}

/** How a stream ended: as it was wished, or why it broke. */
export type Ending = undefined | { error: Error; hasJoined: boolean };

/** Joins, and answers until the stream breaks or the desk leaves. */
export async function attend(place: Place, desk: Desk): Promise<Ending> {
  const { protocol, host } = new URL(place.url);
  const secure = protocol === "https:" ? credentials.createSsl() : credentials.createInsecure();
  // Entities may be large, and their limits are the server's.
  const sizes = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };
  const client = new Client(host, secure, sizes);
  const conversation = new Conversation(open(client, place.bearer), desk);
  const leave = (): void => conversation.leave();
  desk.leave.addEventListener("abort", leave);
  try {
    return await conversation.begin(place.tags);
  } finally {
    desk.leave.removeEventListener("abort", leave);
    client.close();
  }
}

type Stream = ClientDuplexStream<CloudEvent, CloudEvent>;

function open(client: Client, bearer: string | undefined): Stream {
  const metadata = new Metadata();
  if (bearer !== undefined) metadata.set("authorization", `Bearer ${bearer}`);
  return client.makeBidiStreamRequest(METHOD, encode, decode, metadata, {});
}

class Conversation {
  readonly #stream: Stream;
  readonly #desk: Desk;
  #hasJoined = false;
  #isLeaving = false;
  #timer: NodeJS.Timeout | undefined;
  #end: (ending: Ending) => void = () => undefined;

  constructor(stream: Stream, desk: Desk) {
    this.#stream = stream;
    this.#desk = desk;
  }

  /** Joins; resolves when the stream has ended. */
  begin(tags: readonly string[]): Promise<Ending> {
    return new Promise((resolve) => {
      this.#end = resolve;
      this.#stream.on("data", (heard: CloudEvent) => this.#hear(heard));
      this.#stream.on("error", (error) => this.#break(error));
      this.#stream.on("end", () => this.#break(new Error("the server has ended the stream")));
      this.#limit(JOIN_MAX, "the server did not greet in time");
      this.#stream.write(event("CalculationMemberJoinEvent", { id: randomUUID(), tags }));
      if (this.#desk.leave.aborted) this.leave();
    });
  }

  /** Says that nothing more will come, and waits until the server has heard what came. */
  leave(): void {
    this.#isLeaving = true;
    this.#stream.end();
    this.#limit(LEAVE_MAX, "the server did not end the stream");
  }

  #hear(heard: CloudEvent): void {
    if (!this.#isLeaving) this.#limit(SILENCE_MAX, "the server is silent");
    if (this.#hasJoined) {
      void this.#desk.answer(heard).then((answer) => {
        if (answer !== undefined && !this.#isLeaving) this.#stream.write(answer);
      });
    } else if (heard.type === "CalculationMemberGreetEvent") {
      this.#hasJoined = true;
      this.#desk.joined((JSON.parse(heard.text) as { memberId: string }).memberId);
    } else {
      this.#break(new Error("the server did not greet"));
    }
  }

  #limit(most: number, words: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#break(new Error(words)), most);
  }

  #break(error: Error): void {
    clearTimeout(this.#timer);
    this.#stream.cancel();
    this.#end(this.#isLeaving ? undefined : { error, hasJoined: this.#hasJoined });
  }
}
