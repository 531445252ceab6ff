// Parts of a screen, one at a time. Which one is in the address.

import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";

export interface Tab {
  id: string;
  name: string;
  body: () => ComponentChildren;
}

/** The address with other parameters; empty ones are left out. */
export function withQuery(url: string, changes: Record<string, string | undefined>): string {
  const parsed = new URL(url, window.location.origin);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") parsed.searchParams.delete(name);
    else parsed.searchParams.set(name, value);
  }
  return parsed.pathname + parsed.search;
}

export function Tabs({ of, label }: { of: Tab[]; label: string }) {
  const { url, query } = useLocation();
  const chosen = of.find((it) => it.id === query["tab"]) ?? of[0];
  return (
    <>
      <nav class="tabs" aria-label={label}>
        {of.map((it, at) => (
          <a key={it.id} href={withQuery(url, { tab: at === 0 ? undefined : it.id })} aria-current={it === chosen ? "page" : undefined}>
            {it.name}
          </a>
        ))}
      </nav>
      <div class="tab">{chosen?.body()}</div>
    </>
  );
}
