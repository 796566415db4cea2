/** What some models do differently, by name. What is missing here is learned from the provider's refusal. */

/** Tokens of the answer's cap that a reasoning model may spend before it answers. */
const REASONING_TOKENS = 8_192;
/** Of a small window, reasoning gets no more than this share. */
const REASONING_SHARE = 1 / 8;

/** OpenAI's reasoning models: no temperature, and the answer's cap has another name. */
const OPENAI_REASONING = /^(?:o\d|gpt-[5-9](?!.*chat)|codex-)/;
const CLAUDE_WITHOUT_SAMPLING = /^claude-(?:opus-4-[7-9]|(?:opus|sonnet|haiku|fable|mythos)-[5-9])/;
/** Models whose reasoning counts towards the answer's cap. */
const REASONING = [
  OPENAI_REASONING,
  /^gpt-oss/,
  /^gemini-(?:2\.5|[3-9])/,
  /^deepseek-(?:r1|reasoner|v[4-9])/,
  /^qw(?:en3|en-?3|q)/,
  /^grok-(?:3-mini|[4-9])/,
  /^glm-(?:4\.[5-9]|[5-9])/,
  /^kimi-(?:k2.*thinking|k[3-9])/,
  /^magistral/,
  /^minimax-m/,
  // They may think without being asked to.
  /^claude-(?:fable|mythos|(?:opus|sonnet|haiku)-[5-9])/,
];

/** The name without its provider (`openai/…`, `us.anthropic.…`) and in lower case. */
function bare(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/^(?:[a-z-]+\.)*anthropic\./, "");
}

/** True for models that answer 400 to a temperature. */
export function refusesTemperature(model: string): boolean {
  const name = bare(model);
  return OPENAI_REASONING.test(name) || CLAUDE_WITHOUT_SAMPLING.test(name);
}

/** True for models that know only `max_completion_tokens`. */
export const wantsCompletionTokens = (model: string): boolean => OPENAI_REASONING.test(bare(model));

/** What is added to an answer's cap so that a model that thinks first still has room to answer. */
export function reasoningAllowance(model: string, window: number): number {
  const name = bare(model);
  return REASONING.some((pattern) => pattern.test(name)) ? allowance(window) : 0;
}

/** The same for a request that asks for thinking, whatever the model's name. */
export const allowance = (window: number): number =>
  Math.min(REASONING_TOKENS, Math.floor(window * REASONING_SHARE));
