/** Who speaks, whatever the wire format calls it (`developer` is `system`, `toolResult` is `tool`). */
export type Role = "system" | "user" | "assistant" | "tool";

/** Plain text. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** A picture. It costs by the provider's formula, never by the length of its base64. */
export interface ImagePart {
  readonly type: "image";
  /** Pixels, when the wire format or the image's own header tells. */
  readonly width?: number;
  readonly height?: number;
  /** OpenAI's `detail`. */
  readonly detail?: "low" | "high" | "auto" | "original";
  /** Stands for the picture's content in the chain hash: a URL, a file id, or the base64 text itself. */
  readonly source: string;
}

/** A document, a sound or any other attachment. */
export interface FilePart {
  readonly type: "file";
  readonly name?: string;
  readonly mediaType?: string;
  /** Size of the decoded content, when known. */
  readonly bytes?: number;
  /** The content, when it is text that the model reads as text. */
  readonly text?: string;
  readonly source: string;
}

/** Frames of a video stream, counted by `tokensPerFrame`. */
export interface FramePart {
  readonly type: "frame";
  readonly count: number;
  readonly source: string;
}

/** The model's reasoning. Signed reasoning is bound to the prefix that it was made with. */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly signed: boolean;
}

/** A call of a tool by the model. */
export interface ToolCallPart {
  readonly type: "tool-call";
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON text (or as free text for tools that take text). */
  readonly args: string;
  /**
   * The arguments as they come back from clients that know no numbers but doubles; only where that isn't the same, and the
   * wire carries them as values.
   */
  readonly asDoubles?: string;
  /** Run by the provider: may stand in one message with its result, and can't be edited. */
  readonly locked?: true;
}

/** What a tool answered. */
export interface ToolResultPart {
  readonly type: "tool-result";
  /** The id of the call that this answers. */
  readonly id: string;
  /** The wire names no call (`id` is empty): this answers the oldest open one, and stands by itself if there is none. */
  readonly byOrder?: true;
  /** Ids are optional in its format: where no open call has this one, it answers the next open call of its name. */
  readonly byName?: true;
  readonly name?: string;
  readonly text: string;
  readonly error?: boolean;
  /** Pictures and files inside the result. */
  readonly media?: readonly (ImagePart | FilePart)[];
  readonly locked?: true;
}

/** Something this version doesn't know. It passes through untouched and is counted by its JSON. */
export interface OtherPart {
  readonly type: "other";
  readonly kind: string;
  readonly json: string;
  /** All that clients send back of it, where they got more than that. */
  readonly comesBackAs?: string;
}

/** One part of a message. */
export type Part =
  | TextPart
  | ImagePart
  | FilePart
  | FramePart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | OtherPart;

/**
 * A wire message as the engine reads it. Reading never changes the wire message, and what leaves unchanged leaves as
 * the same object, so this form may be lossy; `edit` always works on the wire message itself.
 */
export interface Message {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** Id of an answered call to whose round the message belongs too: what was run once the call was approved. */
  readonly follows?: string;
  /** The wire message carries precis's pin marker (`precis: { pin: true }`). */
  readonly pinned?: boolean;
  /** The wire message carries precis's knowledge marker (`precis: { knowledge: true }`). */
  readonly knowledge?: boolean;
}
