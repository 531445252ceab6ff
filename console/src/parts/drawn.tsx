// A picture that the server has laid out, as soon as it is there.

import type { Picture } from "../lib/types";
import { type Matters, once, useResource } from "../lib/use";
import { Loaded } from "./base";
import { Diagram } from "./diagram";

export function Drawn({ path, matters = once }: { path: string; matters?: Matters }) {
  const picture = useResource<Picture>(path, matters);
  return <Loaded of={picture}>{(it) => <Diagram of={it} />}</Loaded>;
}
