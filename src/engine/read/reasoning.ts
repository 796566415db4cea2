import { type Draft, type Fate, isShown, KEEP, withFates } from "../../core/draft.ts";
import { isOnlyReasoning } from "../../core/rounds.ts";
import type { DialectRules, FitInput, Message, Run, Warning } from "../../core/types.ts";
import { edited } from "../../reductions/reduction.ts";
import type { RungInput } from "../ladder/step.ts";
import type { Conversation } from "./conversation.ts";

/**
 * A tool loop with signed reasoning that is under way: from the first message behind the last user message to the end, if the
 * newest round waits for the model.
 */
interface OpenLoop extends Run {
  /** The newest message of the loop with signed reasoning: what stands behind it is bound to nothing. */
  readonly signed: number;
}

export function openLoop({ messages, structure }: Conversation): OpenLoop | undefined {
  if (structure.units.at(-1)?.kind !== "round") return undefined;
  const from = Math.max(structure.start, (structure.lastUser ?? structure.start - 1) + 1);
  const signed = messages.findLastIndex((message, index) => index >= from && isSigned(message));
  return signed < 0 ? undefined : { from, to: messages.length, signed };
}

/** The same for a view that ends with a round because it hides what the model said behind it: the model has the next word again. */
function reopenedLoop({ messages, structure }: Conversation, { fates }: Draft): OpenLoop | undefined {
  const last = fates.findLastIndex(isShown);
  const from = Math.max(structure.start, (structure.lastUser ?? structure.start - 1) + 1);
  if (last < from || last === messages.length - 1) return undefined;
  const { kind } = structure.units[structure.unitOf[last]!]!;
  if (kind !== "round" || messages[last]!.role === "assistant") return undefined;
  const signed = messages.findLastIndex((one, index) => index >= from && index <= last && isSigned(one));
  return signed < 0 ? undefined : { from, to: last + 1, signed };
}

export function isSigned(message: Message): boolean {
  return message.parts.some((part) => part.type === "reasoning" && part.signed);
}

type Request = FitInput<unknown>["request"];

/** The request asks the provider to leave out reasoning that no longer fits, instead of refusing it. */
export function dropsUnboundReasoning(request: Request): boolean {
  return thinkingOf(request)?.block_binding?.["prefix_mismatch_behavior"] === "drop_block";
}

/**
 * Must what is shown of a tool loop under way begin with reasoning? Claude wants that where a budget for thinking is set, not where it
 * decides itself when it thinks (`adaptive`).
 */
export function mustLead({ reasoning, boundReasoning }: DialectRules, request: Request): boolean {
  if (reasoning !== "open-loop" && !(boundReasoning && reasoning === undefined)) return false;
  const kind = thinkingOf(request)?.type;
  return kind === undefined || kind === "enabled";
}

interface Thinking {
  readonly type?: string;
  readonly block_binding?: Readonly<Record<string, unknown>>;
}

/** How a request has the model think: a field of Anthropic's API, or the AI SDK's option for it. */
function thinkingOf(request: Request): Thinking | undefined {
  const { thinking, providerOptions } = (request ?? {}) as {
    readonly thinking?: Thinking;
    readonly providerOptions?: { readonly anthropic?: { readonly thinking?: Thinking } };
  };
  return thinking ?? providerOptions?.anthropic?.thinking;
}

/**
 * A provider may want what is shown of a tool loop under way to begin with a thought (`mustLead`). Where a compaction had to take
 * that away, the host is warned that this request must be sent without thinking.
 */
export function thinkingWarning(conversation: Conversation, draft: Draft): Warning | undefined {
  const loop = openLoop(conversation) ?? reopenedLoop(conversation, draft);
  if (!conversation.leads || !loop) return undefined;
  const { messages } = conversation;
  const covered = draft.fates.findLastIndex((fate) => fate.type === "cover");
  const shown = messages.flatMap(({ role, parts }, index) => {
    const fate = draft.fates[index]!;
    const isAnswer = role === "assistant" && index >= Math.max(loop.from, covered + 1) && isShown(fate);
    return isAnswer ? [{ parts, isStripped: isStripped(fate) }] : [];
  });
  const leads = shown[0]?.parts[0]?.type === "reasoning" && !shown.some((one) => one.isStripped);
  if (shown.length === 0 || leads) return undefined;
  return {
    code: "thinking-off",
    message:
      "Reasoning of the current tool loop had to be removed: send this request with thinking switched off. You can switch it on again with the next user message. Adaptive thinking (`adaptive`) can stay on.",
  };
}

