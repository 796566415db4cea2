import type { Message } from "../../core/types.ts";
import { abridged } from "../../summaries/material/abridge.ts";
import { citationRegistry, citationsIn } from "../../summaries/sources/citations.ts";
import type { ApiCitations } from "../api.ts";

/** What the numbers of a conversation mean, as its views have them. Indexes don't count the `lead` system messages. */
export function citationsOf(messages: readonly Message[], lead: number): ApiCitations {
  // What a view is made from.
  const read = abridged(messages);
  const registry = citationRegistry(read);
  return {
    sources: registry.sources().map(({ number, key, label, index, passage }) => {
      const title = label.slice(key.length).trim();
      return { number, source: key, ...(title && { title }), message: index - lead, passage };
    }),
    cited: read.flatMap(({ parts }, index) =>
      parts
        .flatMap((part) => (part.type === "text" ? citationsIn(part.text) : []))
        .flatMap((as) => {
          const source = registry.resolve(index, as);
          return source && source.number !== as ? [{ message: index - lead, as, number: source.number }] : [];
        }),
    ),
  };
}
