import type { EditReason } from "../edits.ts";
import type { DialectId, InsertMessage } from "./dialect.ts";
import type { DropReason, Reason, Run, RungName, StrategyName } from "./report.ts";

/** Entries as a checkpoint stores them: ranges, counted from the first message after the leading system messages. */
export type EntryRange =
  | { readonly type: "keep"; readonly from: number; readonly to: number }
  | { readonly type: "cover"; readonly from: number; readonly to: number; readonly by: number }
  | { readonly type: "drop"; readonly from: number; readonly to: number; readonly reason: DropReason }
  | { readonly type: "edit"; readonly index: number; readonly edits: readonly StoredEdit[] }
  | {
      readonly type: "insert";
      /** Ordinal that `cover` ranges refer to. */
      readonly by: number;
      readonly role: InsertMessage["role"];
      /** Hash of the text in `texts`. */
      readonly text: string;
      readonly merged?: true;
      /** Of an insert that covers nothing: the message that it stands before. */
      readonly before?: number;
    };

/**
 * An edit whose text is kept once, by hash, in the checkpoint's `texts`. A replacement keeps only what differs from the
 * original: `prefix` and `suffix` characters of it stand before and after the stored text.
 */
export type StoredEdit =
  | {
      readonly type: "replace";
      readonly part: number;
      readonly prefix: number;
      readonly suffix: number;
      readonly text: string;
      readonly why: EditReason;
    }
  | { readonly type: "strip-reasoning"; readonly why: EditReason }
  | { readonly type: "strip-fields"; readonly why: EditReason }
  | { readonly type: "append"; readonly text: string; readonly why: EditReason };

/** The immutable record of one applied compaction. */
export interface Checkpoint {
  /** Hash of the record's own content. */
  readonly id: string;
  /** Chain hash of the last message whose entry isn't a plain keep, or that a summary in it was made from. */
  readonly hash: string;
  /** How many messages (after the leading system messages) that hash spans. */
  readonly length: number;
  readonly dialect: DialectId;
  readonly strategy: StrategyName;
  /** The budget it was made for. */
  readonly budget: number;
  readonly entries: readonly EntryRange[];
  /** Inserted texts and edit texts, each once, by hash. */
  readonly texts: Readonly<Record<string, string>>;
  /** `now` of the `fit` that applied it. */
  readonly at: number;
  readonly reason: Reason;
  /** Tokens that views may have after the provider refused a longer one, by our own count. */
  readonly limit?: number;
  readonly rung: RungName;
  readonly tokens: { readonly before: number; readonly after: number };
  /** Messages (after the leading system messages) that model-written summaries spoke for when it was applied. */
  readonly sealed: number;
  /**
   * Number of messages and of turns in the transcript when it was applied. `hash` names all of it but the leading system
   * messages, `length` messages in all.
   */
  readonly seen: {
    readonly messages: number;
    readonly turns: number;
    readonly hash: string;
    readonly length: number;
  };
  /** Hash (in `texts`) of the system prompt that it stood behind, as JSON: a host may lose it. */
  readonly head?: string;
}

/** "Skip this checkpoint": what `undo` records, and what is recorded when a larger budget needs it no more. */
export interface Undo {
  readonly checkpoint: string;
  readonly at: number;
  /**
   * Given if no person undid it: the checkpoint was left because the budget is larger. It is taken up again only when a
   * compaction is due, and nothing is suspended.
   */
  readonly why?: "larger-budget";
  /** Pressure at the moment of the undo; automatic compaction waits until it has grown by 0.1 or reached 1. */
  readonly pressure: number;
}

/** A model-written summary of a segment: immutable. */
export interface Summary {
  /** Hash of everything that it was made from: covered messages, prompt and version, model, focus, cap. */
  readonly key: string;
  readonly text: string;
  /** What the model noted beside it, several times as long: the next record is written from that. Never shown. */
  readonly notes?: string;
  /** Chain hash of the last message that it covers: the record holds wherever a transcript begins with that chain. */
  readonly hash: string;
  /** Messages that it covers, counted from the first message after the leading system messages. */
  readonly covers: Run;
  /** 0 where it was summarised from the originals, one more for each merge and each time that it took in what was new. */
  readonly level: number;
  /** Prompt id and version, such as `agent/1`. */
  readonly prompt: string;
  readonly model: string;
  readonly author: "model" | "user";
  /** Asked for anew by `rebuild`: speaks for its messages in place of every older record. */
  readonly anew?: true;
  readonly tokens: { readonly source: number; readonly text: number };
  /** `now` of the call that wrote it. */
  readonly at: number;
  /** Hash of key, text and notes: a record that was tampered with isn't believed. */
  readonly proof: string;
  /** It came back without proof of who wrote it, or was made from one that did: it never becomes system text. */
  readonly unproven?: true;
}

