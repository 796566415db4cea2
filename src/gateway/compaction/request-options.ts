import type { IncomingHttpHeaders } from "node:http";
import type { z } from "zod";
import { explainIssue } from "../../config/explain-issue.ts";
import { HOSTED_TOOLS, type HostedToolName } from "../../config/gateway-schema.ts";
import { pickTuning, requestTuning, tuningFields } from "../../config/tuning-schema.ts";
import { listOf, oneOf, text, tokens } from "../../config/values.ts";
import { landingProblem } from "../../core/budget.ts";
import type { Profile, StrategyName, Tuning } from "../../core/types.ts";
import { mailboxDir } from "../../models/mailbox.ts";
import { PROFILE_NAMES, profiles } from "../../profiles/index.ts";
import { RequestFault } from "../http/request-fault.ts";
import { headerOf } from "../http/send-json.ts";

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
/** Of a request without any of the headers. */
export const NO_OPTIONS: RequestOptions = { off: false };

/** Names with commas between them; `none` for none. */
const toolList = (text: string): readonly string[] =>
  text.trim() === "none" ? [] : text.split(",").map((name) => name.trim());
const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const PREFIX = "x-precis-";
/** Headers that set an option, named after it: what each may hold, and how a text is read before. */
const HEADERS = {
  "x-precis-profile": { schema: oneOf("profile", PROFILE_NAMES) },
  "x-precis-strategy": { schema: tuningFields.strategy },
  "x-precis-budget": { schema: tuningFields.budget },
  "x-precis-window": { schema: tokens },
  "x-precis-summarizer": {
    // What a person's settings may not name, a request may not either: a folder of this machine.
    schema: text("summarizer", "Give extractive, same, or the name of a model.", {
      test: (name) => name !== "" && name.length <= MAX_MODEL && mailboxDir(name) === undefined,
    }),
  },
  "x-precis-tools": {
    schema: listOf(oneOf("tool of precis", HOSTED_TOOLS), "recall"),
    read: toolList,
    fix: `Give none, or some of ${HOSTED_TOOLS.join(", ")}.`,
  },
  "x-precis-options": { schema: requestTuning, read: jsonIn },
} as const;
const NAMES = Object.keys(HEADERS) as (keyof typeof HEADERS)[];

/** The `x-precis-…` headers. A value that can't be is refused by name rather than passed over. */
export function requestOptions(headers: IncomingHttpHeaders): RequestOptions {
  // Most requests have none of them.
  if (headers["x-precis-off"] === undefined && NAMES.every((name) => headers[name] === undefined))
    return NO_OPTIONS;
  const off = headerOf(headers, "x-precis-off");
  const given = NAMES.flatMap((name) => {
    const value = headerOf(headers, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (off === undefined && given.length === 0) return NO_OPTIONS;
  const { profile, options, ...set } = Object.fromEntries(
    given.map(([name, value]) => [name.slice(PREFIX.length), readHeader(name, value)]),
  ) as Omit<RequestOptions, "profile" | "tuning" | "off"> & {
    readonly profile?: keyof typeof profiles;
    readonly options?: Tuning;
  };
  return {
    ...set,
    ...(profile !== undefined && { profile: profiles[profile] as Profile }),
    ...(options !== undefined && { tuning: pickTuning(options) }),
    off: off !== undefined && !["0", "false", "no"].includes(off.toLowerCase()),
  };
}

function readHeader(name: keyof typeof HEADERS, text: string): unknown {
  const header: {
    readonly schema: z.ZodType;
    readonly read?: (text: string) => unknown;
    readonly fix?: string;
  } = HEADERS[name];
  const input = header.read ? header.read(text) : text;
  const parsed = header.schema.safeParse(input);
  const landing =
    parsed.success && name === "x-precis-options" ? landingProblem(parsed.data as Tuning) : undefined;
  if (parsed.success && !landing) return parsed.data;
  const { key, problem, fix } = landing
    ? { ...landing, key: "landAt", problem: `${(parsed.data as Tuning).landAt} ${landing.problem}` }
    : explainIssue(parsed.error?.issues ?? [], input === undefined ? text : input);
  throw new RequestFault(
    400,
    "invalid",
    `precis: the header ${name}: ${name === "x-precis-options" && key !== "" ? `${key}: ` : ""}${problem}. ${header.fix ?? fix}`,
  );
}
