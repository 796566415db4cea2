import type { z } from "zod";
import { HOSTED_TOOLS } from "../../config/gateway-schema.ts";
import { schemaOf as schemaOfRow } from "../../config/tuning-schema.ts";
import {
  httpAddress,
  listOf,
  object,
  oneOf,
  optional,
  text as textOfForm,
  textUpTo,
  wholeNumber,
  yesOrNo,
} from "../../config/values.ts";
import { LEAST_TOKENS, MOST_TOKENS } from "../../core/options.ts";
import { PROFILE_NAMES } from "../../profiles/index.ts";
import { nameFault } from "../../stores/shared/texts.ts";
import { streamStrategies } from "../../stream/settings.ts";
import { ALL_SETTINGS, CHAT_SETTINGS, type Setting, type SettingKind } from "./settings.ts";

/** What bodies of `/api` look like: they are checked by these, and their types in `../api/` are made from them. */

/** Longest text of one message or summary, and of everything shorter (characters). */
const MAX_TEXT = 10_000_000;
export const MAX_TITLE = 500;
const MAX_MODEL_NAME = 300;
const MAX_FILE_NAME = 1_000;
const MAX_FOCUS = 2_000;
const MAX_POLICY_NAME = 200;
const MAX_SAID_ID = 100;
const MAX_KEY = 5_000;
/** Most messages that one chat pins, pictures that one message brings, policies that one replay compares. */
const MAX_PINS = 10_000;
const MAX_IMAGES = 20;
const MAX_POLICIES = 8;

const tokens = wholeNumber("number of tokens", LEAST_TOKENS, MOST_TOKENS);
const position = wholeNumber("place in a conversation", 0);
const end = wholeNumber("number of messages", 1);
const text = textUpTo("text", MAX_TEXT);
/** Longer ones name no message (characters). */
const MAX_HASH = 100;
const messageHash = textUpTo("hash of a message", MAX_HASH);
const title = textUpTo("title", MAX_TITLE);
const modelName = textOfForm("name of a model", "Give it as the provider writes it, such as gpt-5-mini.", {
  test: (given) => nameFault(given, MAX_MODEL_NAME) === undefined,
});
const image = textOfForm(
  "image",
  "Give a data URL, such as data:image/png;base64,…",
  /^data:image\/[\w.+-]+;base64,/,
);

/** What a body may give for a setting. */
function schemaOf(kind: SettingKind): z.ZodType {
  switch (kind.is) {
    case "name":
      return modelName;
    case "profile":
      return oneOf("profile", PROFILE_NAMES);
    case "tools":
      return listOf(oneOf("tool of precis", HOSTED_TOOLS), '["recall"]', 0, { most: HOSTED_TOOLS.length });
    default:
      return schemaOfRow(kind);
  }
}

type FieldsOf<T> = { [K in keyof T]: T[K] extends Setting<infer V> ? z.ZodType<V, V> : never };
const fieldsOf = <T extends Record<string, Setting>>(settings: T) =>
  Object.fromEntries(
    Object.entries(settings).map(([name, { kind }]) => [name, schemaOf(kind)]),
  ) as FieldsOf<T>;
const chatFields = fieldsOf(CHAT_SETTINGS);
type Fields = Readonly<Record<string, z.ZodType>>;
const nullable = <F extends Fields>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, type.nullable().optional()])) as {
    [K in keyof F]: z.ZodOptional<z.ZodNullable<F[K]>>;
  };

const chatSettings = object(optional(chatFields));
const chatSettingsChange = object(nullable(chatFields));
const {
  auto: _auto,
  maxTokens: _maxTokens,
  temperature: _temperature,
  summarizer: _summarizer,
  summaryCap: _summaryCap,
  tools: _tools,
  ...policyFields
} = chatFields;
const fileFields = { name: textUpTo("name of a file", MAX_FILE_NAME), text: textUpTo("text") };
const file = object(fileFields);

const policies = listOf(
  object({ name: textUpTo("name", MAX_POLICY_NAME), ...optional(policyFields) }),
  '[{ "name": "small", "window": 32000 }]',
  1,
  { most: MAX_POLICIES, isNeeded: true },
);

