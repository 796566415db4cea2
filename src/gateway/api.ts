/**
 * precis's own API under `/api/`: every route with what it takes and gives. The page and the server share this file and
 * know each other by nothing else. No server code is reached from here.
 */

export { EDIT_REASONS } from "../core/edits.ts";
export type {
  Part,
  Reason,
  Run,
  RungName,
  StrategyName,
} from "../core/types.ts";
export {
  COVERED_WORDS,
  DROP_WORDS,
  FATE_WORDS,
  formatCount,
  formatDollars,
  KEEP_WORDS,
  REASON_WORDS,
  RUNG_WORDS,
  STRATEGY_WORDS,
} from "../core/words.ts";
export { bestTrade, survivingShare } from "../eval/replay/best-trade.ts";
export { STREAM_WORDS, sawtooth } from "../stream/words.ts";
export { loadTitles } from "../summaries/frames/frames.ts";
export { CITATION } from "../summaries/sources/citation-form.ts";
export { SECTIONS } from "../summaries/write/section-titles.ts";
export { receiptWords } from "../tokens/receipt-words.ts";
export type { Receipt } from "../tokens/receipts.ts";
export type * from "./api/chat.ts";
export { type Attachment, splitAttachments, withAttachments } from "./api/chat.ts";
export { type ApiClient, ApiFailure, createApiClient } from "./api/client.ts";
export * from "./api/conversation.ts";
export * from "./api/events.ts";
export * from "./api/replay.ts";
export type * from "./api/route.ts";
export {
  type AnswerOf,
  type Route,
  urlOf,
} from "./api/route.ts";
export { routes } from "./api/routes.ts";
export * from "./api/settings.ts";
export type * from "./api/status.ts";
export type * from "./api/view.ts";
