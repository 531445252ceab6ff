// Envelopes of events, as CloudEvents 1.0 writes them in protocol buffers: as much of it as compute
// nodes need. What is not known is skipped, as protocol buffers want it.

import { randomUUID } from "node:crypto";

/** One event. Its text is JSON. */
export interface CloudEvent {
  id: string;
  source: string;
  type: string;
  /** Attributes that are texts. */
  attributes: Record<string, string>;
  text: string;
}

/** An event of ours. */
export function event(type: string, payload: object): CloudEvent {
  const text = JSON.stringify(payload);
  return { id: randomUUID(), source: "waypost-worker", type, attributes: {}, text };
}

// Numbers of fields, with the wire type "so many bytes" in the lowest bits.
const ID = tag(1);
const SOURCE = tag(2);
const SPEC_VERSION = tag(3);
const TYPE = tag(4);
const ATTRIBUTES = tag(5);
const BINARY_DATA = tag(6);
const TEXT_DATA = tag(7);
// Of an entry of the attributes, and of its value.
const KEY = tag(1);
const VALUE = tag(2);
const CE_STRING = tag(3);

function tag(field: number): number {
  return (field << 3) | 2;
}

/** Writes an event. */
export function encode({ id, source, type, attributes, text }: CloudEvent): Buffer {
  const entries = Object.entries(attributes).map(([key, value]) => {
    const attribute = piece(VALUE, piece(CE_STRING, Buffer.from(value)));
    return piece(ATTRIBUTES, Buffer.concat([piece(KEY, Buffer.from(key)), attribute]));
  });
  const texts = [[ID, id], [SOURCE, source], [SPEC_VERSION, "1.0"], [TYPE, type]] as const;
  const fields = texts.map(([field, value]) => piece(field, Buffer.from(value)));
  return Buffer.concat([...fields, ...entries, piece(TEXT_DATA, Buffer.from(text))]);
}

function piece(field: number, content: Buffer): Buffer {
  const head: number[] = [field];
  let length = content.length;
  for (; length >= 0x80; length = Math.floor(length / 0x80)) head.push((length % 0x80) | 0x80);
  return Buffer.concat([Buffer.from([...head, length]), content]);
}

/** Reads an event. Throws when it is none. */
export function decode(bytes: Buffer): CloudEvent {
  const read: CloudEvent = { id: "", source: "", type: "", attributes: {}, text: "" };
  for (const [field, content] of fields(bytes)) {
    switch (field) {
      case ID:
        read.id = content.toString();
        break;
      case SOURCE:
        read.source = content.toString();
        break;
      case TYPE:
        read.type = content.toString();
        break;
      case ATTRIBUTES:
        Object.assign(read.attributes, attribute(content));
        break;
      case BINARY_DATA:
      case TEXT_DATA:
        read.text = content.toString();
        break;
    }
  }
  return read;
}

function attribute(bytes: Buffer): Record<string, string> {
  const entry = new Map(fields(bytes));
  const value = new Map(fields(entry.get(VALUE) ?? Buffer.alloc(0))).get(CE_STRING);
  const key = entry.get(KEY)?.toString() ?? "";
  return value === undefined ? {} : { [key]: value.toString() };
}

/** Every field that has so many bytes; fields of other kinds are skipped. */
function* fields(bytes: Buffer): Generator<[number, Buffer]> {
  let at = 0;
  const varint = (): number => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = bytes.readUInt8(at++);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  };
  while (at < bytes.length) {
    const field = varint();
    switch (field & 7) {
      case 0:
        varint();
        break;
      case 1:
        at += 8;
        break;
      case 2: {
        const end = varint() + at;
        if (end > bytes.length) throw new RangeError("an event is cut short");
        yield [field, bytes.subarray(at, end)];
        at = end;
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        throw new RangeError("an event has a field of no known kind");
    }
  }
}
