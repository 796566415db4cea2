import type { IncomingHttpHeaders } from "node:http";
import { tokensIn } from "../../config/sizes.ts";
import type { Profile, StrategyName } from "../../core/types.ts";
import { strategies } from "../../engine/strategies.ts";
import { profiles } from "../../profiles/index.ts";
import { headerOf } from "../http/headers.ts";
import { RequestFault } from "../http/request-fault.ts";

/** What a client may ask for with one request. */
export interface RequestOptions {
  readonly profile?: Profile;
  readonly strategy?: StrategyName;
  readonly budget?: number;
  /** Touch nothing. */
  readonly off: boolean;
}

const LEAST_BUDGET = 100;
const NONE: RequestOptions = { off: false };

/** The `x-precis-…` headers. A value that can't be is refused by name rather than passed over. */
export function requestOptions(headers: IncomingHttpHeaders): RequestOptions {
  const profile = headerOf(headers, "x-precis-profile");
  const strategy = headerOf(headers, "x-precis-strategy");
  const budget = headerOf(headers, "x-precis-budget");
  const off = headerOf(headers, "x-precis-off");
  if (profile === undefined && strategy === undefined && budget === undefined && off === undefined)
    return NONE;
  return {
    ...(profile !== undefined && { profile: profileOf(profile) }),
    ...(strategy !== undefined && { strategy: strategyOf(strategy) }),
    ...(budget !== undefined && { budget: budgetOf(budget) }),
    off: off !== undefined && !["0", "false", "no"].includes(off.toLowerCase()),
  };
}

function profileOf(name: string): Profile {
  if (Object.hasOwn(profiles, name)) return profiles[name as keyof typeof profiles];
  throw wrong("profile", name, `one of ${Object.keys(profiles).join(", ")}`);
}

function strategyOf(name: string): StrategyName {
  if (Object.hasOwn(strategies, name)) return name as StrategyName;
  throw wrong("strategy", name, `one of ${Object.keys(strategies).join(", ")}`);
}

function budgetOf(text: string): number {
  const tokens = tokensIn(text);
  if (tokens !== undefined && tokens >= LEAST_BUDGET) return tokens;
  throw wrong("budget", text, `a number of tokens of at least ${LEAST_BUDGET} (8000, 8k or 1m)`);
}

function wrong(name: string, value: string, expected: string): RequestFault {
  return new RequestFault(
    400,
    "invalid",
    `precis: the header x-precis-${name} is ${JSON.stringify(value)}; it must be ${expected}.`,
  );
}
