/**
 * Search and read back what a view no longer shows.
 *
 * @module
 */

export {
  type ByKind,
  type CandidateSet,
  type FoundMessage,
  gatherCandidates,
  type Kind,
  NEIGHBOURS,
  type Occurrences,
  type RankableMessage,
  type RankablePassage,
  type RecallIndex,
  type Statistics,
} from "./candidates.ts";
export {
  type CompactTool,
  type CompactToolContext,
  type CompactToolInput,
  compactTool,
} from "./compact-tool.ts";
export type { TranscriptStore } from "./conversation-index.ts";
export type { ReadWhat, TimelineTurn } from "./open-recall.ts";
export {
  type OpenRecallOptions,
  openRecall,
  type ReadMessage,
  type ReadOptions,
  type Recall,
  type RecallSettings,
  searchIndex,
} from "./open-recall.ts";
export { type Passage, passagesOf } from "./passages.ts";
export type { ToolForms } from "./recall-tool.ts";
export {
  type RecallTool,
  type RecallToolContext,
  type RecallToolInput,
  recallTool,
} from "./recall-tool.ts";
export type { Embed, Hit, SearchOptions, SearchResult } from "./search.ts";
export { termsOf } from "./terms.ts";
