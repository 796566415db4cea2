import type { Gateway } from "../gateway.ts";
import { decideView } from "./decide-view.ts";
import type { Exchange, Outgoing } from "../v1/exchange.ts";

/** A view that is small enough for what the upstream said; undefined if there is none. */
export async function compactHarder(
  gateway: Gateway,
  exchange: Exchange,
  { tokens, limit }: { readonly tokens?: number; readonly limit?: number },
  refused: Outgoing["report"],
): Promise<Outgoing | undefined> {
  const { upstream, asked, recording, client } = exchange;
  gateway.totals.add("rejected");
  // Where no number is named, the window is smaller than what was refused, by our own count.
  const known = limit ?? (refused && refused.tokens.after + refused.budget.tools);
  const learned = known !== undefined && gateway.windows.learn(upstream, asked.model, client.tenant, known);
  gateway.log.warn(
    { model: asked.model, upstream: upstream.name, tokens, limit, learned },
    "the upstream refused a request as too long; compacting harder",
  );
  if (recording?.known.id !== undefined)
    void gateway.timeline.add(client.tenant, recording.known.id, gateway.now(), {
      type: "rejected",
      tokens,
      limit,
    });
  try {
    const outgoing = await decideView(gateway, exchange, { tokens });
    return outgoing.isOurs ? outgoing : undefined;
  } catch (error) {
    // The upstream's own error tells the client more than ours would.
    gateway.log.warn({ err: error }, "nothing smaller could be made");
    return undefined;
  }
}
