import type { IncomingHttpHeaders } from "node:http";
import { explainIssue } from "../../config/explain-issue.ts";
import { HOSTED_TOOLS, type HostedToolName } from "../../config/gateway-schema.ts";
import { tokensIn } from "../../config/sizes.ts";
import { pickTuning, requestTuning } from "../../config/tuning-schema.ts";
import { LEAST_TOKENS, landingProblem } from "../../core/budget.ts";
import { firstCharacters } from "../../core/first-characters.ts";
import type { Profile, StrategyName, Tuning } from "../../core/types.ts";
import { strategies } from "../../engine/strategies.ts";
import { mailboxDir } from "../../models/mailbox.ts";
import { profiles } from "../../profiles/index.ts";
import { headerOf } from "../http/headers.ts";
import { RequestFault } from "../http/request-fault.ts";

/** What a client may ask for with one request. */
export interface RequestOptions {
  readonly profile?: Profile;
  readonly strategy?: StrategyName;
  readonly budget?: number;
  /** The model's window in tokens, instead of what is known of it. */
  readonly window?: number;
  /** Who writes summaries: `extractive`, `same`, or a model by name. */
  readonly summarizer?: string;
  /** Tools of precis's own that the model gets, instead of the config's. */
  readonly tools?: readonly HostedToolName[];
  /** More options of the engine. */
  readonly tuning?: Tuning;
  /** Touch nothing. */
  readonly off: boolean;
}

/** Longer names of models are refused (characters). */
const MAX_MODEL = 200;
const NONE: RequestOptions = { off: false };

/** The `x-precis-…` headers. A value that can't be is refused by name rather than passed over. */
export function requestOptions(headers: IncomingHttpHeaders): RequestOptions {
  const profile = headerOf(headers, "x-precis-profile");
  const strategy = headerOf(headers, "x-precis-strategy");
  const budget = headerOf(headers, "x-precis-budget");
  const window = headerOf(headers, "x-precis-window");
  const summarizer = headerOf(headers, "x-precis-summarizer");
  const tools = headerOf(headers, "x-precis-tools");
  const off = headerOf(headers, "x-precis-off");
  const tuning = headerOf(headers, "x-precis-options");
  const all = [profile, strategy, budget, window, summarizer, tools, off, tuning];
  if (all.every((value) => value === undefined)) return NONE;
  return {
    ...(profile !== undefined && { profile: profileOf(profile) }),
    ...(strategy !== undefined && { strategy: strategyOf(strategy) }),
    ...(budget !== undefined && { budget: tokensOf("budget", budget) }),
    ...(window !== undefined && { window: tokensOf("window", window) }),
    ...(summarizer !== undefined && { summarizer: summarizerOf(summarizer) }),
    ...(tools !== undefined && { tools: toolsOf(tools) }),
    ...(tuning !== undefined && { tuning: tuningOf(tuning) }),
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

function tokensOf(name: string, text: string): number {
  const tokens = tokensIn(text);
  if (tokens !== undefined && tokens >= LEAST_TOKENS) return tokens;
  throw wrong(name, text, `a number of tokens of at least ${LEAST_TOKENS} (8000, 8k or 1m)`);
}

function summarizerOf(name: string): string {
  // What a person's settings may not name, a request may not either: a folder of this machine.
  if (name !== "" && name.length <= MAX_MODEL && mailboxDir(name) === undefined) return name;
  throw wrong("summarizer", firstCharacters(name, MAX_MODEL), "extractive, same, or the name of a model");
}

/** Names with commas between them; `none` for none. */
function toolsOf(text: string): readonly HostedToolName[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.length === 1 && names[0] === "none") return [];
  const known: readonly string[] = HOSTED_TOOLS;
  if (names.every((name) => known.includes(name))) return names as HostedToolName[];
  throw wrong("tools", text, `none, or some of ${HOSTED_TOOLS.join(", ")}`);
}

/** `{"tail":{"messages":10},"auto":false}`: the keys are those of the config. */
function tuningOf(text: string): Tuning {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw wrong("options", text, 'a JSON object, such as {"tail":{"messages":10}}');
  }
  const { success, data, error } = requestTuning.safeParse(given);
  const tooHigh = success ? landingProblem(data) : undefined;
  if (success && !tooHigh) return pickTuning(data);
  const { key, problem, fix } = tooHigh
    ? { ...tooHigh, key: "landAt", problem: `${data?.landAt} ${tooHigh.problem}` }
    : explainIssue(error?.issues ?? [], given);
  throw new RequestFault(
    400,
    "invalid",
    `precis: the header x-precis-options: ${key === "" ? "" : `${key}: `}${problem}. ${fix}`,
  );
}

function wrong(name: string, value: string, expected: string): RequestFault {
  return new RequestFault(
    400,
    "invalid",
    `precis: the header x-precis-${name} is ${JSON.stringify(value)}; it must be ${expected}.`,
  );
}
