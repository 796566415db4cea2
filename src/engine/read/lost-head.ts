import { textOf } from "../../core/checkpoint.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import { systemMessage } from "../../core/render.ts";
import type { Remembered } from "../../core/state/read-state.ts";
import type { Checkpoint, Dialect, FitInput, Message, Records, Warning } from "../../core/types.ts";
import { type Conversation, hasSystem } from "./conversation.ts";
import type { Operation } from "./survey.ts";

/** A system prompt up to this size is remembered, so that it can be restored (characters of JSON). */
const MAX_HEAD = 262_144;

/** The system prompt of an operation as JSON: leading messages, or what the format keeps apart. Undefined if there is none. */
export function headJson<M>({
  engine,
  transcript,
  input,
  survey,
}: Pick<Operation<M>, "engine" | "transcript" | "input" | "survey">): string | undefined {
  const leading = [...survey.restored, ...transcript.slice(0, survey.conversation.structure.start)];
  const { system } = input;
  const isApart = hasSystem(system);
  if (!isApart && leading.length === 0) return undefined;
  const json = stringifyDeep(isApart ? { system, leading } : { leading });
  if (json.length > MAX_HEAD) return undefined;
  const read = [...(isApart ? [systemMessage<M>(system)] : []), ...leading].map((one) =>
    engine.dialect.read(one),
  );
  return read.every((message) => isIn(message, json)) ? json : undefined;
}

/** Is all that is read of a message in this JSON? A dialect that leaves secrets out must not find them stored. */
function isIn({ parts }: Message, json: string): boolean {
  return parts.every((part) => part.type !== "text" || json.includes(JSON.stringify(part.text).slice(1, -1)));
}

/** What became of a system prompt that earlier views had and the transcript lacks. */
export interface LostHead<M> {
  /** Leading system messages to send. */
  readonly messages?: readonly M[];
  /** The prompt to send, where the format keeps it apart. */
  readonly system?: unknown;
  readonly warning: Warning;
}

/**
 * A host that stored a view without its system prompt gets it back: from records of its own store, or from a state that it
 * signed. A state without a proof may say anything, so nothing of it is sent. Undefined if nothing is missing.
 */
export function lostHead<M>(options: {
  readonly dialect: Dialect<M>;
  readonly conversation: Conversation;
  readonly state: Remembered;
  /** What the own store holds. */
  readonly found: Pick<Records, "checkpoints">;
  readonly input: FitInput<M>;
}): LostHead<M> | undefined {
  const { dialect, conversation, state, found, input } = options;
  const { chain, structure } = conversation;
  if (structure.start > 0 || hasSystem(input.system) || chain.length === 1) return undefined;
  const own = found.checkpoints
    .filter(({ head, length, hash }) => head !== undefined && chain[length] === hash)
    .sort((a, b) => b.at - a.at);
  const { last } = state;
  // Only who hands a state back surely means this conversation: the same messages may be sent for another purpose.
  const isSame = last !== undefined && last.length > 0 && chain[last.length] === last.hash;
  if (!(isSame && state.hadHead) && own.length === 0) return undefined;
  const json = isSame ? (state.head ?? own.flatMap((one) => headOf(one) ?? [])[0]) : undefined;
  return (json === undefined ? undefined : readHead(json, dialect)) ?? { warning: HEAD_LOST };
}

function headOf(checkpoint: Checkpoint): string | undefined {
  return checkpoint.head === undefined ? undefined : textOf(checkpoint, checkpoint.head);
}

/** The prompt in its JSON; undefined if it isn't one of this format. */
function readHead<M>(json: string, dialect: Dialect<M>): LostHead<M> | undefined {
  try {
    const { system, leading } = JSON.parse(json) as {
      readonly system?: unknown;
      readonly leading: readonly M[];
    };
    if (leading.some((message) => dialect.read(message).role !== "system")) return undefined;
    if (hasSystem(system) !== (dialect.rules.system === "apart" && leading.length === 0)) return undefined;
    return { messages: leading, ...(hasSystem(system) && { system }), warning: HEAD_RESTORED };
  } catch {
    return undefined;
  }
}

const HEAD_RESTORED: Warning = {
  code: "head-restored",
  message: "The system prompt was missing and was restored as it was last seen.",
};
const HEAD_LOST: Warning = {
  code: "head-lost",
  message:
    "Earlier views of this conversation had a system prompt, and this one has none. It is restored only from a store of your own or from a state that is signed with `stateKey`: pass it again.",
};
