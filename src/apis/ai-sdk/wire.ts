/** A part of a message's content. Fields that precis doesn't read pass through. */
export interface ModelPart {
  readonly type?: string;
  readonly text?: unknown;
  readonly image?: unknown;
  readonly data?: unknown;
  readonly filename?: unknown;
  readonly mediaType?: unknown;
  readonly toolCallId?: unknown;
  readonly toolName?: unknown;
  readonly input?: unknown;
  readonly output?: unknown;
  /** What version 4 called `input`. */
  readonly args?: unknown;
  /** What version 4 called `output`: a plain value. */
  readonly result?: unknown;
  readonly providerExecuted?: unknown;
  readonly providerOptions?: unknown;
}

/**
 * A `ModelMessage` of the AI SDK (version 5 and later, and what version 4 called `CoreMessage`), or its `system` as `{ role: "system", content }`, where the
 * content may also be one system message or several. Permissive on purpose: the official type is assignable to it.
 */
export interface AiSdkMessage {
  readonly role: string;
  readonly content: unknown;
  readonly providerOptions?: unknown;
  readonly precis?: unknown;
}

export function isReasoningPart(part: { readonly type?: unknown }): boolean {
  return part.type === "reasoning" || part.type === "reasoning-file";
}

/** The `system` (or `instructions`) of a call. */
export type AiSdkSystem =
  | string
  | { role: "system"; content: string }
  | { role: "system"; content: string }[];
