import { type Draft, type Fate, withFates } from "../core/draft.ts";
import { applyEdits, editableParts, mergeEdits } from "../core/edits.ts";
import type { Structure } from "../core/rounds.ts";
import type { Edit, Measure, Message, Part, Tuning } from "../core/types.ts";

/** What a reduction may look at. */
export interface ReductionInput {
  readonly messages: readonly Message[];
  readonly structure: Structure;
  /** May this message be changed? True in the shown middle only. */
  readonly reducible: (index: number) => boolean;
  /** Does the provider want this message's reasoning for as long as the message is shown? */
  readonly needsReasoning: (index: number) => boolean;
  readonly measure: Measure;
  /** Tokens that one old tool result may keep. */
  readonly allowance: number;
  readonly images: NonNullable<Tuning["images"]>;
}

/** A way to make the middle smaller without a model: a pure function from draft to draft. */
export interface Reduction {
  readonly name: string;
  /** What it does depends on `allowance`: it is tried with several. */
  readonly byAllowance?: true;
  apply(draft: Draft, input: ReductionInput): Draft;
}

/** The message as the draft shows it now. */
export function currentMessage(draft: Draft, index: number, message: Message): Message {
  const fate = draft.fates[index]!;
  return fate.type === "edit" ? applyEdits(message, fate.edits) : message;
}

/** Asks `edit` about each part of each reducible message, and applies what it returns. */
export function editParts(
  draft: Draft,
  input: ReductionInput,
  edit: (part: Part, at: { readonly index: number; readonly part: number }) => Edit | undefined,
): Draft {
  const changes = new Map<number, Fate>();
  for (const [index, message] of input.messages.entries()) {
    if (!input.reducible(index)) continue;
    const edits: Edit[] = [];
    for (const [at, part] of editableParts(currentMessage(draft, index, message)).entries()) {
      const one = edit(part, { index, part: at });
      if (one) edits.push(one);
    }
    if (edits.length > 0) changes.set(index, edited(draft.fates[index]!, edits));
  }
  return withFates(draft, changes);
}

/** The fate of a message after more edits. */
export function edited(fate: Fate, edits: readonly Edit[]): Fate {
  return { type: "edit", edits: fate.type === "edit" ? mergeEdits(fate.edits, edits) : edits };
}
