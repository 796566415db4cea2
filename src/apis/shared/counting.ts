/** Where a provider counts a request: behind the path that answers it, by the fields that it takes there. */
export interface CountingEndpoint {
  readonly path: string;
  readonly fields: readonly string[];
}

/** Anthropic's `count_tokens`. */
export const MESSAGES_COUNTING: CountingEndpoint = {
  path: "/count_tokens",
  fields: ["model", "messages", "system", "tools", "tool_choice", "thinking"],
};

/** OpenAI's `input_tokens`. */
export const RESPONSES_COUNTING: CountingEndpoint = {
  path: "/input_tokens",
  fields: ["model", "input", "instructions", "tools", "tool_choice", "reasoning", "text"],
};

/** The request by which an endpoint counts another one. */
export function countingBody(
  { fields }: CountingEndpoint,
  body: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => fields.includes(name)));
}
