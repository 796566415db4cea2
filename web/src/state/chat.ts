import {
  type ApiConversation,
  type ApiMessage,
  type ApiPressure,
  type ChatEvent,
  type ChatInput,
  type ChatSettings,
  type CompactAnswer,
  type Divider,
  type LiveEvent,
  type Part,
  type Reason,
  routes,
  type SettingsChange,
  type TimelineEvent,
} from "../../../src/gateway/api.ts";
import { type Api, ApiFailure, explain } from "./api-client.ts";
import { isStale } from "./conversations.ts";
import { quoteAnswer } from "./offline-assistant.ts";
import { createStore, type Store } from "./store.ts";
import { createTranscript, type Transcript } from "./transcript.ts";
import { type Failure, failureOf } from "./turns.ts";

/** An answer while it is written. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly Part[];
  /** Asked for by this page, or seen from elsewhere (another tab, a page before a reload). */
  readonly mine: boolean;
}

export interface Notice {
  readonly kind: "info" | "error";
  readonly message: string;
  readonly fix?: string;
}

export interface ChatState {
  readonly conversation: ApiConversation | undefined;
  readonly pressure: ApiPressure | undefined;
  readonly timeline: readonly TimelineEvent[];
  readonly answer: Answer | undefined;
  readonly compacting: { readonly reason: Reason; readonly since: number } | undefined;
  readonly notice: Notice | undefined;
  /** The compaction that happened while this page was looking. */
  readonly fresh: Divider | undefined;
  /** A summary that was asked for here and failed, with what was done instead. */
  readonly failure: Failure | undefined;
  readonly missing: boolean;
  /** Grows whenever the view may have changed; whoever shows a view reads it again. */
  readonly version: number;
}

export interface Chat {
  readonly id: string;
  readonly store: Store<ChatState>;
  readonly transcript: Transcript;
  load(): Promise<void>;
  send(input: ChatInput): Promise<void>;
  edit(index: number, text: string): Promise<void>;
  regenerate(index?: number): Promise<void>;
  /** Goes on with an answer that was asked for in the conversation that this one is a fork of. */
  adopt(answer: ChatStream): Promise<void>;
  stop(): Promise<void>;
  fork(length: number): Promise<void>;
  pin(index: number, on: boolean): Promise<void>;
  configure(settings: SettingsChange<ChatSettings>): Promise<void>;
  compact(focus?: string): Promise<void>;
  undo(): Promise<void>;
  rebuild(): Promise<void>;
  editSummary(key: string, text: string): Promise<void>;
  clearSummaries(): Promise<void>;
  dismiss(): void;
  apply(event: LiveEvent): void;
  close(): void;
}

export type ChatStream = AsyncGenerator<{ readonly event: ChatEvent }>;

export interface ChatOptions {
  readonly api: Api;
  readonly id: string;
  readonly onConversation: (conversation: ApiConversation) => void;
  /** An edit or a fork made another conversation; if it is being answered, with the rest of that stream. */
  readonly onFork: (conversation: ApiConversation, answer?: ChatStream) => void;
  /** No model is configured: answers only quote. */
  readonly isOffline?: () => boolean;
  /** The model for a chat that has none yet. */
  readonly chooseModel?: () => Promise<string | undefined>;
  readonly now?: () => number;
}

const WATCH_MS = 1_500;

/** Events of the timeline that are read, the newest. */
const TIMELINE_LENGTH = 500;

const isCompactAnswer = (answer: unknown): answer is CompactAnswer =>
  typeof answer === "object" && answer !== null && "outcome" in answer;

/** Dialects whose system prompt stands among the messages, where summaries count it. */
const COUNTS_SYSTEM = ["openai-chat", "ai-sdk"];

/** How many messages the numbers in summaries count that indexes don't. */
export function leadOf(
  { conversation }: Pick<ChatState, "conversation">,
  { lead, system }: { readonly lead?: number | undefined; readonly system: string },
): number {
  return lead ?? (system !== "" && COUNTS_SYSTEM.includes(conversation?.dialect ?? "") ? 1 : 0);
}

/** The compaction that was applied last. */
const newestOf = ({ dividers }: { readonly dividers: readonly Divider[] }): Divider | undefined =>
  dividers.reduce<Divider | undefined>(
    (newest, one) => (newest && newest.at > one.at ? newest : one),
    undefined,
  );

const EMPTY_ANSWER: Answer = { text: "", reasoning: "", calls: [], mine: true };

