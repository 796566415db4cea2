import { REASON_WORDS, RUNG_WORDS } from "../../core/words.ts";
import {
  type ApiClient,
  type ApiConversation,
  ApiFailure,
  type ApiMessage,
  type ApiMessages,
  type ApiPressure,
  type ChatEvent,
  type CompactAnswer,
  type LiveEvent,
  type Lookup,
  type NewConversation,
  type RungName,
  routes,
} from "../../gateway/api.ts";
import { formatCount, formatDollars, oneLine } from "../format.ts";
import type { Tone } from "../io.ts";

/** What a turn brings, as it comes. */
interface Hear {
  text(piece: string): void;
  reasoning(piece: string): void;
}

/** What the session tells by itself. */
interface SessionListener {
  notice(notice: Notice): void;
  /** Messages that came from elsewhere: the page, another terminal. */
  messages(messages: readonly ApiMessage[]): void;
}

/** One conversation on a server, as a person in a terminal has it. */
export interface ChatSession {
  readonly api: ApiClient;
  /** No model is configured: answers only quote. */
  readonly offline: boolean;
  /** Undefined until something is said: a chat that was only looked at leaves nothing behind. */
  id(): string | undefined;
  /** Makes the conversation if it isn't there yet. */
  ensure(firstWords?: string): Promise<string>;
  say(text: string, hear: Hear): Promise<"done" | "stopped">;
  stop(): Promise<void>;
  compact(focus: string | undefined): Promise<void>;
  /** Takes the newest compaction back. */
  undo(): Promise<CompactAnswer>;
  conversation(): Promise<ApiConversation | undefined>;
  pressure(): Promise<ApiPressure | undefined>;
  messages(range?: { readonly from?: number; readonly to?: number }): Promise<ApiMessages>;
  apply(event: LiveEvent): void;
}

const TITLE_CHARS = 60;

