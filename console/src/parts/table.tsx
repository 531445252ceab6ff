// Rows and columns. Rows can be walked through with j and k.

import type { ComponentChildren } from "preact";
import { Empty } from "./base";

export interface Column<T> {
  head: string;
  cell: (row: T) => ComponentChildren;
  /** Numbers stand on the right. */
  isNumber?: boolean;
  /** Left out where there is little room. */
  isWide?: boolean;
}

interface Props<T> {
  label: string;
  rows: T[];
  columns: Column<T>[];
  rowKey: (row: T) => string;
  empty: ComponentChildren;
  chosen?: Chosen;
}

/** Rows that are chosen, by key. */
export interface Chosen {
  keys: Set<string>;
  set: (keys: Set<string>) => void;
}

export function Table<T>({ label, rows, columns, rowKey, empty, chosen }: Props<T>) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  const kind = (it: Column<T>) => `${it.isNumber ? "number " : ""}${it.isWide ? "wide" : ""}`;
  return (
    <div class="scroll" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {chosen === undefined ? null : <ChooseAll keys={rows.map(rowKey)} chosen={chosen} />}
            {columns.map((it) => (
              <th key={it.head} scope="col" class={kind(it)}>{it.head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} data-row>
              {chosen === undefined ? null : <Choose of={rowKey(row)} chosen={chosen} />}
              {columns.map((it) => (
                <td key={it.head} class={kind(it)}>{it.cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Choose({ of, chosen }: { of: string; chosen: Chosen }) {
  const turn = () => {
    const next = new Set(chosen.keys);
    if (!next.delete(of)) next.add(of);
    chosen.set(next);
  };
  return (
    <td class="choose">
      <input type="checkbox" checked={chosen.keys.has(of)} onChange={turn} aria-label={`Choose ${of}`} />
    </td>
  );
}

function ChooseAll({ keys, chosen }: { keys: string[]; chosen: Chosen }) {
  const isAll = keys.every((it) => chosen.keys.has(it));
  const turn = () => chosen.set(isAll ? new Set() : new Set(keys));
  return (
    <th scope="col" class="choose">
      <input type="checkbox" checked={isAll} onChange={turn} aria-label="Choose all rows of this page" />
    </th>
  );
}
