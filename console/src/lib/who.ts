// Who is at the page, as far as the server says.

import { signal } from "@preact/signals";
import { bearer, get, isUnknown } from "./api";

export interface Who {
  name: string;
  roles: string[];
}

/** Looks and does not touch, if it is somebody's only role. */
const VIEWER = "ROLE_VIEWER";

export const who = signal<Who | null>(null);

interface Account {
  userAccountInfo?: { userId?: string; userName?: string; roles?: { id: string }[] };
}

/** Asks again who is here. */
export async function meet(): Promise<void> {
  const account = await get<Account>("/api/account").catch(() => undefined);
  const told = account?.userAccountInfo;
  who.value = told === undefined ? null : { name: told.userName ?? told.userId ?? "", roles: (told.roles ?? []).map((it) => it.id) };
}

/** Whether whoever is here may only look. */
export function isViewer(): boolean {
  const roles = who.value?.roles ?? [];
  return roles.length > 0 && roles.every((it) => it === VIEWER);
}

export function signOut(): void {
  bearer.value = null;
  who.value = null;
  isUnknown.value = true;
}
