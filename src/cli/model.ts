import { createInterface } from "node:readline/promises";
import type { Model } from "../core/types.ts";
import type { Expense } from "../eval/judged/spending.ts";
import { anthropic, mailbox, openaiCompatible } from "../models/index.ts";
import { mailboxDir } from "../models/mailbox.ts";
import type { APIS } from "./commands.ts";
import { flagName, UsageError } from "./flags.ts";
import { formatDollars, formatShort } from "./format.ts";
import type { Run } from "./run.ts";

type Api = (typeof APIS)[number];
/** Where the key is looked for when --key-env doesn't say. */
const KEY_VARIABLES: Readonly<Record<Api, string>> = {
  chat: "OPENAI_API_KEY",
  responses: "OPENAI_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
};
/** Who answers a mailbox may be a person: longer than a model over HTTP gets (milliseconds). */
export const MAILBOX_MS = 3_600_000;

/** How a model is reached, by the flags that all commands have for it. */
interface Reach {
  readonly baseUrl?: string;
  readonly api?: Api;
  readonly keyEnv?: string;
  readonly window?: number;
}

/** The model of a flag that may be left out; without it, the flags that say how it is reached mean nothing. */
export function maybeModel(
  given: string | undefined,
  flag: string,
  run: Pick<Run, "io"> & { readonly options: Reach },
): Model | undefined {
  if (given !== undefined) return namedModel(given, run);
  const lonely = (["baseUrl", "api", "keyEnv"] as const).find((name) => name in run.options);
  if (lonely !== undefined) throw new UsageError(`--${flagName(lonely)} needs --${flag}.`);
  return undefined;
}

/** The model of a name, with its key out of the environment: `NAME`, `NAME@URL`, or `mailbox:DIR`. */
export function namedModel(
  given: string,
  { io, options }: Pick<Run, "io"> & { readonly options: Reach },
): Model {
  const window = options.window === undefined ? {} : { window: options.window };
  const dir = mailboxDir(given);
  if (dir === "") throw new UsageError("mailbox: needs a folder, such as mailbox:./letters.");
  if (dir !== undefined) return mailbox({ dir, timeoutMs: MAILBOX_MS, ...window });
  const at = /^(.+)@(https?:\/\/.+)$/.exec(given);
  const model = at?.[1] ?? given;
  const baseURL = at?.[2] ?? options.baseUrl;
  if (baseURL !== undefined && !(URL.canParse(baseURL) && /^https?:$/.test(new URL(baseURL).protocol)))
    throw new UsageError(
      `--base-url ${baseURL}: this is not an http(s) address. Give all of it, such as http://localhost:11434/v1.`,
    );
  const isAnthropic = baseURL === undefined && model.startsWith("claude");
  const api = options.api ?? (isAnthropic ? "anthropic" : "chat");
  const variable = options.keyEnv ?? (baseURL === undefined ? KEY_VARIABLES[api] : undefined);
  const apiKey = variable === undefined ? undefined : io.env[variable];
  if (variable !== undefined && !apiKey)
    throw new UsageError(`No key for ${model}: the variable ${variable} isn't set.`);
  const reached = { model, ...window, ...(baseURL && { baseURL }), ...(apiKey && { apiKey }) };
  return api === "anthropic" ? anthropic(reached) : openaiCompatible({ ...reached, api });
}

/** Asks before money is spent. Where nobody can be asked, `--yes` is needed. */
export async function confirmSpending(
  { io, options }: Pick<Run, "io"> & { readonly options: { readonly yes?: true } },
  lines: readonly string[],
): Promise<void> {
  io.stderr.write(`This asks:\n${lines.join("\n")}\n`);
  if (options.yes) return;
  const stdin = io.stdin as typeof io.stdin & { readonly isTTY?: boolean };
  if (stdin.isTTY !== true || io.stderr.isTTY !== true)
    throw new UsageError("No model was called. Add --yes to continue.");
  const questions = createInterface({ input: io.stdin, output: process.stderr, terminal: true });
  try {
    const answer = await questions.question("Go on? [y/N] ", { signal: io.signal });
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new UsageError("Cancelled: no model was called.");
  } finally {
    questions.close();
  }
}

/** What is asked of each model, one line each, and all of it in dollars where every price is known. */
export function spendLines(expenses: readonly Expense[]): string[] {
  const lines = expenses.map(({ role, model, requests, input, output, dollars }) => {
    const tokens = `${formatShort(input)} tokens in, ${formatShort(output)} out`;
    const money = dollars === undefined ? "" : `, ${formatDollars(dollars)}`;
    return `  ${role.padEnd(10)} ${model}: ${requests} ${requests === 1 ? "request" : "requests"}, ${tokens}${money}`;
  });
  const known = expenses.flatMap(({ dollars }) => (dollars === undefined ? [] : [dollars]));
  const total = known.reduce((sum, dollars) => sum + dollars, 0);
  if (known.length === 0) return [...lines, "  unknown cost: the registry has no prices for these models"];
  const rest = known.length < expenses.length ? ", without the models whose prices are unknown" : "";
  return [...lines, `  together about ${formatDollars(total)}${rest}`];
}
