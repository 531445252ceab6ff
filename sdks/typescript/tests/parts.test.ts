import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { inWords, workerId } from "@waypost/worker";
import protobuf from "protobufjs";

import { Backoff } from "#dist/backoff.js";
import { decode, encode } from "#dist/entity/event.js";
import { eventId } from "#dist/identity.js";

test("workers of processes and chains need nothing but Node", async () => {
  const seen = new Set<string>();
  const look = async (file: URL): Promise<void> => {
    if (seen.has(file.href)) return;
    seen.add(file.href);
    for (const [, name = ""] of (await readFile(file, "utf8")).matchAll(/ from "([^"]+)"/g)) {
      if (name.startsWith(".")) await look(new URL(name, file));
      else assert.match(name, /^node:/, file.href);
    }
  };
  await look(new URL(import.meta.resolve("@waypost/worker")));
  assert.ok(seen.size > 10);
});

test("pauses double within a fifth up to half a minute", () => {
  const backoff = new Backoff();
  for (let before = 0; before < 20; before += 1) {
    const plain = Math.min(100 * 2 ** before, 30_000);
    const pause = backoff.next();
    assert.ok(pause >= plain * 0.8 && pause <= Math.min(plain * 1.2, 30_000), `${before}: ${pause}`);
  }
  backoff.reset();
  assert.ok(backoff.next() <= 120);
});

test("a worker's name says who it is and is never the same", () => {
  const first = workerId(" My App/1 ");
  const parts = first.split(":");
  assert.equal(parts.length, 4);
  assert.equal(parts[0], "my-app-1");
  assert.equal(parts[3]?.length, 8);
  assert.notEqual(first, workerId(" My App/1 "));
});

test("ids of events are UUIDs of version 7 that sort by time", () => {
  const id = eventId(0x0123_4567_89ab);
  assert.match(id, /^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.ok(eventId(1_000) < eventId(2_000));
  assert.notEqual(eventId(1), eventId(1));
});

test("a notice is a sentence", () => {
  const error = new Error("it is away");
  assert.equal(inWords({ kind: "unreachable", error, pauseMs: 99.6 }), "it is away; trying again in 100 ms");
  assert.equal(inWords({ kind: "abandoned", ids: ["a", "b"] }), "2 did not end in time; their leases will lapse");
});

// The envelope as the protocol of the server has it.
const { root } = protobuf.parse(`syntax = "proto3"; package io.cloudevents.v1;
  message CloudEvent {
    string id = 1; string source = 2; string spec_version = 3; string type = 4;
    map<string, CloudEventAttributeValue> attributes = 5;
    oneof data { bytes binary_data = 6; string text_data = 7; }
    message CloudEventAttributeValue {
      oneof attr {
        bool ce_boolean = 1; int32 ce_integer = 2; string ce_string = 3; bytes ce_bytes = 4;
      }
    }
  }`);
const CloudEvent = root.lookupType("io.cloudevents.v1.CloudEvent");

test("events are written as protocol buffers write them", () => {
  for (const length of [0, 1, 100, 127, 128, 16_383, 16_384, 3_000_000]) {
    const text = "ä".repeat(length);
    const event = { id: "i", source: "s", type: "t", attributes: { a: "1", b: "" }, text };
    const read = CloudEvent.toObject(CloudEvent.decode(encode(event))) as Record<string, unknown>;
    assert.deepEqual(read, {
      id: "i",
      source: "s",
      specVersion: "1.0",
      type: "t",
      attributes: { a: { ceString: "1" }, b: { ceString: "" } },
      textData: text,
    });
    assert.deepEqual(decode(encode(event)), event);
  }
});

test("events are read as protocol buffers write them, and what is not needed is skipped", () => {
  const attributes = {
    cyodatxtoken: { ceString: "ticket" },
    number: { ceInteger: -3 },
    yes: { ceBoolean: true },
  };
  const said = { id: "i", source: "s", specVersion: "1.0", type: "t", attributes };
  for (const [name, value] of [["textData", "{}"], ["binaryData", Buffer.from("{}")]] as const) {
    const bytes = Buffer.from(CloudEvent.encode(CloudEvent.create({ ...said, [name]: value })).finish());
    const read = decode(bytes);
    assert.deepEqual(read, {
      id: "i", source: "s", type: "t", attributes: { cyodatxtoken: "ticket" }, text: "{}",
    });
    for (let cut = 1; cut < bytes.length; cut += 1) {
      // Cut anywhere, it is an event with less in it or none, and never an endless loop.
      try {
        decode(bytes.subarray(0, cut));
      } catch (error) {
        assert.ok(error instanceof RangeError);
      }
    }
  }
});
