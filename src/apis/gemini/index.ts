import type { Dialect } from "../../core/types.ts";
import { dialectOf } from "../shared/dialect.ts";
import { legalText } from "../shared/fields.ts";
import { edit } from "./edit.ts";
import { type GeminiContent, type GeminiSystem, ID, read } from "./read.ts";

export type { GeminiContent, GeminiPart, GeminiSystem } from "./read.ts";

/** All that a message may have: the API refuses whatever else it finds. */
const FIELDS: ReadonlySet<string> = new Set(["role", "parts", "content"]);

/** Gemini's `contents`. The system instruction stands apart. */
export const geminiContents: Dialect<GeminiContent, GeminiSystem> = dialectOf({
  id: ID,
  // Signatures are wanted back with the calls of the turn under way; they aren't bound to what stands before them.
  rules: {
    system: "apart",
    firstRole: "user",
    results: "direct",
    reasoning: "open-turn",
    // "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
    alternation: "calls",
  },
  read,
  edit,
  isForInterface: (name) => !FIELDS.has(name),
  write: ({ role, text }): GeminiContent => {
    const parts = [{ text: legalText(text) }];
    if (role === "system") return { role, content: { parts } };
    return { role: role === "assistant" ? "model" : "user", parts };
  },
});
