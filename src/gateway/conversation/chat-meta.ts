import { isJson } from "../../apis/shared/fields.ts";
import type { Summary } from "../../core/types.ts";
import type { Conversation } from "../../stores/server-store.ts";
import type { ApiError, ApiMessage, ChatSettings } from "../api.ts";

/** What the page keeps with a conversation. */
export interface ChatMeta {
  readonly settings?: ChatSettings;
  readonly pins?: readonly number[];
  /** A person had it compacted, so a view stands for it however short its transcript is. */
  readonly isCompacted?: true;
  /** The last compaction of all of it that a person asked for: its checkpoint, and how many messages and what budget there were. */
  readonly byHand?: { readonly checkpoint: string; readonly messages: number; readonly budget: number };
  /** Summaries that a person cleared, and the checkpoint that stood then, until the next compaction by hand. */
  readonly cleared?: { readonly summaries: readonly Summary[]; readonly checkpoint?: string };
  readonly model?: string;
  /** What it was forked from by a person, who may have renamed or deleted that since. */
  readonly fork?: { readonly of: string; readonly length: number; readonly title: string };
  /** Answers that didn't come to their end, by the chain hash of their last message. */
  readonly unfinished?: Readonly<Record<string, Unfinished>>;
  /** Why there is no (whole) answer: holds as long as `leaf` is shown last. */
  readonly failure?: { readonly leaf: number | undefined; readonly error: Failure };
  /** Ids of what the page said last, so that the same thing is never said twice. */
  readonly said?: readonly string[];
  /** Keys of answers that a client deleted: nobody goes on from them. */
  readonly deletedAnswers?: readonly string[];
  /** The file that it was imported from by `precis import`. */
  readonly imported?: ImportedFile;
  /** Other files that hold the same: they needn't be read again. */
  readonly copies?: readonly ImportedFile[];
}

/** How an answer ended before its end: a person stopped it, it broke off, or it reached the largest size that it may have. */
export type Unfinished = NonNullable<ApiMessage["unfinished"]>;

type Failure = ApiError["error"];

export interface ImportedFile {
  readonly file: string;
  readonly bytes: number;
  /** In milliseconds. */
  readonly modified: number;
}

export function metaOf(conversation: Pick<Conversation, "meta">): ChatMeta {
  return isJson(conversation.meta) ? (conversation.meta as ChatMeta) : {};
}

/** A person has thrown it away, and may bring it back for a moment: nobody goes on with it. */
export function isThrownAway({ deletedAt }: Pick<Conversation, "deletedAt">): boolean {
  return deletedAt !== undefined;
}
