import type { IncomingHttpHeaders } from "node:http";
import { HOSTED_TOOLS, type HostedToolName } from "../../config/gateway-schema.ts";
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
  /** Tools of precis's own that the model gets, instead of the config's. */
  readonly tools?: readonly HostedToolName[];
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
  const tools = headerOf(headers, "x-precis-tools");
  const off = headerOf(headers, "x-precis-off");
  if ([profile, strategy, budget, tools, off].every((value) => value === undefined)) return NONE;
  return {
    ...(profile !== undefined && { profile: profileOf(profile) }),
    ...(strategy !== undefined && { strategy: strategyOf(strategy) }),
    ...(budget !== undefined && { budget: budgetOf(budget) }),
    ...(tools !== undefined && { tools: toolsOf(tools) }),
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

/** Names with commas between them; `none` for none. */
function toolsOf(text: string): readonly HostedToolName[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.length === 1 && names[0] === "none") return [];
  const known: readonly string[] = HOSTED_TOOLS;
  if (names.every((name) => known.includes(name))) return names as HostedToolName[];
  throw wrong("tools", text, `none, or some of ${HOSTED_TOOLS.join(", ")}`);
}

function wrong(name: string, value: string, expected: string): RequestFault {
  return new RequestFault(
    400,
    "invalid",
    `precis: the header x-precis-${name} is ${JSON.stringify(value)}; it must be ${expected}.`,
  );
}
