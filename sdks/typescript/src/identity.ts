// Names for workers, and for events that leave them.

import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** A readable name for this process that no other has: application, host, process, chance. */
export function workerId(application = "waypost"): string {
  const chance = randomUUID().replaceAll("-", "").slice(0, 8);
  return `${clean(application, "unknown")}:${clean(hostname(), "unknown-host")}:${process.pid}:${chance}`;
}

function clean(text: string, blank: string): string {
  const plain = text.trim().toLowerCase();
  return plain === "" ? blank : plain.replaceAll(/[^a-z0-9_.-]/g, "-");
}

/** A UUID of version 7: sorted by time. */
export function eventId(now = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const digits = bytes.toString("hex");
  const cuts = [0, 8, 12, 16, 20, 32];
  return cuts.slice(1).map((end, at) => digits.slice(cuts[at], end)).join("-");
}