/** One conversation: its transcript, its answers, its compactions. */
export function createChat(options: ChatOptions): Chat {
  const { api, id, onConversation, onFork, isOffline, chooseModel, now = Date.now } = options;
  const params = { id };
  const transcript = createTranscript(api, id);
  const store = createStore<ChatState>({
    conversation: undefined,
    pressure: undefined,
    timeline: [],
    answer: undefined,
    compacting: undefined,
    notice: undefined,
    fresh: undefined,
    failure: undefined,
    missing: false,
    version: 0,
  });
  const streams = new AbortController();

  const fail = (error: unknown) => {
    if (streams.signal.aborted) return;
    if (error instanceof ApiFailure && error.status === 404) store.set({ missing: true });
    else store.set({ notice: { kind: "error", ...explain(error) } });
  };
  const setConversation = (conversation: ApiConversation) => {
    store.set({ conversation });
    onConversation(conversation);
  };
  /** Everything that a compaction may have changed. */
  const refresh = async () => {
    const before = newestOf(transcript.store.get());
    const [, pressure, { events }] = await Promise.all([
      api.call(routes.conversation, { params }).then(setConversation),
      api.call(routes.pressure, { params }),
      api.call(routes.timeline, { params, query: { limit: TIMELINE_LENGTH } }),
      transcript.refresh(),
    ]);
    const after = newestOf(transcript.store.get());
    store.set(({ version, fresh }) => ({
      pressure,
      timeline: events,
      version: version + 1,
      fresh:
        after?.checkpoint === before?.checkpoint
          ? fresh
          : after && (!before || after.at > before.at)
            ? after
            : undefined,
    }));
  };
  /** One refresh at a time, and one more if something came in between. */
  let refreshing: Promise<void> | undefined;
  let again = false;
  const refreshSoon = (): Promise<void> => {
    again = refreshing !== undefined;
    refreshing ??= refresh()
      .catch(fail)
      .finally(() => {
        refreshing = undefined;
        if (again) void refreshSoon();
      });
    return refreshing;
  };

  /** Looks again now and then while work goes on that this page isn't told the end of. */
  let watching: ReturnType<typeof setTimeout> | undefined;
  const watch = () => {
    clearTimeout(watching);
    watching = setTimeout(async () => {
      if (streams.signal.aborted || store.get().answer?.mine) return;
      await api
        .call(routes.conversation, { params })
        .then(takeConversation)
        .catch(() => undefined);
    }, WATCH_MS);
  };
  /** A conversation as the server has it now: shows what others do in it. */
  const takeConversation = (conversation: ApiConversation) => {
    const { answer } = store.get();
    setConversation(conversation);
    if (answer?.mine) return;
    const { busy, messages } = conversation;
    if (busy === "answering" && answer === undefined) store.set({ answer: { ...EMPTY_ANSWER, mine: false } });
    if (busy !== "answering" && answer !== undefined) store.set({ answer: undefined });
    if (busy !== undefined) watch();
    if (messages !== transcript.store.get().total || (busy === undefined && answer !== undefined))
      void refreshSoon();
  };

  const follow = async (events: ChatStream) => {
    store.set({ answer: EMPTY_ANSWER, notice: undefined });
    try {
      // Not `for await`: that would end the stream when it is handed over.
      for (let step = await events.next(); !step.done; step = await events.next()) {
        const { event } = step.value;
        if (event.type === "accepted" && event.conversation.id !== id) {
          store.set({ answer: undefined });
          onFork(event.conversation, events);
          return;
        }
        takeEvent(event);
      }
    } catch (error) {
      fail(error);
    } finally {
      if (store.get().answer?.mine) store.set({ answer: undefined });
      if (!streams.signal.aborted) await refreshSoon();
    }
  };

  const grow = (change: (answer: Answer) => Partial<Answer>) =>
    store.set(({ answer = EMPTY_ANSWER }) => ({ answer: { ...answer, ...change(answer), mine: true } }));

  const finish = (message: ApiMessage | undefined) => {
    const { conversation } = store.get();
    if (message) transcript.put(message);
    store.set({ answer: undefined });
    if (conversation)
      setConversation({
        ...conversation,
        busy: undefined,
        messages: Math.max(conversation.messages, message === undefined ? 0 : message.index + 1),
        updatedAt: Math.max(conversation.updatedAt, message?.at ?? 0),
      });
  };

  const takeEvent = (event: ChatEvent) => {
    switch (event.type) {
      case "accepted":
        setConversation(event.conversation);
        if (event.message) transcript.put(event.message);
        return;
      case "view":
        store.set(({ version }) => ({ compacting: undefined, version: version + 1 }));
        return;
      case "text":
        return grow(({ text }) => ({ text: text + event.text }));
      case "reasoning":
        return grow(({ reasoning }) => ({ reasoning: reasoning + event.text }));
      case "tool-call":
        return grow(({ calls }) => ({ calls: [...calls, event.part] }));
      case "done":
        finish(event.message);
        store.set({ pressure: event.pressure });
        return;
      case "stopped":
        finish(event.message);
        return;
      case "failed":
        store.set({
          answer: undefined,
          notice: {
            kind: "error",
            message: event.error.message,
            ...(event.error.fix !== undefined &&
              !event.error.message.includes(event.error.fix) && { fix: event.error.fix }),
          },
        });
        return;
      default:
        event satisfies never;
    }
  };

  const answerOffline = async (text: string) => {
    store.set({ answer: EMPTY_ANSWER, notice: undefined });
    try {
      const said = await api.call(routes.appendMessage, { params, body: { role: "user", text } });
      for (const message of said.messages) transcript.put(message);
      const before = said.messages[0]?.index ?? said.total - 1;
      const answer = await quoteAnswer(api, id, text, { before, lead: leadOf(store.get(), said) });
      await api.call(routes.appendMessage, { params, body: { role: "assistant", text: answer } });
      const pressure = await api.call(routes.pressure, { params });
      const auto = store.get().conversation?.settings.auto ?? true;
      if (auto && pressure.pressure >= pressure.startsAt) {
        store.set({ compacting: { reason: "pressure", since: now() } });
        await api.call(routes.compact, { params, body: {} });
      }
    } catch (error) {
      fail(error);
    } finally {
      store.set({ answer: undefined, compacting: undefined });
      await refreshSoon();
    }
  };

  /** An action that answers with the new view. */
  const act = async (work: () => Promise<unknown>) => {
    store.set({ notice: undefined, failure: undefined });
    try {
      const answer = await work();
      if (isCompactAnswer(answer)) store.set({ failure: failureOf(answer.report) });
    } catch (error) {
      fail(error);
    } finally {
      store.set({ compacting: undefined });
      await refreshSoon();
    }
  };

  return {
    id,
    store,
    transcript,
    async load() {
      try {
        const [conversation] = await Promise.all([
          api.call(routes.conversation, { params }),
          transcript.refresh(),
        ]);
        takeConversation(conversation);
        const [pressure, { events }] = await Promise.all([
          api.call(routes.pressure, { params }),
          api.call(routes.timeline, { params, query: { limit: TIMELINE_LENGTH } }),
        ]);
        store.set({ pressure, timeline: events });
      } catch (error) {
        fail(error);
      }
    },
    async send(input) {
      if (isOffline?.()) {
        await answerOffline(input.text);
        return;
      }
      const model = store.get().conversation?.model === undefined ? await chooseModel?.() : undefined;
      const body = { ...input, ...(model !== undefined && { model }) };
      await follow(api.stream(routes.chat, { params, body }));
    },
    edit: (index, text) => follow(api.stream(routes.editMessage, { params: { id, index }, body: { text } })),
    regenerate: (index) =>
      follow(api.stream(routes.regenerate, { params, body: index === undefined ? {} : { index } })),
    adopt: follow,
    async stop() {
      await api.call(routes.stop, { params }).catch(fail);
      store.set({ compacting: undefined });
    },
    async fork(length) {
      try {
        onFork(await api.call(routes.fork, { params, body: { length } }));
      } catch (error) {
        fail(error);
      }
    },
    async pin(index, on) {
      const pins = new Set(store.get().conversation?.pins ?? []);
      if (on) pins.add(index);
      else pins.delete(index);
      await act(async () =>
        setConversation(
          await api.call(routes.changeConversation, {
            params,
            body: { pins: [...pins].sort((a, b) => a - b) },
          }),
        ),
      );
    },
    configure: (settings) =>
      act(async () =>
        setConversation(await api.call(routes.changeConversation, { params, body: { settings } })),
      ),
    async compact(focus) {
      store.set({ compacting: { reason: "forced", since: now() } });
      await act(() => api.call(routes.compact, { params, body: focus ? { focus } : {} }));
    },
    undo: () => act(() => api.call(routes.undoCompaction, { params })),
    async rebuild() {
      store.set({ compacting: { reason: "forced", since: now() } });
      await act(() => api.call(routes.rebuild, { params }));
    },
    editSummary: (key, text) =>
      act(() => api.call(routes.editSummary, { params: { id, key }, body: { text } })),
    clearSummaries: () => act(() => api.call(routes.clearSummaries, { params })),
    dismiss: () => store.set({ notice: undefined, fresh: undefined, failure: undefined }),
    apply(event) {
      if (event.type === "hello" && event.missed) void refreshSoon();
      else if (event.type === "conversation" && event.conversation.id === id) {
        const known = store.get().conversation;
        if (known === undefined || !isStale(event.conversation, known)) takeConversation(event.conversation);
      } else if (event.type === "answer" && event.conversation === id) {
        const { answer } = store.get();
        if (!answer?.mine) store.set({ answer: { ...EMPTY_ANSWER, text: event.text, mine: false } });
      } else if (event.type === "compacting" && event.conversation === id) {
        store.set({ compacting: { reason: event.reason, since: now() } });
      } else if (event.type === "timeline" && event.event.conversation === id) {
        if (event.event.type !== "summary") store.set({ compacting: undefined });
        if (!store.get().answer?.mine) void refreshSoon();
      } else if (event.type === "settings") void refreshSoon();
    },
    close() {
      streams.abort();
      clearTimeout(watching);
    },
  };
}
