import { type Draft, type Fate, isShown } from "../core/draft.ts";
import type { DialectRules, FitInput, Message, Run, Warning } from "../core/types.ts";
import type { Conversation } from "./conversation.ts";

/**
 * A tool loop that is under way: from the first message behind the last user message to the end, if the newest round
 * waits for the model. Undefined where no signed reasoning in it binds the provider to what stands before.
 */
interface OpenLoop extends Run {
  /** The newest message of the loop with signed reasoning: what stands behind it is bound to nothing. */
  readonly signed: number;
}

export function openLoop(
  { messages, structure }: Conversation,
  rules: Pick<DialectRules, "boundReasoning">,
): OpenLoop | undefined {
  if (!rules.boundReasoning || structure.units.at(-1)?.kind !== "round") return undefined;
  const from = Math.max(structure.start, (structure.lastUser ?? structure.start - 1) + 1);
  const signed = messages.findLastIndex((message, index) => index >= from && isSigned(message));
  return signed < 0 ? undefined : { from, to: messages.length, signed };
}

/** The same for a view that ends with a round because it hides what the model said behind it: the model has the next word again. */
function reopenedLoop(
  { messages, structure }: Conversation,
  { fates }: Draft,
  rules: Pick<DialectRules, "boundReasoning">,
): OpenLoop | undefined {
  const last = fates.findLastIndex(isShown);
  const from = Math.max(structure.start, (structure.lastUser ?? structure.start - 1) + 1);
  if (!rules.boundReasoning || last < from || last === messages.length - 1) return undefined;
  const { kind } = structure.units[structure.unitOf[last]!]!;
  if (kind !== "round" || messages[last]!.role === "assistant") return undefined;
  const signed = messages.findLastIndex((one, index) => index >= from && index <= last && isSigned(one));
  return signed < 0 ? undefined : { from, to: last + 1, signed };
}

export function isSigned(message: Message): boolean {
  return message.parts.some((part) => part.type === "reasoning" && part.signed);
}

/** The request asks the provider to leave out reasoning that no longer fits, instead of refusing it. */
export function dropsUnboundReasoning(request: FitInput<unknown>["request"]): boolean {
  const { thinking } = (request ?? {}) as { thinking?: { block_binding?: Record<string, unknown> } };
  return thinking?.block_binding?.["prefix_mismatch_behavior"] === "drop_block";
}

/**
 * A provider that thinks wants each tool loop to begin with the thought that it began with. Where a compaction had to
 * take that thought away, the host is told to send this request without thinking.
 */
export function thinkingWarning(
  conversation: Conversation,
  draft: Draft,
  rules: Pick<DialectRules, "boundReasoning">,
): Warning | undefined {
  const loop = openLoop(conversation, rules) ?? reopenedLoop(conversation, draft, rules);
  if (!loop) return undefined;
  const { messages } = conversation;
  const covered = draft.fates.findLastIndex((fate) => fate.type === "cover");
  const first = draft.fates.findIndex(
    (fate, index) =>
      index >= Math.max(loop.from, covered + 1) && isShown(fate) && messages[index]!.role === "assistant",
  );
  if (first < 0) return undefined;
  const fate = draft.fates[first] as Extract<Fate, { type: "keep" | "edit" }>;
  const stripped = fate.type === "edit" && fate.edits.some((edit) => edit.type === "strip-reasoning");
  if (!stripped && messages[first]!.parts[0]?.type === "reasoning") return undefined;
  return {
    code: "thinking-off",
    message:
      "Signed reasoning of the tool loop under way had to leave the view: send this request with thinking switched off. It can be on again from the next user message on.",
  };
}