export function createChatSession(options: {
  readonly api: ApiClient;
  readonly offline: boolean;
  readonly conversation: ApiConversation | undefined;
  readonly start: NewConversation;
  readonly listener: SessionListener;
}): ChatSession {
  const { api, offline, start, listener } = options;
  let id = options.conversation?.id;
  /** Messages that stand on the screen already. */
  let seen = options.conversation?.messages ?? 0;
  /** Our own work tells its own story; what the live stream says about it would be said twice. */
  let jobs = 0;
  /** Id of the newest event on the timeline that we know. */
  let known = "";
  /** A compaction that was asked for here is under way. */
  let byHand = false;
  const shownFailures = new Set<string>();

  const params = () => {
    if (id === undefined) throw new ApiFailure({ code: "empty", message: "There are no messages yet." });
    return { id };
  };
  /** What happened up to now was our own doing: it isn't told again when the live stream brings it. */
  const noteEvents = async (): Promise<void> => {
    if (id === undefined) return;
    const { events } = await api.call(routes.timeline, {
      params: { id },
      query: known === "" ? {} : { after: known },
    });
    known = events.at(-1)?.id ?? known;
    if (byHand) for (const event of events) if (event.type === "failed") shownFailures.add(event.id);
  };
  const work = async <T>(job: () => Promise<T>): Promise<T> => {
    jobs++;
    try {
      return await job();
    } finally {
      await noteEvents().catch(() => {});
      jobs--;
    }
  };
  const catchUp = async (total: number): Promise<void> => {
    if (id === undefined || jobs > 0 || total <= seen) return;
    const from = seen;
    seen = total;
    const { messages } = await api.call(routes.messages, { params: { id }, query: { from } });
    listener.messages(messages);
  };

  const session: ChatSession = {
    api,
    offline,
    id: () => id,
    async ensure(firstWords = "") {
      if (id !== undefined) return id;
      const title = oneLine(firstWords, TITLE_CHARS);
      const made = await api.call(routes.createConversation, {
        body: { ...start, ...(title !== "" && { title }) },
      });
      id = made.id;
      return id;
    },
    async say(text, hear) {
      const chat = await session.ensure(text);
      return work(async () => {
        let outcome: "done" | "stopped" | undefined;
        for await (const { event } of api.stream(routes.chat, { params: { id: chat }, body: { text } })) {
          outcome = take(event, hear) ?? outcome;
        }
        if (outcome === undefined)
          throw new ApiFailure({
            code: "cut-off",
            message: "The server broke off in the middle of the answer.",
          });
        return outcome;
      });
    },
    async stop() {
      if (id !== undefined) await api.call(routes.stop, { params: { id } });
    },
    async compact(focus) {
      listener.notice({ tone: "accent", text: "Compacting…" });
      byHand = true;
      const answer = await work<CompactAnswer>(() =>
        api.call(routes.compact, { params: params(), body: focus === undefined ? {} : { focus } }),
      ).finally(() => {
        byHand = false;
      });
      for (const notice of compactionNotice(answer)) listener.notice(notice);
    },
    undo: () => work(() => api.call(routes.undoCompaction, { params: params() })),
    conversation: async () =>
      id === undefined ? undefined : api.call(routes.conversation, { params: { id } }),
    pressure: async () => (id === undefined ? undefined : api.call(routes.pressure, { params: { id } })),
    messages: (query = {}) => api.call(routes.messages, { params: params(), query }),
    apply(event) {
      if (id === undefined) return;
      if (event.type === "conversation" && event.conversation.id === id) {
        // The live stream mustn't end with a message that can't be read just now.
        if (event.conversation.busy !== "answering") catchUp(event.conversation.messages).catch(() => {});
        return;
      }
      const eventId = event.type === "timeline" ? event.event.id : undefined;
      // What failed in a compaction by hand is in its answer; what failed in the background is told here alone.
      const isShown = byHand || (eventId !== undefined && shownFailures.has(eventId));
      const notice = eventNotice(event, id, {
        isOurs: jobs > 0 || (eventId !== undefined && eventId <= known),
        isShown,
      });
      if (notice !== undefined) listener.notice(notice);
    },
  };

  const take = (event: ChatEvent, hear: Hear): "done" | "stopped" | undefined => {
    switch (event.type) {
      case "accepted":
        if (event.message !== undefined) seen = event.message.index + 1;
        return undefined;
      case "view":
        if (event.outcome === "compacted") listener.notice(turnNotice(event.tokens, event.pressure));
        return undefined;
      case "text":
        hear.text(event.text);
        return undefined;
      case "reasoning":
        hear.reasoning(event.text);
        return undefined;
      case "lookup":
        listener.notice(lookupNotice(event.lookup, event.lead));
        return undefined;
      case "done":
        seen = event.message.index + 1;
        return "done";
      case "stopped":
        if (event.message !== undefined) seen = event.message.index + 1;
        return "stopped";
      case "failed":
        throw new ApiFailure(event.error);
      case "known":
        return "done";
      default:
        return event satisfies never;
    }
  };
  return session;
}

/** Something that a person is told beside the conversation. */
export interface Notice {
  readonly tone: Tone;
  readonly text: string;
}

const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;

/** What came of a compaction that was asked for. */
function compactionNotice(answer: CompactAnswer): Notice[] {
  const { outcome, report, pressure, failed: why, isJustCompacted } = answer;
  const failure = why ? [failed(why.message, why.fallback)] : [];
  if (outcome === "cancelled") return [{ tone: "warn", text: "Stopped: nothing was compacted." }];
  if (isJustCompacted)
    return [
      { tone: "warn", text: "The chat was just compacted and has no new messages, so nothing changed." },
    ];
  if (report === undefined || outcome !== "compacted")
    return [...failure, { tone: "warn", text: "Nothing to gain: the view is as small as it gets." }];
  const { before, after } = report.tokens;
  const { covered, edited, dropped } = report.counts;
  const facts = [
    `${formatCount(before)} → ${formatCount(after)} tokens`,
    ...(covered > 0 ? [`${formatCount(covered)} messages summarised`] : []),
    ...(edited > 0 ? [`${formatCount(edited)} shortened`] : []),
    ...(dropped > 0 ? [`${formatCount(dropped)} left out`] : []),
    ...(report.cost > 0 ? [formatDollars(report.cost)] : []),
    ...(pressure.isOpen ? [] : [`${percent(pressure.pressure)} full`]),
  ];
  return [...failure, { tone: "good", text: `Compacted: ${facts.join(", ")}. /undo reverts it.` }];
}

