// What instances can be, in the order in which people look for it.

import { path } from "./api";
import type { Face } from "./types";

export const STATUSES: Record<Face, string[]> = {
  process: ["ACTIVE", "WAITING", "FAILED", "COMPLETED", "CANCELLED"],
  chain: ["RUNNING", "FAILED", "COMPLETED", "CANCELED"],
};

/** Where the list of a face is, narrowed if need be. */
export function listOf(face: Face, narrowed: Record<string, string | number | undefined> = {}): string {
  const given = Object.entries({ face: face === "chain" ? "chain" : undefined, ...narrowed });
  const kept = given.filter(([, value]) => value !== undefined && value !== "");
  const params = new URLSearchParams(kept.map(([name, value]) => [name, String(value)]));
  return `/console/instances${kept.length === 0 ? "" : `?${params}`}`;
}

/** Where an instance is. */
export function placeOf(face: Face, id: string): string {
  return face === "process" ? path`/console/processes/${id}` : path`/console/chains/${id}`;
}
