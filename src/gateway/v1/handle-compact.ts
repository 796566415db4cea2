import type { Gateway } from "../gateway.ts";
import { sendJson } from "../http/send-json.ts";
import { openExchange } from "./open-exchange.ts";
import { type Passing, passThrough } from "./pass-through.ts";
import { RequestFault } from "../http/request-fault.ts";
import { responsesWire, transcriptOf } from "../wires/responses.ts";
import { compactAnswer } from "../wires/compaction-answer.ts";
import { makeSummary } from "./make-summary.ts";
import { replayItems } from "../wires/replay-summaries.ts";

/** `POST /v1/responses/compact`: by the provider where it has it, by precis where it hasn't. */
export async function handleCompact(gateway: Gateway, passing: Passing): Promise<number> {
  const exchange = await openExchange(gateway, { ...passing, wire: responsesWire });
  const { upstream, bytes, body, options } = exchange;
  if (upstream.isNative || options.off || gateway.config.observe)
    return passThrough(gateway, { ...passing, bytes, upstream });
  const items = replayItems(transcriptOf(body["input"]));
  if (items.length === 0)
    throw new RequestFault(
      400,
      "nothing-to-compact",
      "precis: there is nothing to compact: `input` is empty.",
    );
  const made = await makeSummary(gateway, exchange, items, undefined);
  sendJson(exchange.response, 200, compactAnswer(made, items), { "x-precis-action": "compacted" });
  return 200;
}
