import type { ChatEvent, ChatInput } from "./chat.ts";
import type {
  ApiCitations,
  ApiConversation,
  ApiMessages,
  ApiPressure,
  ApiSummary,
  ConversationChanges,
  ConversationPage,
  Imported,
  ListQuery,
  NewConversation,
  NewImport,
  SearchHit,
} from "./conversation.ts";
import type { ListedRequest, LiveEvent, RequestQuery, TimelineEvent, Totals, TotalsQuery } from "./events.ts";
import type { Past, ReplayAnswer, ReplayInput, StreamReplayAnswer, StreamReplayInput } from "./replay.ts";
import { type Done, file, json, type Progress, stream, type Time } from "./route.ts";
import type { Bodies } from "./schemas.ts";
import type { SettingsAnswer } from "./settings.ts";
import type {
  AddedUpstream,
  FoundServer,
  ModelsAnswer,
  NewUpstream,
  Status,
  UpstreamTest,
} from "./status.ts";
import type {
  ApiRequest,
  ApiView,
  CompactAnswer,
  CompactNow,
  RequestRecord,
  WhatIf,
  WhatIfAnswer,
  WrittenText,
} from "./view.ts";

interface Id {
  readonly id: string;
}

/** Every route of precis's own API. The server and the page both go by this list. */
export const routes = {
  // What this server is.
  status: json<{ answer: Status }>("GET", "/api/status"),
  models: json<{ answer: ModelsAnswer }>("GET", "/api/models"),
  totals: json<{ query: TotalsQuery; answer: Totals }>("GET", "/api/totals"),
  settings: json<{ answer: SettingsAnswer }>("GET", "/api/settings"),
  changeSettings: json<{ body: Bodies["settings"]; answer: SettingsAnswer }>("PATCH", "/api/settings"),
  events: stream<{ answer: LiveEvent }>("GET", "/api/events"),
  /** Requests of clients and of the page's chats, the newest first. */
  requests: json<{ query: RequestQuery; answer: { readonly requests: readonly ListedRequest[] } }>(
    "GET",
    "/api/requests",
  ),

  requestRecord: json<{ params: Id; answer: RequestRecord }>("GET", "/api/requests/:id"),

  // Servers of models.
  foundServers: json<{ answer: { readonly servers: readonly FoundServer[] } }>("GET", "/api/upstreams/found"),
  testUpstream: json<{ body: NewUpstream; answer: UpstreamTest }>("POST", "/api/upstreams/test"),
  addUpstream: json<{ body: NewUpstream; answer: AddedUpstream }>("POST", "/api/upstreams"),
  removeUpstream: json<{ params: { readonly name: string }; answer: Status }>(
    "DELETE",
    "/api/upstreams/:name",
  ),

  // Conversations.
  conversations: json<{ query: ListQuery; answer: ConversationPage }>("GET", "/api/conversations"),
  createConversation: json<{ body: NewConversation; answer: ApiConversation }>("POST", "/api/conversations"),
  importFile: json<{ body: NewImport; answer: Imported }>("POST", "/api/import"),
  search: json<{
    query: { q: string; of?: ListQuery["of"]; limit?: number };
    answer: { readonly hits: readonly SearchHit[] };
  }>("GET", "/api/search"),
  conversation: json<{ params: Id; answer: ApiConversation }>("GET", "/api/conversations/:id"),
  changeConversation: json<{ params: Id; body: ConversationChanges; answer: ApiConversation }>(
    "PATCH",
    "/api/conversations/:id",
  ),
  /** Gone from lists at once, from the store after `undoUntil`. */
  deleteConversation: json<{ params: Id; answer: { readonly undoUntil: Time } }>(
    "DELETE",
    "/api/conversations/:id",
  ),
  undeleteConversation: json<{ params: Id; answer: ApiConversation }>(
    "POST",
    "/api/conversations/:id/undelete",
  ),
  /** Shows the branch that holds a message, given its hash: what was said in its place before or after an edit. */
  showBranch: json<{ params: Id; body: Bodies["branch"]; answer: ApiConversation }>(
    "POST",
    "/api/conversations/:id/branch",
  ),
  /** A new conversation with the first `length` messages of this one. */
  fork: json<{ params: Id; body: Bodies["fork"]; answer: ApiConversation }>(
    "POST",
    "/api/conversations/:id/fork",
  ),
  /** The transcript as JSONL in its wire format. */
  exportConversation: file<{ params: Id; answer: string }>("GET", "/api/conversations/:id/export"),

  // Messages and answers.
  /** A stretch of the messages; `last` asks for the newest so many. */
  messages: json<{
    params: Id;
    query: { from?: number; to?: number; last?: number };
    answer: ApiMessages;
  }>("GET", "/api/conversations/:id/messages"),
  appendMessage: json<{ params: Id; body: Bodies["newMessage"]; answer: ApiMessages }>(
    "POST",
    "/api/conversations/:id/messages",
  ),
  chat: stream<{ params: Id; body: ChatInput; answer: ChatEvent }>("POST", "/api/conversations/:id/chat"),
  editMessage: stream<{
    params: Id & { readonly index: number };
    body: Bodies["editMessage"];
    answer: ChatEvent;
  }>("PUT", "/api/conversations/:id/messages/:index"),
  /**
   * Answers anew after the last user message before `index` (default: the last one). Earlier answers stay, each in a branch.
   */
  regenerate: stream<{
    params: Id;
    body: Bodies["regenerate"];
    answer: ChatEvent;
  }>("POST", "/api/conversations/:id/regenerate"),
  /** Stops an answer or a compaction that is under way. */
  stop: json<{ params: Id; answer: Done }>("POST", "/api/conversations/:id/stop"),

  // What the model sees.
  /**
   * With `length`: as it was when the transcript had its first `length` messages, by what was recorded; with `replayed`, as
   * the last replay under the conversation's own settings had it.
   */
  view: json<{ params: Id; query: { length?: number; replayed?: boolean }; answer: ApiView }>(
    "GET",
    "/api/conversations/:id/view",
  ),
  /** What really happened: what was sent before each answer, and all that was recorded. */
  past: stream<{ params: Id; answer: Progress<Past> }>("GET", "/api/conversations/:id/past"),
  request: json<{ params: Id; answer: ApiRequest }>("GET", "/api/conversations/:id/request"),
  /** Which source each `[n]` means, in answers and in summaries. */
  citations: json<{ params: Id; answer: ApiCitations }>("GET", "/api/conversations/:id/citations"),
  pressure: json<{ params: Id; answer: ApiPressure }>("GET", "/api/conversations/:id/pressure"),
  whatIf: json<{ params: Id; body: WhatIf; answer: WhatIfAnswer }>("POST", "/api/conversations/:id/what-if"),
  timeline: json<{
    params: Id;
    query: { after?: string; limit?: number };
    answer: { readonly events: readonly TimelineEvent[] };
  }>("GET", "/api/conversations/:id/timeline"),
  /** Reads back what the view no longer shows. */
  recall: json<{
    params: Id;
    query: { q: string; limit?: number };
    answer: { readonly hits: readonly SearchHit[] };
  }>("GET", "/api/conversations/:id/recall"),

  /** A summary to paste, or the start of a fresh chat. Changes nothing. */
  writeText: json<{ params: Id; body: Bodies["writeText"]; answer: WrittenText }>(
    "POST",
    "/api/conversations/:id/text",
  ),

  // Compaction by hand.
  compact: json<{ params: Id; body: CompactNow; answer: CompactAnswer }>(
    "POST",
    "/api/conversations/:id/compact",
  ),
  undoCompaction: json<{ params: Id; answer: CompactAnswer }>("POST", "/api/conversations/:id/undo"),
  rebuild: json<{ params: Id; answer: CompactAnswer }>("POST", "/api/conversations/:id/rebuild"),
  summaries: json<{ params: Id; answer: { readonly summaries: readonly ApiSummary[] } }>(
    "GET",
    "/api/conversations/:id/summaries",
  ),
  editSummary: json<{
    params: Id & { readonly key: string };
    body: Bodies["editSummary"];
    answer: CompactAnswer;
  }>("PUT", "/api/conversations/:id/summaries/:key"),
  /** Forgets all of the chat's summaries and checkpoints; the transcript stays. */
  clearSummaries: json<{ params: Id; answer: CompactAnswer }>("DELETE", "/api/conversations/:id/summaries"),
  /** Brings back what was cleared last, as long as nothing was compacted since. */
  restoreSummaries: json<{ params: Id; answer: CompactAnswer }>(
    "POST",
    "/api/conversations/:id/summaries/restore",
  ),

  // Replay and comparison.
  replay: json<{ body: ReplayInput; answer: ReplayAnswer }>("POST", "/api/replay"),
  /** The same with its progress. Whoever leaves ends it. */
  followReplay: stream<{ body: ReplayInput; answer: Progress<ReplayAnswer> }>("POST", "/api/replay/follow"),
  replayStream: json<{ body: StreamReplayInput; answer: StreamReplayAnswer }>("POST", "/api/replay-stream"),
};
