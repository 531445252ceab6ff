// Where the server asks who somebody is.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { bearer, isUnknown, located } from "../lib/api";
import { refresh } from "../lib/live";
import { type Resource, useTitle } from "../lib/use";
import { meet } from "../lib/who";
import { Card, Loaded, Trouble } from "./base";
import { Field } from "./dialog";

/** What was answered. The page shows a form instead of all of it where the server wants to know who asks. */
export function SignedIn<T>({ of, children }: { of: Resource<T>; children: (data: T) => ComponentChildren }) {
  return <Loaded of={of}>{children}</Loaded>;
}

export function SignIn() {
  useTitle("Sign in");
  const [id, setId] = useState("");
  const [secret, setSecret] = useState("");
  const [error, setError] = useState<Error>();
  const submit = async (event: Event) => {
    event.preventDefault();
    setError(undefined);
    try {
      bearer.value = await token(id.trim(), secret);
      isUnknown.value = false;
      await meet();
      refresh();
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return (
    <>
    <h1>Sign in</h1>
    <Card title="Who asks?">
      <form class="narrow" onSubmit={submit}>
        <p>This server wants to know who asks.</p>
        <Field label="Client id" value={id} set={setId} />
        <label class="field"><span>Secret</span><input type="password" autocomplete="off" value={secret} onInput={(event) => setSecret((event.target as HTMLInputElement).value)} /></label>
        {error === undefined ? null : <Trouble error={error} />}
        <div class="buttons"><button type="submit" class="primary">Sign in</button></div>
        <p class="quiet">Who you are stays in this tab, and is forgotten when you close it or sign out.</p>
      </form>
    </Card>
    </>
  );
}

async function token(id: string, secret: string): Promise<string> {
  const response = await fetch(located("/api/oauth/token"), {
    method: "POST",
    // A browser would ask for a name and a password itself when these are refused.
    credentials: "omit",
    headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}`, "content-type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials",
  });
  const answer = (await response.json().catch(() => ({}))) as { access_token?: string; error_description?: string; error?: string };
  if (answer.access_token !== undefined) return answer.access_token;
  if (response.status === 401) throw new Error("No client has this id and this secret.");
  throw new Error(answer.error_description ?? answer.error ?? `The server answered ${response.status}.`);
}
