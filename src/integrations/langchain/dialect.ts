import { withMarker } from "../../apis/shared/dialect.ts";
import { editCursor, editParts } from "../../apis/shared/edit.ts";
import { EMPTY_TEXT, legalText, PARAGRAPH, toArgsObject, toJson } from "../../apis/shared/fields.ts";
import { isSignature } from "../../apis/shared/reasoning.ts";
import { TranscriptError } from "../../core/errors.ts";
import type { Dialect, Edit, InsertMessage, Message, Part, Role } from "../../core/types.ts";

const ID = "langchain";

const ROLES: Readonly<Record<string, Role>> = {
  human: "user",
  user: "user",
  ai: "assistant",
  assistant: "assistant",
  system: "system",
  developer: "system",
  tool: "tool",
  function: "tool",
};

/** The messages of LangChain. New messages are made by the classes of those that are there. */
export const langchainMessages: Dialect<LangChainMessage> = {
  id: ID,
  rules: {
    system: "apart",
    laterSystem: "anywhere",
    firstRole: "any",
    results: "direct",
    boundReasoning: true,
  },
  read,
  edit,
  // A plain message: the middleware makes one of LangChain's class of it.
  write: ({ role, text }: InsertMessage) => ({ role, content: legalText(text) }) as LangChainMessage,
};

function read(message: LangChainMessage): Message {
  const fields = message as Fields;
  const role = roleOf(fields);
  const { content } = fields;
  if (typeof content !== "string" && !Array.isArray(content))
    throw malformed("a string or a list as `content`");
  const marker = fields.additional_kwargs?.["precis"];
  const parts = role === "tool" ? [resultOf(fields)] : piecesOf(fields).map(partOf);
  return withMarker({ role, parts }, marker);
}

function roleOf(fields: Fields): Role {
  const name = fields.getType?.() ?? fields.role ?? fields.type;
  const role = typeof name === "string" ? ROLES[name] : undefined;
  if (role) return role;
  throw malformed(`a message whose type is one of ${Object.keys(ROLES).join(", ")}`);
}

function malformed(expected: string): TranscriptError {
  return new TranscriptError({
    message: `${ID}: expected ${expected}.`,
    fix: "Hand in the messages of LangChain as they are (`BaseMessage`).",
  });
}

function resultOf(fields: Fields): Part {
  const { tool_call_id, name, status, content } = fields;
  const blocks: readonly Block[] = Array.isArray(content) ? content : [];
  const text =
    typeof content === "string"
      ? content
      : blocks.map((block) => (typeof block.text === "string" ? block.text : toJson(block))).join("\n");
  return {
    type: "tool-result",
    id: String(tool_call_id ?? ""),
    ...(typeof name === "string" && { name }),
    text,
    ...(status === "error" && { error: true }),
  };
}

function partOf(piece: Piece): Part {
  if (piece.kind === "call") {
    const { id = "", name, args } = piece.call;
    return { type: "tool-call", id, name, args: typeof args === "string" ? args : toJson(args ?? {}) };
  }
  const { block } = piece;
  if (isReasoning(block)) {
    const text = block["thinking"] ?? block["reasoning"] ?? block.text ?? "";
    const signature = block["signature"] ?? block["data"];
    return { type: "reasoning", text: String(text), signed: isSignature(signature) };
  }
  if (typeof block.text === "string" && (block.type === "text" || block.type === undefined))
    return { type: "text", text: block.text };
  const image = imageOf(block);
  return image === undefined
    ? { type: "other", kind: String(block.type), json: toJson(block) }
    : { type: "image", source: image };
}

/** Where a picture is, in OpenAI's, Anthropic's and LangChain's own shapes. */
function imageOf(block: Block): string | undefined {
  if (block.type !== "image_url" && block.type !== "image") return undefined;
  const { image_url: url, source } = block;
  const place = typeof url === "object" && url !== null ? (url as Block)["url"] : url;
  const inner = typeof source === "object" && source !== null ? (source as Block) : block;
  const found = place ?? inner["url"] ?? inner["data"];
  return typeof found === "string" ? found : toJson(block);
}

