import type { MadeSummary } from "../../apis/shared/native.ts";
import { withClientKeys } from "../compaction/summarizer.ts";
import type { Exchange } from "./exchange.ts";
import type { V1Parts } from "./v1-parts.ts";

/** A summary that stands for a whole conversation may be this long (tokens). */
const SUMMARY_CAP = 4_096;

/** What summaries for clients are made with. */
type SummaryParts = Pick<V1Parts, "compactors" | "now">;

export async function makeSummary(
  { compactors, now }: SummaryParts,
  exchange: Pick<Exchange, "client" | "wire" | "upstream" | "asked" | "request" | "signal" | "told">,
  transcript: readonly unknown[],
  instructions: string | undefined,
): Promise<MadeSummary> {
  const { client, wire, upstream, asked, request, signal, told } = exchange;
  const compactor = compactors.of({ tenant: client.tenant, wire, upstream, model: asked.model });
  const sent = { headers: request.headers, keyIsOurs: client.keyIsOurs, upstream };
  const { text, tokens, report } = await withClientKeys(sent, () =>
    compactor.summarize(transcript, {
      system: asked.system,
      cap: SUMMARY_CAP,
      form: "record",
      ...(instructions !== undefined && { focus: instructions }),
      signal,
    }),
  );
  told.happened({ type: "summarised", report, tokens });
  // What models were really paid for: nothing where none was asked, all calls where the first ones failed.
  const spent = (field: "input" | "output") =>
    report.modelCalls.reduce((sum, { usage }) => sum + (usage?.[field] ?? 0), 0);
  return {
    model: asked.model,
    text,
    input: spent("input"),
    output: spent("output"),
    cacheRead: report.modelCalls.reduce((sum, { usage }) => sum + (usage?.cacheRead ?? 0), 0),
    at: now(),
  };
}
