import type { CompactionParts } from "../compaction/compaction-parts.ts";
import type { Announcer } from "./announcer.ts";
import type { Deletions } from "./chat-settings.ts";
import type { FatesOf } from "./fates.ts";
import type { Transcripts } from "./loaded.ts";
import type { ConversationMemory } from "./memory.ts";
import type { Recorder } from "./recording.ts";
import type { Spill } from "./spill.ts";
import type { ReplayedStates } from "./view-of.ts";

/** What a server knows and writes of conversations. */
export interface ConversationParts extends CompactionParts {
  /** Transcripts and what became of their messages, for pages. */
  readonly transcripts: Transcripts;
  readonly fates: FatesOf;
  readonly replayedStates: ReplayedStates;
  /** Undefined with `store: false`. */
  readonly recorder: Recorder | undefined;
  /** Where answers wait that the store didn't take; undefined with `store: false`. */
  readonly spill: Spill | undefined;
  readonly memory: ConversationMemory;
  readonly announcer: Announcer;
  readonly deletions: Deletions;
  /** True from the moment on when no new connections are taken. */
  isDraining(): boolean;
}