function edit(message: LangChainMessage, edits: readonly Edit[]): LangChainMessage {
  const cursor = editCursor(ID, edits);
  const fields = message as Fields;
  if (roleOf(fields) === "tool") {
    const text = [cursor.next() ?? (resultOf(fields) as { text: string }).text, ...cursor.append];
    cursor.done();
    return withFields(fields, { content: legalText(text.join(PARAGRAPH)) });
  }
  const pieces = piecesOf(fields);
  const next = editParts(pieces, cursor, {
    isReasoning: (piece) => piece.kind === "block" && isReasoning(piece.block),
    replace: replacePiece,
  });
  cursor.done();
  const appended = cursor.append.map((text): Piece => textPiece(text));
  if (next === pieces && appended.length === 0) return message;
  return withFields(fields, rebuilt(fields, [...next, ...appended]));
}

const textPiece = (text: string): Piece => ({
  kind: "block",
  block: { type: "text", text: legalText(text) },
});

function replacePiece(piece: Piece, text: string): Piece {
  if (piece.kind === "call") return { kind: "call", call: { ...piece.call, args: toArgsObject(text) } };
  if (piece.block.type === "text") return { kind: "block", block: { ...piece.block, text: legalText(text) } };
  return textPiece(text);
}

/** Content and calls of the pieces, in the shape that was there. */
function rebuilt({ content, tool_calls }: Fields, pieces: readonly Piece[]): Partial<Fields> {
  const calls = pieces.flatMap((piece): Call[] => (piece.kind === "call" ? [piece.call] : []));
  const blocks = pieces.flatMap((piece): Block[] => (piece.kind === "block" ? [piece.block] : []));
  const own: readonly Block[] = Array.isArray(content) ? content : [];
  const text = blocks.map((block) => String(block.text ?? "")).join(PARAGRAPH);
  const isEmpty = blocks.length === 0 && calls.length === 0;
  return {
    content:
      typeof content === "string"
        ? isEmpty
          ? EMPTY_TEXT
          : text
        : [
            ...(isEmpty ? [{ type: "text", text: EMPTY_TEXT }] : blocks),
            ...withCalls(own.filter(isCallBlock), calls),
          ],
    ...(tool_calls && { tool_calls: calls }),
  };
}

/** The same message with other fields: of the same class, with all else that it has. */
function withFields(message: Fields, fields: Partial<Fields>): LangChainMessage {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(message)), message, fields) as Fields & {
    lc_kwargs?: object;
  };
  // What LangChain writes down of a message are the arguments of its class.
  if (copy.lc_kwargs) copy.lc_kwargs = { ...copy.lc_kwargs, ...fields };
  return copy;
}

/** A block of a message's content. */
interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly id?: unknown;
  readonly [name: string]: unknown;
}

/** A call of a tool, as `AIMessage` holds it. */
interface Call {
  readonly id?: string | undefined;
  readonly name: string;
  readonly args: unknown;
}

/** A `BaseMessage` of LangChain, as far as it is read; or a system prompt as `{ role: "system", content }`. */
export interface LangChainMessage {
  readonly content: unknown;
}

/** What the kinds of messages have beside their content. */
interface Fields extends LangChainMessage {
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

function isReasoning({ type }: Block): boolean {
  return REASONING.has(type);
}

/** A message piece by piece, in the order of its parts: blocks of its content, then the calls that no block speaks of. */
type Piece =
  | { readonly kind: "block"; readonly block: Block }
  | { readonly kind: "call"; readonly call: Call };

/** Blocks that only repeat `tool_calls` in a provider's own shape are left out: the calls stand for them. */
function piecesOf({ content, tool_calls = [] }: Fields): Piece[] {
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
function withCalls(content: readonly Block[], calls: readonly Call[]): Block[] {
  return content.map((block) => {
    const call = CALLS.has(block.type) ? calls.find(({ id }) => id === block.id) : undefined;
    return call && "input" in block ? { ...block, input: call.args } : block;
  });
}

function isCallBlock({ type }: Block): boolean {
  return CALLS.has(type);
}
