/** A block of a message's content. */
export interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly id?: unknown;
  readonly [name: string]: unknown;
}

/** A call of a tool, as `AIMessage` holds it. */
export interface Call {
  readonly id?: string | undefined;
  readonly name: string;
  readonly args: unknown;
}

/** A `BaseMessage` of LangChain, as far as it is read; or a system prompt as `{ role: "system", content }`. */
export interface LangChainMessage {
  readonly content: unknown;
}

/** What the kinds of messages have beside their content. */
export interface Fields extends LangChainMessage {
  readonly role?: unknown;
  readonly type?: unknown;
  readonly tool_calls?: readonly Call[];
  readonly tool_call_id?: unknown;
  readonly name?: unknown;
  readonly status?: unknown;
  readonly additional_kwargs?: Readonly<Record<string, unknown>>;
  getType?(): string;
}

const REASONING: ReadonlySet<unknown> = new Set([
  "thinking",
  "redacted_thinking",
  "reasoning",
  "reasoning_content",
]);
const CALLS: ReadonlySet<unknown> = new Set(["tool_use", "tool_call", "tool_call_chunk", "input_json_delta"]);

export function isReasoning({ type }: Block): boolean {
  return REASONING.has(type);
}

/** A message piece by piece, in the order of its parts: blocks of its content, then the calls that no block speaks of. */
export type Piece =
  | { readonly kind: "block"; readonly block: Block }
  | { readonly kind: "call"; readonly call: Call };

/** Blocks that only repeat `tool_calls` in a provider's own shape are left out: the calls stand for them. */
export function piecesOf({ content, tool_calls = [] }: Fields): Piece[] {
  const blocks: readonly Block[] =
    typeof content === "string"
      ? content === ""
        ? []
        : [{ type: "text", text: content }]
      : Array.isArray(content)
        ? content
        : [];
  return [
    ...blocks.filter(({ type }) => !CALLS.has(type)).map((block) => ({ kind: "block" as const, block })),
    ...tool_calls.map((call) => ({ kind: "call" as const, call })),
  ];
}

/** The blocks of calls with what the calls say now. */
export function withCalls(content: readonly Block[], calls: readonly Call[]): Block[] {
  return content.map((block) => {
    const call = CALLS.has(block.type) ? calls.find(({ id }) => id === block.id) : undefined;
    return call && "input" in block ? { ...block, input: call.args } : block;
  });
}

export function isCallBlock({ type }: Block): boolean {
  return CALLS.has(type);
}
