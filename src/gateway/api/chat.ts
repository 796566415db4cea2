import type { Outcome, Usage } from "../../core/types.ts";
import type { ApiConversation, ApiMessage, ApiPressure, Lookup } from "./conversation.ts";
import type { ApiError } from "./route.ts";
import type { Bodies } from "./schemas.ts";

/** What a person says. */
export type ChatInput = Bodies["chat"];

/**
 * The stream of one answer. `accepted` comes first and means that the user's message is stored; `done`, `stopped`,
 * `failed` or `known` comes last. Every event has an id; the live stream at `/api/events` tells the same story to other pages.
 */
export type ChatEvent =
  | { readonly type: "accepted"; readonly conversation: ApiConversation; readonly message?: ApiMessage }
  /** What precis did to the request. */
  | {
      readonly type: "view";
      readonly outcome: Outcome;
      readonly tokens: { readonly before: number; readonly after: number };
      readonly pressure: number;
    }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** The model looked something up, and goes on. `lead`: leading system messages, as in `ApiMessages`. */
  | { readonly type: "lookup"; readonly lookup: Lookup; readonly lead: number }
  | {
      readonly type: "done";
      readonly message: ApiMessage;
      readonly usage: Usage | undefined;
      readonly pressure: ApiPressure;
    }
  /** A person stopped it; what had come is kept if there was any. */
  | { readonly type: "stopped"; readonly message: ApiMessage | undefined }
  | { readonly type: "failed"; readonly error: ApiError["error"] }
  /** It was said before, and has its answer. */
  | { readonly type: "known" };

/** A text that goes along with a message: a file, or a long paste. */
export interface Attachment {
  readonly name: string;
  readonly text: string;
}

const CLOSES = "\n</attachment>";
const OPENS = /(?:^|\n\n)<attachment name="([^"\n]*)">\n/;
const BETWEEN = /\n<\/attachment>\n\n<attachment name="([^"\n]*)">\n/;

/** What a person says with what is attached to it: to a model both are one text. */
export function withAttachments(words: string, attachments: readonly Attachment[]): string {
  const attached = attachments.map(
    ({ name, text }) => `<attachment name="${name.replace(/["<>\n]/g, "'")}">\n${text}${CLOSES}`,
  );
  return [words, ...attached].filter((piece) => piece !== "").join("\n\n");
}

/** A message's words, and what is attached to them. */
export function splitAttachments(message: string): {
  readonly words: string;
  readonly attachments: readonly Attachment[];
} {
  const first = OPENS.exec(message);
  if (!first || !message.endsWith(CLOSES)) return { words: message, attachments: [] };
  const rest = message.slice(first.index + first[0].length, -CLOSES.length);
  // A name, a text, a name, a text.
  const pieces = [first[1]!, ...rest.split(BETWEEN)];
  return {
    words: message.slice(0, first.index),
    attachments: pieces.flatMap((name, n) => (n % 2 === 0 ? [{ name, text: pieces[n + 1] ?? "" }] : [])),
  };
}
