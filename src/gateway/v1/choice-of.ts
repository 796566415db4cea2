import { choiceOf as choiceOfSettings } from "../conversation/loaded.ts";
import type { CompactorChoice } from "../compaction/compactors.ts";
import type { Gateway } from "../gateway.ts";
import type { Exchange } from "./exchange.ts";

/** Which compactor serves a request: what its headers ask for, else what was set for its conversation. */
export function choiceOf(
  gateway: Gateway,
  { client, wire, upstream, asked, options, chat }: Exchange,
): CompactorChoice {
  const { tenant } = client;
  const { model, cap } = asked;
  const set = chat?.settings && choiceOfSettings(gateway, { tenant, wire, model, settings: chat.settings });
  const isAsked =
    options.profile !== undefined || options.strategy !== undefined || options.budget !== undefined;
  return {
    ...set,
    tenant,
    wire,
    upstream,
    model,
    cap,
    profile: options.profile ?? set?.profile,
    strategy: options.strategy ?? set?.strategy,
    budget: options.budget ?? set?.budget,
    ...(isAsked && {
      usual: { profile: set?.profile, strategy: set?.strategy, budget: set?.budget },
    }),
  };
}