/** A checkpoint as a state keeps it: its texts stand beside all of them, each once. */
export type StateCheckpoint = Omit<Checkpoint, "texts">;

/** What a view stood on, to tell whether the next one extends it. */
export interface LastView {
  readonly hash: string;
  readonly length: number;
  readonly checkpoint?: string;
  /** Hash of the system prompt, which isn't part of the chain. */
  readonly head?: string;
  /** Hash of the messages that it showed although its checkpoint hides them. */
  readonly broughtBack?: string;
  /** It showed its checkpoint in other words or roles, because nobody vouched for the state that it came from. */
  readonly reworded?: "unproven";
  /** Hash of the passages that it quoted for user messages. */
  readonly recalled?: string;
}

/** What the newest view of another branch of the chat stood on. */
export type BranchView = Pick<LastView, "hash" | "length" | "checkpoint">;

/** What one answer took, reasoning included, and when it came (milliseconds). */
export type AnswerSize = readonly [at: number, tokens: number];

/** What the newest answers of one model in a conversation took: the output reserve follows them. */
export interface AnswerSizes {
  /** Chain hash of the conversation's first message after the leading system messages. */
  readonly hash: string;
  readonly model: string;
  /** Newest last. */
  readonly sizes: readonly AnswerSize[];
}

/**
 * Passages of hidden messages that a view quotes before a user message, because that message asks for them. They are named
 * by their place: what is shown is always read from the transcript itself.
 */
export interface Recalled {
  /** Chain hash of the transcript up to and with the user message that they stand before. */
  readonly hash: string;
  /** How many messages (after the leading system messages) that hash spans. */
  readonly length: number;
  /** Id of the checkpoint that hides them: with the next compaction they leave. */
  readonly checkpoint: string;
  /** In the order in which they are shown. */
  readonly passages: readonly PassagePlace[];
  readonly at: number;
}

/** Characters `from` to `to` of a part of a message. Messages are counted after the leading system messages, parts without reasoning. */
export type PassagePlace = readonly [message: number, part: number, from: number, to: number];

/** Plain JSON that the host stores beside its chat and hands back. Stale or foreign state is ignored, never believed. */
export interface State {
  readonly version: 2;
  readonly checkpoints: readonly StateCheckpoint[];
  /** Texts of the checkpoints, by hash. Never the system prompt. */
  readonly texts: Readonly<Record<string, string>>;
  readonly summaries: readonly Summary[];
  readonly undos: readonly Undo[];
  /** The system prompt as last seen, as JSON, to restore one that the host lost. Only in a signed state. */
  readonly head?: string;
  readonly last?: LastView;
  /** The same for branches of the chat that the last view doesn't extend, the newest last. */
  readonly branches?: readonly BranchView[];
  readonly answers?: readonly AnswerSizes[];
  /** What the views of the newest checkpoints quote for user messages. */
  readonly recalled?: readonly Recalled[];
  /** What only who has the `stateKey` can make. */
  readonly proof?: string;
}

/** What a store holds: records that never change, found by the chain hash of the last message that they stand on. */
export interface Records {
  readonly checkpoints: readonly Checkpoint[];
  readonly summaries: readonly Summary[];
  /** Undos of those checkpoints. */
  readonly undos: readonly Undo[];
  /**
   * One for each model, under the first of the hashes; a newer one takes its place. With a store that leaves them out, each
   * process learns by itself how long answers are.
   */
  readonly answers?: readonly AnswerSizes[];
  /**
   * What views quote for user messages; one for each checkpoint and hash. A store that keeps them gives a list, be it empty.
   * With one that gives none, nothing is recalled unless the host hands its states back.
   */
  readonly recalled?: readonly Recalled[];
}

/** Where records live between calls. Two methods, both in batches. */
export interface Store {
  /** Records whose `hash` is one of `hashes`, in any order. `hashes[n - 1]` names the first n messages. */
  find(hashes: readonly string[]): Promise<Records>;
  save(records: Partial<Records>): Promise<void>;
}
