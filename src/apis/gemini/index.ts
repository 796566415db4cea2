import type { Dialect, InsertMessage } from "../../core/types.ts";
import { withFieldEdit } from "../shared/edit.ts";
import { legalText } from "../shared/legal-text.ts";
import { withoutMarker } from "../shared/reading.ts";
import { reasoningOf } from "../shared/reasoning.ts";
import { edit } from "./edit.ts";
import { ID, read } from "./read.ts";
import type { GeminiContent, GeminiSystem } from "./wire.ts";

export type { GeminiContent, GeminiPart, GeminiSystem } from "./wire.ts";

/** All that a message may have: the API refuses whatever else it finds. */
const FIELDS: ReadonlySet<string> = new Set(["role", "parts", "content"]);

/** Gemini's `contents`. The system instruction stands apart. */
export const geminiContents: Dialect<GeminiContent, GeminiSystem> = {
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
  reasoningOf,
  read,
  edit: withFieldEdit(edit, (name) => !FIELDS.has(name)),
  unmarked: withoutMarker,
  write: ({ role, text }: InsertMessage): GeminiContent => {
    const parts = [{ text: legalText(text) }];
    if (role === "system") return { role, content: { parts } };
    return { role: role === "assistant" ? "model" : "user", parts };
  },
};
