import { StoreError } from "../../core/errors.ts";
import type { Append, Appended, NewMessage } from "../server-store.ts";
import { checkName } from "./check-name.ts";
import type { ConversationRow, MessageRow } from "./columns.ts";
import { anchorNotFound } from "./not-found.ts";
import { placeTexts, type TextPlaces } from "./place-texts.ts";
import { changesOf, newRow, saidOf, tokensIn } from "./said-columns.ts";

/** One `append`, as plain data. */
export interface AppendCall {
  readonly tenant: string;
  readonly input: Append;
  /** For the conversation that it may make. */
  readonly id: string;
}

/** The conversation that an append is for, as a back end found it. */
export interface AppendTarget {
  readonly row: ConversationRow;
  /** The position behind the message that the new ones follow. */
  readonly start: number;
  /** The messages from there on: as many as the append has, or all where others shall stand instead. */
  readonly behind: readonly Pick<MessageRow, "hash" | "body" | "tokens">[];
}

/** What a fork shares with the conversation that it departs from. */
export interface SharedPrefix {
  /** One of the messages is an answer. */
  readonly hasAnswer: boolean;
  readonly tokens: number;
}

/** Everything that an append writes. Back ends carry it out in one transaction, in the order of these fields. */
export interface AppendPlan {
  readonly tenant: string;
  /** The conversation's messages from this position on give way to the new ones. */
  readonly removeFrom: number | undefined;
  /** Messages that are there already and now end another answer. */
  readonly answers: readonly { readonly position: number; readonly answer: string }[];
  /** Texts that don't stand with their messages, by their addresses. */
  readonly texts: ReadonlyMap<string, string>;
  /** A conversation that is made, */
  readonly made: ConversationRow | undefined;
  /** or what changes of one that is there. */
  readonly changes: Partial<ConversationRow>;
  /** What a fork has in common with another conversation is copied: so many messages, and with `citations` these too. */
  readonly copied:
    | { readonly from: string; readonly length: number; readonly citations: boolean }
    | undefined;
  readonly messages: readonly MessageRow[];
  /** Addresses of texts that perhaps nothing stands on any more. */
  readonly left: readonly string[];
  readonly appended: Appended;
}

/** It makes a conversation, whatever there is already. Of a session by name somebody else may be making one right now. */
export function surelyBegins({ conversation, session, isNew, after }: Append): boolean {
  return conversation === undefined && (isNew === true || session === undefined) && after === undefined;
}

/** Refuses what no back end takes. */
export function checkCall({ tenant, input }: AppendCall): void {
  checkName("append", "tenant", tenant);
  checkAppend(input);
}

/** How long a fork's prefix is; undefined if the append makes no fork. */
export function forkLength(input: Append, target: AppendTarget): number | undefined {
  const { position, length, fresh } = placeIn(target, input);
  return fresh.length > 0 && position < length ? position : undefined;
}

/**
 * Decides what an append writes: messages behind the last one of its conversation, a fork of it, or a new conversation.
 * `prefix` is what `forkLength` messages of the target come to, if it says that there are some.
 */
export function planAppend(
  call: AppendCall,
  found: { readonly target: AppendTarget; readonly prefix: SharedPrefix | undefined } | undefined,
  places: TextPlaces,
): AppendPlan {
  const { tenant, id, input } = call;
  if (!found && input.after !== undefined) throw anchorNotFound("(new)");
  return found && !found.prefix
    ? grow(tenant, input, found.target, places)
    : begin(tenant, id, input, found, places);
}

function grow(tenant: string, input: Append, target: AppendTarget, places: TextPlaces): AppendPlan {
  const { position, length, fresh, shared, gone } = placeIn(target, input);
  const { row } = target;
  const place = { tenant, conversation: row.id, position };
  const { bodies, messages, head } = placeTexts(place, fresh, input.head, places);
  const left = new Set(gone.flatMap(({ body }) => body ?? []));
  // The head before this one would outlive the conversation: nothing else knows of it.
  if (head !== undefined && row.head !== null && head !== row.head) left.add(row.head);
  const without = { length, tokens: row.tokens - tokensIn(gone) };
  return {
    tenant,
    removeFrom: gone.length > 0 ? target.start : undefined,
    answers: answersOf(input.messages.slice(0, shared), target.start),
    texts: bodies,
    made: undefined,
    changes: changesOf(row, without, saidOf(input, fresh, head)),
    copied: undefined,
    messages,
    left: [...left].sort(),
    appended: {
      conversation: row.id,
      forkOf: undefined,
      added: fresh.length,
      length: length + fresh.length,
    },
  };
}

function begin(
  tenant: string,
  id: string,
  input: Append,
  found: { readonly target: AppendTarget; readonly prefix: SharedPrefix | undefined } | undefined,
  places: TextPlaces,
): AppendPlan {
  const { target, prefix } = found ?? {};
  const { position, fresh, shared } = target
    ? placeIn(target, input)
    : { position: 0, fresh: input.messages, shared: 0 };
  const place = { tenant, conversation: id, position };
  const { bodies, messages, head } = placeTexts(place, fresh, input.head, places);
  // Chats that merely begin with the same words of a user have nothing to do with each other.
  const origin = prefix?.hasAnswer ? target?.row : undefined;
  const said = saidOf(input, fresh, head);
  const made = newRow(tenant, id, input, said, { origin, position, tokens: prefix?.tokens ?? 0 });
  return {
    tenant,
    removeFrom: undefined,
    answers: target ? answersOf(input.messages.slice(0, shared), target.start) : [],
    texts: bodies,
    made,
    changes: {},
    copied: target && { from: target.row.id, length: position, citations: origin !== undefined },
    messages,
    left: [],
    appended: { conversation: id, forkOf: origin?.id, added: fresh.length, length: made.length },
  };
}

/** Where the messages of an append belong in its conversation. */
function placeIn({ row, start, behind }: AppendTarget, { messages, instead }: Append) {
  const isSaidOtherwise =
    instead !== undefined &&
    behind.length === instead.length &&
    behind.every(({ hash }, index) => hash === instead[index]);
  const gone = isSaidOtherwise ? behind : [];
  const there = isSaidOtherwise ? [] : behind;
  const differs = there.findIndex(({ hash }, index) => hash !== messages[index]?.hash);
  /** So many of the messages are there already. */
  const shared = differs === -1 ? there.length : differs;
  return {
    shared,
    gone,
    position: start + shared,
    /** How long the conversation is without those that give way. */
    length: row.length - gone.length,
    fresh: messages.slice(shared),
  };
}

/** Messages that were there already may be the end of another answer, with the same words. */
function answersOf(shared: readonly NewMessage[], start: number): AppendPlan["answers"] {
  return shared.flatMap(({ answer }, index) =>
    answer === undefined ? [] : [{ position: start + index, answer }],
  );
}

/** The names that come with an append must be something that every database can hold. */
function checkAppend({ session, instead, messages }: Append): void {
  if (instead !== undefined && messages.length === 0)
    throw new StoreError({
      operation: "append",
      message: "messages can't give way to none.",
      fix: "Leave out `instead`, or append what the client says in their place.",
    });
  if (session !== undefined) checkName("append", "session", session);
  for (const { answer } of messages) if (answer !== undefined) checkName("append", "answer", answer);
}
