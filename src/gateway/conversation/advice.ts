import { systemMessage } from "../../core/draft.ts";
import { readableText } from "../../core/message-text.ts";
import {
  systemChanges,
  systemChangeWords,
  type WatchedPrompt,
  watchPrompt,
} from "../../core/system-changes.ts";
import type { Dialect } from "../../core/types.ts";
import { formatDollars } from "../../core/words.ts";
import { hasSystem } from "../../engine/read/conversation.ts";
import { readHead } from "../../recall/conversation-index.ts";
import type { ServerStore, StoredRequest } from "../../stores/server-store.ts";
import { modelInfo, spendOf } from "../../tokens/model-info.ts";
import { detailsOf, IDLE } from "./timeline.ts";

/** Requests whose system prompts are compared. */
const COMPARED = 12;

/**
 * What would save more than precis does, in sentences, by the rows of a conversation up to the newest of them: a system prompt that is
 * another one with every request, and summaries that nobody has written ahead of time.
 */
export async function adviceOn(
  store: Pick<ServerStore, "requests">,
  tenant: string,
  { rows, dialect }: { readonly rows: readonly StoredRequest[]; readonly dialect: Dialect<unknown> },
): Promise<readonly string[]> {
  const sent = rows.filter(({ kind, status }) => (kind === "client" || kind === "page") && status < 400);
  let seen: WatchedPrompt | undefined;
  for (const { id } of sent.slice(-COMPARED)) {
    const head = (await store.requests.get(tenant, id))?.head;
    if (head !== undefined) seen = watchPrompt(seen, promptIn(dialect, head));
  }
  const changes = seen && systemChanges(seen);
  const newest = sent.at(-1);
  const keptMs = newest && detailsOf(newest).cacheMs;
  const ahead = keptMs ? aheadWords(rows, sent, keptMs) : undefined;
  return [...(changes ? [systemChangeWords(changes)] : []), ...(ahead === undefined ? [] : [ahead])];
}

/** What a model reads of a stored system prompt. */
function promptIn(dialect: Dialect<unknown>, head: string): string {
  const { system, lead } = readHead(dialect, head);
  const messages = hasSystem(system) ? [systemMessage(system), ...lead] : lead;
  return messages.map((message) => readableText(dialect.read(message))).join("\n");
}

/** A chat is idle from this share of the time on for which its provider keeps the prompt: somebody may still come back. */
export const IDLE_FROM = 0.6;
/** Below this share of the budget nothing is summarised ahead of time. */
const LEAST_PRESSURE = 0.4;
/** Cold compactions that it takes to say something about the next ones. */
const LEAST_COLD = 2;
/** What the question for a summary adds to the request that it continues (tokens). */
const QUESTION_TOKENS = 1_000;
/** Less isn't worth a sentence (US dollars). */
const LEAST_DOLLARS = 0.01;

/**
 * What summaries ahead of time would have saved. At a cold cache code speaks for what a compaction hides, and a model that is asked for
 * a summary later reads that at the full price. Ahead of time it would have been read from the cache, once: each pause costs a summary
 * then, whether somebody comes back or not, and where two are written, the second one reads as before.
 */
function aheadWords(
  rows: readonly StoredRequest[],
  sent: readonly StoredRequest[],
  keptMs: number,
): string | undefined {
  const { model = "" } = sent.at(-1)!;
  const { prices } = modelInfo(model);
  // Another model has nothing of the conversation in its cache.
  const summaries = rows.filter(({ kind, model: by, input }) => kind === "summary" && by === model && input);
  if (!prices || summaries.some((row) => detailsOf(row).cause === IDLE)) return undefined;
  const pauses = sent.flatMap((row, n) => {
    const before = sent[n - 1];
    const isPause = before && row.at - before.at - before.ms >= keptMs * IDLE_FROM && isLarge(before);
    return isPause ? [{ row, before }] : [];
  });
  const cold = pauses.filter(({ row }) => row.reason === "cold-cache");
  let calls = 0;
  let hidden = 0;
  for (const [n, { row, before }] of cold.entries()) {
    const tokens = (before.tokensAfter ?? 0) - (row.tokensAfter ?? 0);
    const until = cold[n + 1]?.row.at ?? Number.POSITIVE_INFINITY;
    // What corrects a summary reads little.
    const readers = summaries.filter(({ at, input = 0 }) => at >= row.at && at < until && input >= tokens);
    calls += readers.length;
    hidden += readers.length * tokens;
  }
  if (cold.length < LEAST_COLD || calls === 0) return undefined;
  const output = summaries.reduce((sum, one) => sum + (one.output ?? 0), 0) / summaries.length;
  const saved = spendOf({ input: hidden }, prices);
  const others = Math.max(0, calls / cold.length - 1);
  const other = spendOf({ input: hidden / calls + QUESTION_TOKENS, output }, prices);
  const paid = pauses.reduce((sum, { before: { input = 0 } }) => {
    const first = spendOf({ input: input + QUESTION_TOKENS, cacheRead: input, output }, prices);
    return sum + first + others * other;
  }, 0);
  if (saved - paid < LEAST_DOLLARS) return undefined;
  return `Summaries ahead of time (\`idleSummaries\`) would have saved about ${formatDollars(saved - paid)} in this conversation. ${cold.length} times somebody came back after the ${Math.round(keptMs / 60_000)} minutes for which the provider keeps a prompt, and what was hidden then was read at the full price by later summaries (${formatDollars(saved)}). Before these minutes were over, summaries would have cost ${formatDollars(paid)}.`;
}

/** Was it large enough to be summarised ahead of the next one? Small ones leave without being counted. */
function isLarge(row: StoredRequest): boolean {
  const { settings } = detailsOf(row);
  const { budget } = settings ?? {};
  return typeof budget === "number" && (row.tokensAfter ?? 0) >= budget * LEAST_PRESSURE;
}
