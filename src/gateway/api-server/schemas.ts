import { z } from "zod";
import { streamStrategies } from "../../stream/strategies/index.ts";

/** What bodies of `/api` must look like. Types stand in `../api/`; these check them at run time. */

const profile = z.enum(["agent", "desktop", "editor", "rag", "stream"]);
const strategy = z.enum([
  "none",
  "truncate-oldest",
  "drop-middle",
  "drop-all",
  "summarize-oldest",
  "summarize-and-drop",
  "tool-summaries",
]);
const tokens = z.number().int().min(100).max(100_000_000);
/** Longest text of one message or summary (characters). */
const MAX_TEXT = 10_000_000;
const text = z.string().max(MAX_TEXT);
const title = z.string().max(500);
const model = z.string().min(1).max(300);

const chatFields = {
  model,
  profile,
  strategy,
  window: tokens,
  budget: tokens,
  startAt: z.number().positive(),
  landAt: z.number().positive(),
  reserve: z.number().positive(),
  placement: z.enum(["user", "system", "merged"]),
  auto: z.boolean(),
  maxTokens: z.number().int().positive(),
  temperature: z.number().min(0).max(2),
  tail: z.number().positive().max(1),
  summarizer: model,
  summaryCap: tokens,
};
type Fields = Readonly<Record<string, z.ZodType>>;
const optional = <F extends Fields>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, type.optional()])) as {
    [K in keyof F]: z.ZodOptional<F[K]>;
  };
const nullable = <F extends Fields>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, type.nullable().optional()])) as {
    [K in keyof F]: z.ZodOptional<z.ZodNullable<F[K]>>;
  };

const chatSettings = z.strictObject(optional(chatFields));
const chatSettingsChange = z.strictObject(nullable(chatFields));
const {
  auto: _auto,
  maxTokens: _maxTokens,
  temperature: _temperature,
  summarizer: _summarizer,
  summaryCap: _summaryCap,
  ...policyFields
} = chatFields;
const file = z.strictObject({ name: z.string().max(1_000), text: z.string() });

export const schemas = {
  settings: z.strictObject(
    nullable({ ...chatFields, showMeter: z.boolean(), theme: z.enum(["system", "light", "dark"]) }),
  ),
  newConversation: z.strictObject({
    title: title.optional(),
    model: model.optional(),
    system: text.optional(),
    settings: chatSettings.optional(),
  }),
  conversationChanges: z.strictObject({
    title: title.optional(),
    pinned: z.boolean().optional(),
    archived: z.boolean().optional(),
    model: model.optional(),
    system: text.optional(),
    settings: chatSettingsChange.optional(),
    pins: z.array(z.number().int().min(0)).max(10_000).optional(),
  }),
  file,
  fork: z.strictObject({ length: z.number().int().min(0) }),
  newMessage: z.strictObject({ role: z.enum(["user", "assistant", "system"]), text }),
  chat: z.strictObject({
    text,
    images: z
      .array(z.string().regex(/^data:image\/[\w.+-]+;base64,/))
      .max(20)
      .optional(),
    model: model.optional(),
  }),
  editMessage: z.strictObject({ text, answer: z.boolean().optional() }),
  regenerate: z.strictObject({ index: z.number().int().min(0).optional(), model: model.optional() }),
  whatIf: z.strictObject({
    ...optional(policyFields),
    force: z.boolean().optional(),
    length: z.number().int().min(0).optional(),
  }),
  compact: z.strictObject({ focus: z.string().max(2_000).optional(), whenDue: z.boolean().optional() }),
  editSummary: z.strictObject({ text: text.min(1) }),
  replayStream: z.strictObject({
    file,
    pick: z.number().int().min(0).optional(),
    strategy: z.enum(streamStrategies).optional(),
    window: tokens.optional(),
    tokensPerFrame: z.number().int().min(1).max(100_000).optional(),
  }),
  replay: z.strictObject({
    conversation: z.string().optional(),
    file: file.optional(),
    pick: z.number().int().min(0).optional(),
    policies: z
      .array(z.strictObject({ name: z.string().max(200), ...optional(policyFields) }))
      .min(1)
      .max(8),
    prices: z.string().optional(),
    asItWas: z.boolean().optional(),
  }),
};
