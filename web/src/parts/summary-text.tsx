import { splitPointers } from "../state/citations.ts";
import { strings } from "../strings.ts";
import type { OnPointer } from "./markdown.tsx";
import { ScrollArea } from "./scroll-area.tsx";
import { useNumbers } from "./use-store.ts";

/** A summary line by line, as the model gets it; pointers at messages can be followed. */
export function SummaryText({ text, onPointer }: { text: string; onPointer?: OnPointer }) {
  const { lead } = useNumbers();
  const lines = text.split("\n");
  return (
    <ScrollArea className="summary-text" label={strings.inspect.summary}>
      {lines.map((line, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text have no other name
        <p key={n} className={lineKind(line)}>
          {splitPointers(line, lead).map((piece, m) =>
            piece.type === "text" ? (
              piece.text
            ) : (
              // biome-ignore-start lint/suspicious/noArrayIndexKey: pieces of a text have no other name
              <button
                key={m}
                type="button"
                className="pointer"
                disabled={onPointer === undefined}
                onClick={() => onPointer?.(piece.from, piece.to)}
              >
                {piece.text}
              </button>
              // biome-ignore-end lint/suspicious/noArrayIndexKey: pieces of a text have no other name
            ),
          )}
        </p>
      ))}
    </ScrollArea>
  );
}

/** Lines such as "The user's words:" head a part of the summary; tags frame it. */
function lineKind(line: string): string | undefined {
  if (/^<\/?[\w-]+>$/.test(line)) return "tag-line";
  if (/^[A-Z][^.]{2,60}:$/.test(line)) return "head-line";
  return undefined;
}
