// What every screen is put together from.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Exact, Refused } from "../lib/api";
import { away, when } from "../lib/text";
import { type Resource, useNow } from "../lib/use";
import { Icon } from "./icon";

/** A screen's name and what can be done on it. */
export function Head({ title, sub, children }: { title: ComponentChildren; sub?: ComponentChildren; children?: ComponentChildren }) {
  return (
    <div class="head">
      <div>
        <h1>{title}</h1>
        {sub === undefined ? null : <p class="sub">{sub}</p>}
      </div>
      {children === undefined ? null : <div class="actions">{children}</div>}
    </div>
  );
}

interface CardProps {
  title?: string;
  children: ComponentChildren;
  extra?: ComponentChildren;
  /** What links lead here by. */
  id?: string;
}

export function Card({ title, children, extra, id }: CardProps) {
  return (
    <section class="card" id={id}>
      {title === undefined ? null : (
        <div class="card-head">
          <h2>{title}</h2>
          {extra}
        </div>
      )}
      {children}
    </section>
  );
}

/** What was answered; until then, or instead, what is known about why not. */
export function Loaded<T>({ of, children }: { of: Resource<T>; children: (data: T) => ComponentChildren }) {
  if (of.data === undefined) return of.error === undefined ? <Loading /> : <Trouble error={of.error} />;
  return (
    <div class={of.isLoading ? "stale" : ""} aria-busy={of.isLoading}>
      {of.error === undefined ? null : <Trouble error={of.error} />}
      {children(of.data)}
    </div>
  );
}

export function Loading() {
  return <p class="quiet" role="status">Loading…</p>;
}

/** Why something did not work, and where to read on. */
export function Trouble({ error }: { error: Error }) {
  const isOurs = error instanceof Refused && /^[A-Z][A-Z_]+$/.test(error.code) && !error.code.startsWith("HTTP_");
  return (
    <div class="trouble" role="alert">
      <Icon name="failed" />
      <div>
        <strong>{error.message}</strong>
        {error instanceof Refused ? (
          <p class="quiet">
            {isOurs ? <a href={`/docs/errors/${error.code}`} target="_blank" rel="noreferrer">{error.code}</a> : error.code}
            {error.requestId === "" ? "" : ` · request ${error.requestId}`}
          </p>
        ) : null}
      </div>
    </div>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** A time as people say it, with the exact one behind it. */
export function Ago({ at }: { at: string }) {
  const now = useNow();
  return <time dateTime={at} title={at}>{away(at, now)}</time>;
}

export function When({ at }: { at: string }) {
  return <time dateTime={at} title={at}>{when(at)}</time>;
}

/** A document, with lines that can be counted. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2) ?? "";
  return <pre class="json" tabIndex={0} role="region" aria-label={label}>{text}</pre>;
}

/** A value on one line. */
export function Value({ value }: { value: unknown }) {
  if (value instanceof Exact) return <code>{value.text}</code>;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return <code>{text}</code>;
}

/** Names and values, one below the other. */
export function Facts({ of }: { of: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Copy({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard?.writeText(text).then(() => {
      setCopied(true);
      window.setTimeout(() => setCopied(false), 1_500);
    });
  return (
    <button type="button" class="link" onClick={copy} aria-label={`Copy ${text}`}>
      {isCopied ? "copied" : "copy"}
    </button>
  );
}
