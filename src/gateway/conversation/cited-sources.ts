import type { Message } from "../../core/types.ts";
import type { CitationSource } from "../../stores/server-store.ts";
import { citationsIn } from "../../summaries/citations.ts";
import { definedSources } from "../../summaries/sources.ts";

/** How far back the source of a citation is looked for (characters of text). */
const MOST_SEARCHED = 100_000;

/**
 * The sources that an answer cites, each with the number that its host gave it. A number means what was last called so before
 * the answer.
 */
export function citedSources(messages: readonly Message[], answer: number): CitationSource[] {
  const wanted = new Set(textsOf(messages[answer]!).flatMap(citationsIn).map(plain));
  const found: CitationSource[] = [];
  let searched = 0;
  for (let index = answer; index >= 0 && wanted.size > 0 && searched < MOST_SEARCHED; index--) {
    for (const part of messages[index]!.parts) {
      if (part.type !== "text" && part.type !== "tool-result") continue;
      searched += part.text.length;
      // One huge text would hold up everybody else.
      if (part.text.length > MOST_SEARCHED) continue;
      for (const { number, key, label } of definedSources(part)) {
        if (!wanted.delete(plain(number))) continue;
        const title = label === key ? undefined : label.slice(key.length).trim();
        found.push({ source: key, number: Number(plain(number)), ...(title && { title }) });
      }
    }
  }
  return found.sort((a, b) => a.number! - b.number!);
}

/** A footnote is cited as `[^4]`, and often listed as `[4]`. */
const plain = (number: string): string => number.replace("^", "");

function textsOf({ parts }: Message): string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}