const isStripped = (fate: Fate): boolean =>
  fate.type === "edit" && fate.edits.some(({ type }) => type === "strip-reasoning");

/**
 * Tells of a message whether its provider wants its reasoning for as long as the message is shown. What is bound to its
 * prefix isn't meant: after a compaction its provider refuses it.
 */
export function neededReasoning(
  { messages, structure }: Pick<Conversation, "messages" | "structure">,
  rules: Pick<DialectRules, "reasoning" | "boundReasoning">,
): (index: number) => boolean {
  const rule = rules.reasoning ?? "with-calls";
  if (rule === "free") return () => false;
  const turns = rule === "with-calls" ? structure.turns : structure.turns.slice(-1);
  const needed = new Set<number>();
  for (const { from, to } of turns) {
    if (!messages.slice(from, to).some(hasCall)) continue;
    for (let index = from; index < to; index++)
      if (messages[index]!.parts.some((part) => part.type === "reasoning")) needed.add(index);
  }
  return (index) => needed.has(index) && !(rules.boundReasoning && isSigned(messages[index]!));
}

/**
 * The view of a checkpoint with the reasoning that its provider wants. One that was made for a model with other rules, or
 * before the rules were known, may have taken it away.
 */
export function withNeededReasoning(
  conversation: Pick<Conversation, "messages" | "structure">,
  rules: DialectRules,
  draft: Draft,
): Draft {
  if (!draft.fates.some((fate) => isStripped(fate) || isDroppedReasoning(fate))) return draft;
  const isNeeded = neededReasoning(conversation, rules);
  const changes = new Map<number, Fate>();
  for (const [index, fate] of draft.fates.entries()) {
    if (isStripped(fate) && isNeeded(index) && fate.type === "edit") {
      const edits = fate.edits.filter((edit) => edit.type !== "strip-reasoning");
      changes.set(index, edits.length > 0 ? { type: "edit", edits } : KEEP);
    } else if (isDroppedReasoning(fate) && isNeeded(index) && leadsToShown(draft, index)) {
      changes.set(index, KEEP);
    }
  }
  return withFates(draft, changes);
}

function isDroppedReasoning(fate: Fate): boolean {
  return fate.type === "drop" && fate.reason === "reasoning";
}

/** Reasoning that is a message of its own belongs to the message behind it. */
function leadsToShown({ fates }: Draft, index: number): boolean {
  const next = fates.slice(index + 1).find((fate) => !isDroppedReasoning(fate));
  return next !== undefined && isShown(next);
}

function hasCall({ parts }: Message): boolean {
  return parts.some((part) => part.type === "tool-call");
}

/**
 * Where reasoning is a message of its own, the provider refuses what it led to without it: the messages right behind
 * reasoning that isn't shown any more are marked, so that the dialect sends them as new ones.
 */
export function detachFromHiddenReasoning(
  { conversation: { messages }, rules }: Pick<RungInput, "conversation" | "rules">,
  draft: Draft,
): Draft {
  if (!rules.leadingReasoning) return draft;
  const changes = new Map<number, Fate>();
  let isLost = false;
  for (const [index, message] of messages.entries()) {
    const fate = draft.fates[index]!;
    if (message.role !== "assistant") isLost = false;
    else if (isOnlyReasoning(message)) isLost = !isShown(fate);
    else if (isLost && isShown(fate) && !isStripped(fate))
      changes.set(index, edited(fate, [{ type: "strip-reasoning", why: "old-reasoning" }]));
  }
  return withFates(draft, changes);
}
