import type { FakeMessage } from "./types.ts";

/** One piece of a prompt, in the order in which the model reads it. */
export interface PromptPiece {
  readonly role: FakeMessage["role"] | "tools" | "settings";
  /** What the cache compares. */
  readonly text: string;
  readonly tokens: number;
  /** A cache breakpoint stands behind it. */
  readonly breakpoint?: "5m" | "1h";
}

/** A request as the model reads it. */
export interface Prompt {
  readonly pieces: readonly PromptPiece[];
  readonly messages: readonly FakeMessage[];
  readonly tools: readonly string[];
}

/** What a message costs beside its content. */
const MESSAGE_TOKENS = 4;
/** What a picture costs: its base64 isn't read as text. */
const IMAGE_TOKENS = 1_000;

/** Collects the pieces of a prompt and counts them. */
export class PromptBuilder {
  readonly pieces: PromptPiece[] = [];
  readonly messages: FakeMessage[] = [];
  readonly #count: (text: string) => number;

  constructor(count: (text: string) => number) {
    this.#count = count;
  }

  /** Something that is compared, and counted by its JSON. */
  json(role: PromptPiece["role"], value: unknown, breakpoint?: "5m" | "1h"): void {
    const text = JSON.stringify(value) ?? "";
    this.#push(role, text, this.#count(text), breakpoint);
  }

  /** Something that is compared and costs nothing. */
  free(role: PromptPiece["role"], value: unknown): void {
    this.#push(role, JSON.stringify(value) ?? "", 0);
  }

  /** One part of a message. `read` is what it says, for authors of replies. */
  part(
    role: FakeMessage["role"],
    fields: { wire: unknown; read: string; image?: boolean; first: boolean; breakpoint?: "5m" | "1h" },
  ): void {
    const own = fields.image ? IMAGE_TOKENS : this.#count(fields.read);
    this.#push(
      role,
      JSON.stringify([role, fields.wire]),
      own + (fields.first ? MESSAGE_TOKENS : 0),
      fields.breakpoint,
    );
  }

  /** The whole message in words. */
  message(role: FakeMessage["role"], text: string): void {
    this.messages.push({ role, text });
  }

  #push(role: PromptPiece["role"], text: string, tokens: number, breakpoint?: "5m" | "1h"): void {
    this.pieces.push({ role, text, tokens, ...(breakpoint === undefined ? {} : { breakpoint }) });
  }
}

export const inputTokens = (pieces: readonly PromptPiece[]): number =>
  pieces.reduce((sum, piece) => sum + piece.tokens, 0);

export const lastUserText = (messages: readonly FakeMessage[]): string =>
  messages.findLast((message) => message.role === "user")?.text ?? "";
