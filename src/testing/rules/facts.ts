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
  /** A call's arguments, or what a result says. */
  readonly text: string;
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
  /** The texts of the message itself, empty ones too: no names, no arguments, no results. */
  readonly own: readonly string[];
  /** What a person wrote: text of a user message that is no tool result. */
  readonly words: readonly string[];
  /** Pictures, files and parts of unknown kind, outside tool results. */
  readonly media: number;
  readonly reasoning: number;
  /** What of its reasoning the provider wants back as it was. */
  readonly thoughts: readonly string[];
  /** Pictures, those of tool results too. */
  readonly images: number;
  /** Types of the parts, in order. */
  readonly kinds: readonly string[];
  /** A tool result stands after a text of the same message (refused by Anthropic). */
  readonly textBeforeResult: boolean;
  /** The first call carries what its provider wants back with it (Gemini). */
  readonly callSigned: boolean;
  /** Arguments of calls where the format wants JSON text. */
  readonly jsonArgs: readonly string[];
}

const PICTURES: ReadonlySet<unknown> = new Set(["image", "image_url", "input_image"]);

/** Collects the facts of one message; `done` freezes them. */
export class FactsBuilder {
  readonly calls: WireLink[] = [];
  readonly results: WireLink[] = [];
  readonly texts: string[] = [];
  readonly own: string[] = [];
  readonly thoughts: string[] = [];
  readonly kinds: string[] = [];
  readonly words: string[] = [];
  readonly jsonArgs: string[] = [];
  media = 0;
  images = 0;
  reasoning = 0;
  textBeforeResult = false;
  callSigned = false;

  /** A text of the message itself. */
  say(text: string, words = false): void {
    this.own.push(text);
    this.read(text, words);
  }

  /** A content that is a text, or a list of parts. */
  content(content: unknown, role: WireFacts["role"], add: (part: Json) => void): void {
    if (typeof content === "string" && content !== "") {
      this.kinds.push("text");
      this.say(content, role === "user");
    }
    for (const part of objects(content)) {
      this.kinds.push(str(part["type"]));
      add(part);
    }
  }

  /** A picture, a file or a part of a kind that isn't known. */
  other(part: Json): void {
    this.media++;
    this.picture(part);
  }

  call(link: Omit<WireLink, "text"> & { readonly name: string }, args: string): void {
    this.calls.push({ ...link, text: args });
    this.read(link.name);
    this.read(args);
  }

  /** A result that is a text, or a list of parts with texts. */
  result(link: Omit<WireLink, "text">, output: unknown): void {
    const texts = typeof output === "string" ? [output] : objects(output).map((part) => str(part["text"]));
    for (const part of objects(output)) this.picture(part);
    this.results.push({ ...link, text: texts.join("") });
    for (const text of texts) this.read(text);
  }

  thought(...sealed: readonly unknown[]): void {
    this.reasoning++;
    this.thoughts.push(sealed.map(str).join(" "));
  }

  picture(part: Json): void {
    if (PICTURES.has(part["type"]) || part["inlineData"] !== undefined) this.images++;
  }

  private read(text: string, words = false): void {
    if (text === "") return;
    this.texts.push(text);
    if (words) this.words.push(text);
  }

  done(role: WireFacts["role"]): WireFacts {
    return { role, ...this };
  }
}
