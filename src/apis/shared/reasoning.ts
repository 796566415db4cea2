import type { Dialect, ReasoningRule } from "../../core/types.ts";

/** What the provider of a family of models demands of reasoning that it is sent back. */
interface Family {
  /** Matches names in lower case, with or without the provider's name before it. */
  readonly names: RegExp;
  readonly reasoning: ReasoningRule;
  /** Is signed reasoning valid only behind the prefix that it was made with? Left out: as the format has it. */
  readonly bound?: boolean;
}

/**
 * What may leave, and when, by family; the first that matches counts. A family that isn't here keeps its reasoning with
 * its calls.
 *
 * | family | its provider, in a turn with calls |
 * | --- | --- |
 * | Claude up to 5.0 | with a budget for thinking: 400 for a tool loop under way that doesn't begin with a thought; adaptive: refuses nothing |
 * | Claude from 5.1 on | 400 for thoughts behind another prefix than they were made with; it only thinks adaptively |
 * | gpt-oss | its template reads the reasoning of the turn under way only |
 * | OpenAI | keeps reasoning to itself, or takes items without it as new ones |
 * | Gemini | 400 "missing a `thought_signature`" for calls of the turn under way (`extra_content`, `reasoning_details`) |
 * | Qwen | its template reads the reasoning of the turn under way only |
 * | DeepSeek | 400 "`reasoning_content` in the thinking mode must be passed back", also for earlier turns, on both of its APIs |
 * | Kimi | 400 "`reasoning_content` is missing in assistant tool call message", also for earlier turns, on both of its APIs |
 * | GLM, MiniMax, MiMo | refuse nothing, but ask for all of it unchanged and get worse without it |
 */
const FAMILIES: readonly Family[] = [
  { names: /deepseek/, reasoning: "with-calls", bound: false },
  { names: /kimi|moonshot/, reasoning: "with-calls", bound: false },
  { names: /\bglm|zhipu|chatglm/, reasoning: "with-calls", bound: false },
  { names: /minimax|\babab/, reasoning: "with-calls", bound: false },
  { names: /\bmimo/, reasoning: "with-calls", bound: false },
  { names: /gpt-oss/, reasoning: "open-turn", bound: false },
  { names: /qwen|\bqwq|\bqvq/, reasoning: "open-turn", bound: false },
  { names: /gemini|gemma/, reasoning: "open-turn", bound: false },
  {
    names:
      /claude-(?:[234]|instant|(?:opus|sonnet|haiku)-[34]|mythos-preview|(?:opus|sonnet|haiku|fable|mythos)-5(?![-.]\d\d?(?!\d)))/,
    reasoning: "open-loop",
    bound: false,
  },
  { names: /claude|anthropic/, reasoning: "open-turn", bound: true },
  { names: /(?:^|[/.:])(?:gpt-|chatgpt|codex|o[1-9](?:-|$))/, reasoning: "free" },
];

/** Longer names are looked at up to here (characters): a client can send any text as a model. */
const MAX_NAME = 200;

/** What a model's provider demands of reasoning; undefined for a family that isn't known. */
export const reasoningOf: NonNullable<Dialect["reasoningOf"]> = (model) => {
  const name = model.slice(0, MAX_NAME).toLowerCase();
  const family = FAMILIES.find(({ names }) => names.test(name));
  if (family === undefined) return undefined;
  const { reasoning, bound } = family;
  return { reasoning, ...(bound !== undefined && { boundReasoning: bound }) };
};

/**
 * Ids and digests that providers other than Anthropic put where it has a signature (DeepSeek a UUID, MiniMax a digest).
 * They sign nothing: what they stand on may be kept behind any prefix.
 */
const NO_SIGNATURE = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{32,128})$/i;

/** Is this what binds reasoning to the prefix that it was made with? */
export function isSignature(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !NO_SIGNATURE.test(value);
}

/**
 * Share of encrypted reasoning that stands for it when tokens are counted: base64 splits into about four times as many
 * tokens as the reasoning that it hides (three bytes in four characters, and a token per 1.4 instead of per 4).
 */
const SHARE = 1 / 4;

/** The text of reasoning that only the provider can read. It is never shown, only counted and hashed. */
export function opaqueReasoning(data: string): string {
  return data.slice(0, Math.ceil(data.length * SHARE));
}
