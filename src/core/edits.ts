import { onceFor } from "./collections.ts";
import type { Edit, Message, Part } from "./types.ts";

/** Why a part of a message was changed, in words for people. Whoever needs the reasons or the words takes them from here. */
export const EDIT_REASONS = {
  "old-image": "old image left out",
  "old-reasoning": "old reasoning left out",
  "signed-reasoning": "reasoning left out, signed for the earlier prompt",
  "superseded-result": "the same was read again later",
  "large-result": "large old result clipped",
  "old-retrieval": "old passages became their source ids",
  "tail-result": "large recent result clipped",
  "hard-cut": "cut to fit the budget",
  summary: "the summary was added",
  "host-state": "the host's state of the work was added",
  recall: "recalled passages were added",
  "interface-only": "fields for the interface left out",
} as const satisfies Readonly<Record<string, string>>;

/** Why a part was changed. */
export type EditReason = keyof typeof EDIT_REASONS;

/**
 * The message as it will read after the edits: the core-form twin of `Dialect.edit`, so that a plan can be counted
 * without writing wire messages. The contract suite checks that the two agree.
 */
export function applyEdits(message: Message, edits: readonly Edit[]): Message {
  let parts = message.parts;
  if (edits.some((edit) => edit.type === "strip-reasoning")) {
    parts = parts.filter((part) => part.type !== "reasoning");
  }
  const replacements = new Map<number, string>();
  const appended: Part[] = [];
  for (const edit of edits) {
    if (edit.type === "replace") replacements.set(edit.part, edit.text);
    else if (edit.type === "append") appended.push({ type: "text", text: edit.text });
  }
  if (replacements.size > 0) {
    let at = -1;
    parts = parts.map((part) => {
      if (part.type === "reasoning") return part;
      at++;
      const text = replacements.get(at);
      return text === undefined ? part : replaced(part, text);
    });
  }
  if (appended.length > 0) parts = [...parts, ...appended];
  return { ...message, parts };
}

function replaced(part: Part, text: string): Part {
  switch (part.type) {
    case "tool-call": {
      const { asDoubles: _, ...rest } = part;
      return { ...rest, args: text };
    }
    case "tool-result": {
      const { media: _media, ...rest } = part;
      return { ...rest, text };
    }
    default:
      return { type: "text", text };
  }
}

/** Messages with more parts are asked for so often that their parts are remembered. */
const MANY_PARTS = 32;
const rememberedParts = onceFor(withoutReasoning);

/** The message's parts without reasoning: what the `part` of an edit counts. */
export function editableParts(message: Message): readonly Part[] {
  return message.parts.length <= MANY_PARTS ? withoutReasoning(message) : rememberedParts(message);
}

function withoutReasoning({ parts }: Message): readonly Part[] {
  return parts.some((part) => part.type === "reasoning")
    ? parts.filter((part) => part.type !== "reasoning")
    : parts;
}

/** The text that an edit of this part would replace; undefined where a part can't be edited. */
export function editableText(part: Part): string | undefined {
  switch (part.type) {
    case "text":
      return part.text;
    case "tool-call":
      return part.locked ? undefined : part.args;
    case "tool-result":
      return part.locked ? undefined : part.text;
    default:
      return undefined;
  }
}

/** Edits of one message, where a later replacement of a part takes the place of an earlier one. */
export function mergeEdits(earlier: readonly Edit[], later: readonly Edit[]): readonly Edit[] {
  const same = (a: Edit, b: Edit) =>
    a.type === b.type && (a.type !== "replace" || b.type !== "replace" || a.part === b.part);
  return [...earlier.filter((a) => !later.some((b) => same(a, b))), ...later];
}