/** A compaction that came with a turn. */
const turnNotice = (
  tokens: { readonly before: number; readonly after: number },
  pressure: number,
): Notice => ({
  tone: "good",
  text: `Compacted: ${formatCount(tokens.before)} → ${formatCount(tokens.after)} tokens, ${percent(pressure)} full. /undo reverts it.`,
});

/** So many messages are named; of more, their number says enough. */
const MAX_NAMED = 8;

/** What the model looked up before it went on. */
function lookupNotice({ query, found }: Lookup, lead: number): Notice {
  const named = found.slice(0, MAX_NAMED).map((index) => `#${index + 1 + lead}`);
  const more = found.length > named.length ? ", …" : "";
  const passages = found.length === 1 ? "1 passage" : `${formatCount(found.length)} passages`;
  return {
    tone: "dim",
    text: `Looked up: ${query}, ${found.length === 0 ? "nothing found" : `${passages} (${named.join(", ")}${more})`}.`,
  };
}

const failed = (message: string, fallback: RungName | undefined): Notice => ({
  tone: "bad",
  text: `The summary failed${message === "" ? "" : `: ${message.replace(/\.$/, "")}`}. ${
    fallback === undefined
      ? "It will be tried again."
      : `Done instead: ${RUNG_WORDS[fallback].toLowerCase()}.`
  }`,
});

/** What the live stream tells about this conversation. `isOurs`: its own answer tells of it. `isTold`: the failure was told. */
function eventNotice(
  event: LiveEvent,
  id: string,
  { isOurs, isShown }: { readonly isOurs: boolean; readonly isShown: boolean },
): Notice | undefined {
  if (event.type === "compacting" && event.conversation === id)
    return isOurs && event.reason === "forced"
      ? undefined
      : { tone: "accent", text: `Compacting, because ${REASON_WORDS[event.reason]}…` };
  if (event.type !== "timeline" || event.event.conversation !== id) return undefined;
  const fact = event.event;
  switch (fact.type) {
    case "compacted":
      return isOurs ? undefined : turnNotice(fact.tokens, fact.pressure.after);
    case "summary":
      return {
        tone: "good",
        text: `A summary of ${formatCount(fact.summary.tokens.source)} tokens in ${formatCount(fact.summary.tokens.text)} is ready (${fact.summary.model}).`,
      };
    case "failed":
      return isShown ? undefined : failed(fact.message, fact.fallback);
    case "rejected":
      return {
        tone: "warn",
        text: "The provider rejected the request as too long. It is compacted and sent again.",
      };
    case "loop":
      return { tone: "warn", text: `The same tool was called ${fact.rounds} times in a row: ${fact.tool}.` };
    case "repeated":
      return {
        tone: "warn",
        text: `Repeated calls whose results were hidden: ${fact.calls.join(", ")}.`,
      };
    case "recalled":
      return {
        tone: "accent",
        text: `Quoted hidden passages for this question: ${fact.words.join(", ")}.`,
      };
    case "undone":
    case "cleared":
    case "restored":
    case "summary-edited":
      return isOurs ? undefined : { tone: "accent", text: ELSEWHERE[fact.type] };
    default:
      return fact satisfies never;
  }
}

const ELSEWHERE = {
  undone: "A compaction was undone elsewhere.",
  cleared: "The summaries of this chat were cleared elsewhere.",
  restored: "The cleared summaries of this chat were restored elsewhere.",
  "summary-edited": "The summary was edited elsewhere.",
} as const;
