import { type FakeReplier, type SummarizingOptions, summarizingReply } from "../../src/testing/index.ts";

/** A summariser that does as it is told: what the request lists as must-keep stands in its summary. */
export function heedfulReply(options: SummarizingOptions = {}): FakeReplier {
  const plain = summarizingReply({ ...options, mustKeep: [] });
  return async (request) => {
    const said = await plain(request);
    const listed = /<must-keep>([\s\S]*?)<\/must-keep>/.exec(request.lastUser)?.[1]?.trim();
    if (typeof said !== "string" || listed === undefined || !said.startsWith("The conversation began"))
      return said;
    const opening = said.split("\n").slice(0, 2).join("\n");
    return `${opening}\nStill needed: ${[...listed.split("\n"), ...(options.mustKeep ?? [])].join(", ")}.`;
  };
}
