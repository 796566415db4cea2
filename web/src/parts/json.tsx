import { useMemo } from "react";
import { ScrollArea } from "./controls.tsx";
import { CopyButton } from "./copy-button.tsx";

/** Longer ones are shown up to here; what is copied is always all of it (characters). */
const MOST_SHOWN = 200_000;

/** JSON to read and to copy. */
export function Json({ label, value }: { label: string; value: unknown }) {
  const text = useMemo(() => JSON.stringify(value, null, 2), [value]);
  return (
    <div className="json">
      <CopyButton text={() => text} />
      <ScrollArea className="json-text" label={label} isPart>
        <pre>{text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n…` : text}</pre>
      </ScrollArea>
    </div>
  );
}
