// Asks before something is done, and tells what came of it.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { refresh } from "../lib/live";
import { isViewer } from "../lib/who";
import { Trouble } from "./base";

/** A window above the page. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={element} onClose={onClose} aria-labelledby="dialog-title">
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

interface AskProps {
  title: string;
  /** What the button says that does it. */
  verb: string;
  isDangerous?: boolean;
  /** Does it. What it throws is shown, and the window stays. */
  act: () => Promise<unknown>;
  onClose: () => void;
  children?: ComponentChildren;
}

export function Ask({ title, verb, isDangerous, act, onClose, children }: AskProps) {
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await act();
      refresh();
      onClose();
    } catch (thrown) {
      setError(thrown as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        {error === undefined ? null : <Trouble error={error} />}
        {isViewer() ? <p class="quiet">You may look, but not change anything.</p> : null}
        <div class="buttons">
          <button type="button" onClick={onClose}>Keep as it is</button>
          <button type="submit" class={isDangerous ? "danger" : "primary"} disabled={isBusy || isViewer()}>
            {isBusy ? "Working…" : verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** A text that must be a JSON object; says where it is not. */
export function object(text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`The variables are not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error('The variables must be an object, such as {"reviewDecision": "APPROVED"}.');
  }
  return value as Record<string, unknown>;
}

interface FieldProps {
  label: string;
  value: string;
  set: (value: string) => void;
  hint?: string;
  isLong?: boolean;
  placeholder?: string;
}

export function Field({ label, value, set, hint, isLong, placeholder }: FieldProps) {
  const props = {
    value,
    placeholder: placeholder ?? "",
    onInput: (event: Event) => set((event.target as HTMLInputElement).value),
  };
  return (
    <label class="field">
      <span>{label}</span>
      {isLong ? <textarea rows={6} spellcheck={false} {...props} /> : <input type="text" {...props} />}
      {hint === undefined ? null : <small>{hint}</small>}
    </label>
  );
}