export const schemas = {
  settings: object(nullable(fieldsOf(ALL_SETTINGS))),
  newUpstream: object({
    name: textOfForm(
      "name",
      "Give one of letters, digits, dots and dashes, such as openai.",
      /^[\w.-]{1,60}$/,
    ).optional(),
    baseURL: httpAddress,
    apiKey: textUpTo("key", MAX_KEY, 1).optional(),
  }),
  newConversation: object({
    title: title.optional(),
    model: modelName.optional(),
    system: text.optional(),
    settings: chatSettings.optional(),
  }),
  conversationChanges: object({
    title: title.optional(),
    pinned: yesOrNo.optional(),
    archived: yesOrNo.optional(),
    model: modelName.optional(),
    system: text.optional(),
    settings: chatSettingsChange.optional(),
    pins: listOf(messageHash, '["the hash of a message"]', 0, { most: MAX_PINS }).optional(),
  }),
  /** An example that comes with the page is imported once; a conversation that was made of it earlier is answered with. */
  importFile: object({ ...fileFields, isExample: yesOrNo.optional() }),
  fork: object({ length: wholeNumber("number of messages", 0) }),
  branch: object({ message: messageHash }),
  newMessage: object({ role: oneOf("role", ["user", "assistant", "system"]), text }),
  chat: object({
    text,
    images: listOf(image, '["data:image/png;base64,…"]', 0, { most: MAX_IMAGES }).optional(),
    /** For this answer, and from now on. */
    model: modelName.optional(),
    /** Names what is said: with the same id it is never said twice, however often it is sent. */
    id: textUpTo("id", MAX_SAID_ID, 1).optional(),
  }),
  /** What was said there, and what followed it, stays in a branch of its own. `answer`: ask for one at once, which is the default. */
  editMessage: object({ text, answer: yesOrNo.optional() }),
  regenerate: object({ index: position.optional(), model: modelName.optional() }),
  whatIf: object({
    ...optional(policyFields),
    /** Compact even if nothing is due. */
    force: yesOrNo.optional(),
    /** As if the transcript had only so many messages. */
    length: wholeNumber("number of messages", 0).optional(),
  }),
  compact: object({
    focus: textUpTo("focus", MAX_FOCUS).optional(),
    /** Only if a compaction is due, as before an answer, and without a model: for a file that was just opened. */
    whenDue: yesOrNo.optional(),
    /** Hide so many of the first messages, and no others. Like every place here, it doesn't count leading system messages. */
    upTo: end.optional(),
    /** Hide these messages, and no others: `from` ≤ place < `to`. */
    range: object({ from: position, to: end }).optional(),
  }),
  /** `goal`: what a fresh chat is for; without one it is a summary. `withModel`: the summariser writes it, not code. */
  writeText: object({ goal: textUpTo("goal", MAX_FOCUS, 1).optional(), withModel: yesOrNo.optional() }),
  editSummary: object({ text: textUpTo("summary", MAX_TEXT, 1) }),
  replayStream: object({
    file,
    pick: wholeNumber("place in a file", 0).optional(),
    strategy: oneOf("strategy of streams", streamStrategies).optional(),
    window: tokens.optional(),
    tokensPerFrame: wholeNumber("number of tokens", 1, 100_000).optional(),
  }),
  /** Of a conversation, or of a file; `pick` is the place of one in a file that holds several. */
  replay: object({
    conversation: textUpTo("id of a conversation", MAX_TEXT).optional(),
    file: file.optional(),
    pick: wholeNumber("place in a file", 0).optional(),
    policies,
    prices: textUpTo("name of a model", MAX_TEXT).optional(),
    /**
     * Under the conversation's own settings (`policies` then only gives a name), as if precis had been there from the first
     * message on. `view` with `length` and `replayed` shows the views of this replay afterwards.
     */
    asSet: yesOrNo.optional(),
  }),
};

/** As a client writes it: what may be left out is left out, and not undefined. */
type Written<T> = T extends readonly (infer I)[]
  ? readonly Written<I>[]
  : T extends object
    ? { readonly [K in keyof T]: Written<Exclude<T[K], undefined>> }
    : T;

/** The bodies that routes take, by their schemas. */
export type Bodies = { readonly [K in keyof typeof schemas]: Written<z.input<(typeof schemas)[K]>> };
