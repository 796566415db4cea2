import { RequestFault } from "../http/request-fault.ts";
import { sendJson } from "../http/send-json.ts";
import type { Wire } from "../wires/wire.ts";
import { makeSummary } from "./make-summary.ts";
import { type Passing, passThrough } from "./pass-through.ts";
import { readExchange } from "./read-exchange.ts";
import type { V1Parts } from "./v1-parts.ts";

/** A route that does nothing but compact: by the provider where it has it, by precis where it hasn't. */
export async function handleCompact(
  parts: V1Parts,
  wire: Wire,
  compacting: NonNullable<Wire["compacting"]>,
  passing: Passing,
): Promise<number> {
  const exchange = await readExchange(parts, { ...passing, wire });
  const { upstream, bytes, body, options } = exchange;
  if (upstream.isNative || options.off || parts.config.observe)
    return passThrough(parts, { ...passing, bytes, upstream });
  const items = compacting.items(body);
  if (items.length === 0)
    throw new RequestFault(
      400,
      "nothing-to-compact",
      "precis: there is nothing to compact: `input` is empty.",
    );
  const made = await makeSummary(parts, exchange, items, undefined);
  sendJson(exchange.response, 200, compacting.answer(made, items), { "x-precis-action": "compacted" });
  return 200;
}
