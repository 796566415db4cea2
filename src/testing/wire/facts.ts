import { type Json, objects, str } from "../json.ts";

/**
 * What a provider sees when it looks at one wire message. Written from the wire formats alone: nothing here shares
 * code with `src/apis` or `src/core`, so that a misreading there can't hide itself.
 */

/** A call or a result inside a wire message. */
export interface WireLink {
  /** Keeps namespaces apart: a `custom_tool_call` isn't answered by a `function_call_output`. */
  readonly kind: string;
  readonly id: string;
  readonly name?: string;
}

/** One wire message as its provider judges it. */
export interface WireFacts {
  readonly role: "system" | "user" | "assistant" | "tool";
  /** Calls that need an answer in a later message. */
  readonly calls: readonly WireLink[];
  /** Answers to calls of an earlier message. */
  readonly results: readonly WireLink[];
  /** Every text that the model reads: text, arguments, results. Reasoning is left out. */
  readonly texts: readonly string[];
  /** What a person wrote: text of a user message that is no tool result. */
  readonly words: readonly string[];
  /** Pictures, files and parts of unknown kind, outside tool results. */
  readonly media: number;
  readonly reasoning: number;
  /** A tool result stands after a text of the same message (refused by Anthropic). */
  readonly textBeforeResult: boolean;
  /** The first call carries what its provider wants back with it (Gemini). */
  readonly callSigned: boolean;
  /** Arguments of calls where the format wants JSON text. */
  readonly jsonArgs: readonly string[];
}

/** Collects the facts of one message; `done` freezes them. */
export class FactsBuilder {
  readonly calls: WireLink[] = [];
  readonly results: WireLink[] = [];
  readonly texts: string[] = [];
  readonly words: string[] = [];
  readonly jsonArgs: string[] = [];
  media = 0;
  reasoning = 0;
  textBeforeResult = false;
  callSigned = false;

  text(text: string, words = false): void {
    if (text === "") return;
    this.texts.push(text);
    if (words) this.words.push(text);
  }

  /** A content that is a text, or a list of parts. */
  content(content: unknown, role: WireFacts["role"], add: (part: Json) => void): void {
    if (typeof content === "string") this.text(content, role === "user");
    for (const part of objects(content)) add(part);
  }

  call(link: WireLink & { readonly name: string }, args: string): void {
    this.calls.push(link);
    this.text(link.name);
    this.text(args);
  }

  /** A result that is a text, or a list of parts with texts. */
  result(link: WireLink, output: unknown): void {
    this.results.push(link);
    this.content(output, "tool", (part) => this.text(str(part["text"])));
  }

  done(role: WireFacts["role"]): WireFacts {
    return { role, ...this };
  }
}
