// How the server is, and how this page is set.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { bearer } from "../lib/api";
import { connection } from "../lib/live";
import { theme, type Theme } from "../lib/theme";
import { signOut } from "../lib/who";
import { count, words } from "../lib/text";
import type { Overview } from "../lib/types";
import { always, usePolled, useResource, useTitle } from "../lib/use";
import { Ago, Card, Facts, Head, Loaded } from "../parts/base";
import { Status } from "../parts/status";
import { type Column, Table } from "../parts/table";

export function SettingsScreen() {
  useTitle("Settings & health");
  return (
    <>
      <Head title="Settings & health" />
      <div class="columns">
        <Health />
        <Storage />
        <Colors />
        <Account />
      </div>
      <Card title="Read on">
        <ul class="actions">
          <li><a href="/docs" target="_blank" rel="noreferrer">API reference</a></li>
          <li><a href="/openapi.json" target="_blank" rel="noreferrer">OpenAPI document</a></li>
          <li><a href="/docs/errors" target="_blank" rel="noreferrer">Error codes</a></li>
          <li><a href="/metrics" target="_blank" rel="noreferrer">Metrics</a></li>
        </ul>
      </Card>
      <Card title="How the server is set up"><Settings /></Card>
      <Card title="What the server counts"><Metrics /></Card>
    </>
  );
}

function Health() {
  const version = useResource<{ name: string; version: string }>("/version");
  const ready = useResource<{ status: string; reasons?: string[] }>("/readyz", always);
  const overview = useResource<Overview>("/v1/overview", always);
  return (
    <Card title="Health">
      <Loaded of={ready}>
        {(it) => (
          <Facts of={[
            ["Server", <Status of={it.status === "ok" ? "DONE" : "FAILED"} text={it.status === "ok" ? "ready" : (it.reasons ?? []).join("; ")} />],
            ["Version", version.data?.version ?? "…"],
            ["This page", words(connection.value)],
            ["Compute members", String(overview.data?.members ?? "…")],
            ["Messages to send", overview.data === undefined ? "…" : count(overview.data.outbox.pending)],
            ["Messages given up", overview.data === undefined ? "…" : count(overview.data.outbox.dead)],
          ]} />
        )}
      </Loaded>
    </Card>
  );
}

interface Told {
  version: string;
  store?: { kind: string; place: string; bytes?: number };
  nodes: { name: string; address: string; seenAt?: string }[];
  settings: Setting[];
}

interface Setting {
  key: string;
  value?: string;
  origin?: string;
}

const BYTES = ["bytes", "KB", "MB", "GB", "TB"];

function bytes(of: number): string {
  const power = Math.min(BYTES.length - 1, Math.floor(Math.log2(Math.max(1, of)) / 10));
  return `${(of / 1_024 ** power).toFixed(power === 0 ? 0 : 1)} ${BYTES[power]}`;
}

function Storage() {
  const told = usePolled<Told>("/v1/settings");
  return (
    <Card title="Store and nodes">
      <Loaded of={told}>
        {({ store, nodes }) => (
          <Facts of={[
            ["Store", store?.kind ?? "not told"],
            ["Place", store?.place ?? "–"],
            ["Size", store?.bytes === undefined ? "not told" : bytes(store.bytes)],
            ...(nodes.length === 0 ? [["Nodes", "this one"] as [string, string]] : nodes.map((it): [string, ComponentChildren] => [it.name, <>{it.address}{it.seenAt === undefined ? " (this one)" : <> seen <Ago at={it.seenAt} /></>}</>])),
          ]} />
        )}
      </Loaded>
    </Card>
  );
}

const SETTINGS: Column<Setting>[] = [
  { head: "Setting", cell: (it) => <code>{it.key}</code> },
  { head: "Value", cell: (it) => (it.value === undefined ? "–" : <code>{it.value}</code>) },
  { head: "From", cell: (it) => it.origin ?? "not set", isWide: true },
];

/** As `waypost serve --print-config` shows it; secrets are hidden by the server. */
function Settings() {
  const told = useResource<Told>("/v1/settings");
  const [isAll, setAll] = useState(false);
  return (
    <Loaded of={told}>
      {({ settings }) => (
        <>
          <label class="choice"><input type="checkbox" checked={isAll} onChange={() => setAll(!isAll)} />Also what is not set, or is as usual</label>
          <Table label="Settings" rows={settings.filter((it) => isAll || (it.value !== undefined && it.origin !== "default"))} columns={SETTINGS} rowKey={(it) => it.key} empty="Everything is as usual." />
        </>
      )}
    </Loaded>
  );
}

const THEMES: Theme[] = ["system", "light", "dark"];

function Colors() {
  return (
    <Card title="Colors">
      <fieldset class="plain-list">
        <legend class="hidden">Colors</legend>
        {THEMES.map((it) => (
          <label key={it} class="choice"><input type="radio" name="theme" checked={theme.value === it} onChange={() => (theme.value = it)} />{it === "system" ? "As the system says" : words(it)}</label>
        ))}
      </fieldset>
    </Card>
  );
}

interface Who {
  userAccountInfo?: { userId?: string; userName?: string; legalEntity?: { name?: string }; roles?: { id: string }[] };
}

function Account() {
  const account = useResource<Who>("/api/account");
  const who = account.data?.userAccountInfo;
  return (
    <Card title="Who you are">
      {who === undefined ? <p class="quiet">Nobody that the server knows.</p> : (
        <Facts of={[["Name", who.userName ?? who.userId ?? "?"], ["Tenant", who.legalEntity?.name ?? "?"], ["Roles", (who.roles ?? []).map((it) => it.id).join(", ") || "none"]]} />
      )}
      {bearer.value === null ? null : <button type="button" onClick={signOut}>Sign out</button>}
    </Card>
  );
}

interface Sample {
  name: string;
  value: string;
}

/** Counters and gauges of our own, without labels: the rest is for those who draw curves. */
function Metrics() {
  const [samples, setSamples] = useState<Sample[]>();
  useEffect(() => {
    const read = () => fetch("/metrics").then((it) => (it.ok ? it.text() : "")).then((text) => setSamples(plain(text)), () => undefined);
    void read();
    const timer = window.setInterval(read, 5_000);
    return () => window.clearInterval(timer);
  }, []);
  if (samples === undefined) return <p class="quiet">Loading…</p>;
  if (samples.length === 0) return <p class="quiet">Not shown here: the metrics have an address of their own, or ask for a bearer.</p>;
  return <Facts of={samples.map((it): [string, string] => [words(it.name.replace(/^waypost_/, "")), it.value])} />;
}

function plain(text: string): Sample[] {
  const lines = text.split("\n").filter((it) => /^waypost_[a-z_]+(?<!_sum|_count) /.test(it));
  return lines.flatMap((line) => {
    const [name, value] = line.split(" ");
    return name === undefined || value === undefined ? [] : [{ name, value: count(Number(value)) }];
  });
}
