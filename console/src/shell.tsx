// What is around every screen: where one can go, how to find something, whether the server is there.

import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { useCallback, useEffect, useState } from "preact/hooks";
import { bearer, get, isUnknown, path } from "./lib/api";
import { help, KEYS, useKeys } from "./lib/keys";
import { connection } from "./lib/live";
import { PLACES } from "./lib/nav";
import { theme, turn } from "./lib/theme";
import { meet, signOut, who } from "./lib/who";
import { Dialog } from "./parts/dialog";
import { Icon } from "./parts/icon";
import { SignIn } from "./parts/sign-in";

export function Shell({ children }: { children: ComponentChildren }) {
  const { route, path: here } = useLocation();
  const [isOpen, setOpen] = useState(false);
  useKeys(useCallback((href: string) => route(href), [route]));
  useEffect(() => void meet(), []);
  useEffect(() => {
    setOpen(false);
    window.scrollTo(0, 0);
  }, [here]);
  return (
    <>
      <a class="skip" href="#main">Skip to the content</a>
      <header class="top">
        <button type="button" class="plain menu" aria-expanded={isOpen} aria-controls="places" onClick={() => setOpen(!isOpen)}>
          <Icon name="menu" />
          <span class="hidden">Menu</span>
        </button>
        <a class="brand" href="/"><img src="/console/icon.svg" alt="" width="24" height="24" />Waypost</a>
        <Find />
        <Presence />
        {bearer.value === null ? null : <button type="button" class="plain" onClick={signOut}>Sign out<span class="hidden"> {who.value?.name}</span></button>}
        <button type="button" class="plain" onClick={turn} title={`Colors: ${theme.value}`}>
          <Icon name={theme.value === "light" ? "sun" : theme.value === "dark" ? "moon" : "system"} />
          <span class="hidden">Colors: {theme.value}</span>
        </button>
      </header>
      <div class="frame">
        <nav id="places" class={isOpen ? "places is-open" : "places"} aria-label="Screens">
          {PLACES.map((group) => (
            <div key={group.title}>
              <p class="group-title" id={`nav-${group.title}`}>{group.title}</p>
              <ul aria-labelledby={`nav-${group.title}`}>
                {group.places.map((it) => (
                  <li key={it.href}>
                    <a href={it.href} aria-current={isIn(here, it.href) ? "page" : undefined}>
                      <Icon name={it.icon} />
                      {it.name}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
          <ul>
            <li><a href="/docs" target="_blank" rel="noreferrer"><Icon name="docs" />API reference</a></li>
          </ul>
          <p class="hint">Press <kbd>?</kbd> for keys</p>
        </nav>
        <main id="main" tabIndex={-1}>{isUnknown.value ? <SignIn /> : children}</main>
      </div>
      {help.value ? <Keys /> : null}
    </>
  );
}

/** Screens of one instance belong to the list of instances. */
const WITHIN: Record<string, string[]> = {
  "/console/instances": ["/console/processes/", "/console/chains/"],
  "/console/entities": ["/console/entities/", "/console/models/"],
};

function isIn(here: string, place: string): boolean {
  if (place === "/") return here === "/" || here === "/console";
  const below = [`${place}/`, ...(WITHIN[place] ?? [])];
  return here === place || below.some((it) => here.startsWith(it));
}

const PRESENCE = {
  connecting: ["wait", "Connecting"],
  live: ["done", "Live"],
  polling: ["done", "Every 3 s"],
  unknown: ["wait", "Not signed in"],
  lost: ["bad", "Server lost"],
} as const;

function Presence() {
  const [tone, text] = PRESENCE[connection.value];
  return <span class={`presence ${tone}`} role="status"><span class="dot" aria-hidden="true" />{text}</span>;
}

/** Leads to the instance of this id, or to those with this business key. */
function Find() {
  const { route } = useLocation();
  const [text, setText] = useState("");
  const find = async (event: Event) => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted === "") return;
    const places: [string, string][] = [
      [path`/v1/instances/${wanted}`, path`/console/processes/${wanted}`],
      [path`/v1/chains/instances/${wanted}`, path`/console/chains/${wanted}`],
    ];
    for (const [asked, shown] of places) {
      const isThere = await get(asked).then(() => true, () => false);
      if (isThere) return route(shown);
    }
    const chains = await get<{ items: unknown[] }>(`/v1/chains/instances?bizKey=${encodeURIComponent(wanted)}&pageSize=1`).then((it) => it.items.length, () => 0);
    route(`/console/instances?${chains > 0 ? "face=chain&" : ""}key=${encodeURIComponent(wanted)}`);
  };
  return (
    <form class="find" role="search" onSubmit={find}>
      <Icon name="search" />
      <label class="hidden" for="find">Find an instance by id or business key</label>
      <input id="find" type="search" placeholder="Id or business key" value={text} onInput={(event) => setText((event.target as HTMLInputElement).value)} />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}

function Keys() {
  return (
    <Dialog title="Keys" onClose={() => (help.value = false)}>
      <dl class="keys">
        {KEYS.map(([key, text]) => (
          <div key={key}>
            <dt>{key.split(" ").map((it) => <kbd key={it}>{it}</kbd>)}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div class="buttons"><button type="button" onClick={() => (help.value = false)}>Close</button></div>
    </Dialog>
  );
}
