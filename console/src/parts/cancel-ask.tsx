// Cancels an instance, of whichever face.

import { useState } from "preact/hooks";
import { post } from "../lib/api";
import { Ask, Field } from "./dialog";

export function CancelAsk({ name, path, onClose }: { name: string; path: string; onClose: () => void }) {
  const [reason, setReason] = useState("");
  const act = () => post(path, { reason: reason.trim() });
  return (
    <Ask title={`Cancel ${name}?`} verb="Cancel it" isDangerous onClose={onClose} act={act}>
      <p>It ends here. Work that is under way is refused when it is reported. This cannot be undone.</p>
      <Field label="Reason" value={reason} set={setReason} hint="Kept with the instance, for whoever asks later" />
    </Ask>
  );
}
