import type { Model } from "../core/types.ts";
import { anthropic, mailbox, openaiCompatible } from "../models/index.ts";
import { mailboxDir } from "../models/mailbox.ts";
import type { APIS } from "./commands.ts";
import { flagName, UsageError } from "./flags.ts";
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
  if (lonely !== undefined) throw new UsageError(`Which model? --${flagName(lonely)} goes with --${flag}.`);
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
      `--base-url ${baseURL}: this is not an http(s) address. Give the whole address, such as http://localhost:11434/v1.`,
    );
  const isAnthropic = baseURL === undefined && model.startsWith("claude");
  const api = options.api ?? (isAnthropic ? "anthropic" : "chat");
  const variable = options.keyEnv ?? (baseURL === undefined ? KEY_VARIABLES[api] : undefined);
  const apiKey = variable === undefined ? undefined : io.env[variable];
  if (variable !== undefined && !apiKey)
    throw new UsageError(`There is no key for ${model}: the variable ${variable} isn't set.`);
  const reached = { model, ...window, ...(baseURL && { baseURL }), ...(apiKey && { apiKey }) };
  return api === "anthropic" ? anthropic(reached) : openaiCompatible({ ...reached, api });
}
