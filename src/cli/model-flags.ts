import type { Model } from "../core/types.ts";
import { anthropic, mailbox, openaiCompatible } from "../models/index.ts";
import { mailboxDir } from "../models/mailbox.ts";
import type { Io } from "./io.ts";
import { type Flag, oneOf, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { parseTokens } from "./parse-tokens.ts";

const APIS = ["chat", "responses", "anthropic"] as const;
type Api = (typeof APIS)[number];
/** Where the key is looked for when --key-env doesn't say. */
const KEY_VARIABLES: Readonly<Record<Api, string>> = {
  chat: "OPENAI_API_KEY",
  responses: "OPENAI_API_KEY",
  anthropic: "ANTHROPIC_API_KEY",
};
/** Who answers a mailbox may be a person: longer than a model over HTTP gets (milliseconds). */
export const MAILBOX_MS = 3_600_000;

/** How a model is reached; the flag that names it belongs to its command. */
export const MODEL_FLAGS = {
  "base-url": { value: "URL", help: "where the model is served (http://localhost:11434/v1)" },
  api: { value: "A", help: `what that server speaks: ${APIS.join(", ")}` },
  "key-env": { value: "NAME", help: "the variable that holds its key" },
} as const satisfies Record<string, Flag>;

/**
 * The model that the flag `flag` names, with its key out of the environment: `NAME`, `NAME@URL`, or `mailbox:DIR`.
 * Undefined without that flag.
 */
export function modelOf(flags: ParsedFlags, io: Io, flag: string): Model | undefined {
  const given = flags.value(flag);
  if (given === undefined) {
    const lonely = Object.keys(MODEL_FLAGS).find((name) => flags.has(name));
    if (lonely !== undefined) throw new UsageError(`Which model? --${lonely} goes with --${flag}.`);
    return undefined;
  }
  return namedModel(given, flags, io);
}

/** The model of a name; the shared flags say how it is reached. */
export function namedModel(given: string, flags: ParsedFlags, io: Io, window = ownWindow(flags)): Model {
  const dir = mailboxDir(given);
  if (dir !== undefined) {
    if (dir === "") throw new UsageError("mailbox: needs a folder, such as mailbox:./letters.");
    return mailbox({ dir, timeoutMs: MAILBOX_MS, ...window });
  }
  const at = /^(.+)@(https?:\/\/.+)$/.exec(given);
  const model = at?.[1] ?? given;
  const baseURL = at?.[2] ?? flags.value("base-url");
  if (baseURL !== undefined && !(URL.canParse(baseURL) && /^https?:$/.test(new URL(baseURL).protocol)))
    throw new UsageError(
      `--base-url ${baseURL}: this is not an http(s) address. Give the whole address, such as http://localhost:11434/v1.`,
    );
  const keyName = flags.value("key-env");
  const wanted = oneOf("api", flags.value("api"), APIS);
  const api: Api = wanted ?? (baseURL === undefined && model.startsWith("claude") ? "anthropic" : "chat");
  const variable = keyName ?? (baseURL === undefined ? KEY_VARIABLES[api] : undefined);
  const apiKey = variable === undefined ? undefined : io.env[variable];
  if (variable !== undefined && !apiKey)
    throw new UsageError(`There is no key for ${model}: the variable ${variable} isn't set.`);
  const options = { model, ...window, ...(baseURL && { baseURL }), ...(apiKey && { apiKey }) };
  return api === "anthropic" ? anthropic(options) : openaiCompatible({ ...options, api });
}

/** `--window` is the model's, unless a command says otherwise. */
function ownWindow(flags: ParsedFlags): { readonly window?: number } {
  const text = flags.value("window");
  return text === undefined ? {} : { window: parseTokens("window", text) };
}
