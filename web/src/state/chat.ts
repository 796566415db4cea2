import { type ApiConversation, answerOffline, type CompactAnswer, routes } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import { type Api, ApiFailure, explain } from "./api-client.ts";
import { type Chat, type ChatState, type ChatStream, EMPTY_ANSWER, NO_CHAT, newestOf } from "./chat-state.ts";
import { isStale } from "./conversations.ts";
import { createFollowAnswer } from "./follow-answer.ts";
import { createStore } from "./store.ts";
import { createTranscript } from "./transcript.ts";

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

/** Events of the timeline that are read, the newest. */
const TIMELINE_LENGTH = 500;

const isCompactAnswer = (answer: unknown): answer is CompactAnswer =>
  typeof answer === "object" && answer !== null && "outcome" in answer;

/** One conversation: its transcript, its answers, its compactions. */
export function createChat(options: ChatOptions): Chat {
  const { api, id, onConversation, onFork, isOffline, chooseModel, now = Date.now } = options;
  const params = { id };
  const transcript = createTranscript(api, id);
  const store = createStore<ChatState>(NO_CHAT);
  const streams = new AbortController();

  const fail = (error: unknown) => {
    if (streams.signal.aborted) return;
    if (error instanceof ApiFailure && error.status === 404) store.set({ missing: true });
    else
      store.set({
        notice: {
          kind: "error",
          ...explain(error),
          ...(error instanceof ApiFailure && error.code === "offline" && { passes: true }),
        },
      });
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

  /** Compactions that this page asked for and waits for. */
  let acting = 0;
  /** A conversation as the server has it now: shows what others do in it. */
  const takeConversation = (conversation: ApiConversation) => {
    const { answer, compacting } = store.get();
    const { busy, messages } = conversation;
    setConversation(conversation);
    // A summary in the background has ended. What was begun here ends with its own answer.
    if (busy === undefined && compacting && acting === 0) store.set({ compacting: undefined });
    if (busy === "compacting" && !compacting) store.set({ compacting: { reason: undefined, since: now() } });
    if (answer?.mine) return;
    if (busy === "answering" && answer === undefined) store.set({ answer: { ...EMPTY_ANSWER, mine: false } });
    if (busy !== "answering" && answer !== undefined) store.set({ answer: undefined });
    if (messages !== transcript.store.get().total || (busy === undefined && answer !== undefined))
      void refreshSoon();
  };

  const follow = createFollowAnswer({
    id,
    store,
    transcript,
    setConversation,
    onFork,
    onFailure: fail,
    onEnd: async () => {
      if (!streams.signal.aborted) await refreshSoon();
    },
  });

  const sendOffline = async (text: string) => {
    store.set({ answer: EMPTY_ANSWER, notice: undefined });
    try {
      await answerOffline(api, id, text, (said) => {
        for (const message of said.messages) transcript.put(message);
      });
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
    acting += 1;
    try {
      const answer = await work();
      if (isCompactAnswer(answer)) {
        store.set({ failure: answer.failed });
        const range = answer.report?.warnings.find(({ code }) => code.startsWith("range-"))?.message;
        if (range !== undefined) store.set({ notice: { kind: "info", message: range } });
        else if (answer.outcome === "nothing-to-gain")
          store.set({ notice: { kind: "info", message: strings.compaction.nothingToGain } });
      }
    } catch (error) {
      fail(error);
    } finally {
      acting -= 1;
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
        await sendOffline(input.text);
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
    async compact(what = {}) {
      store.set({ compacting: { reason: "forced", since: now() } });
      await act(() => api.call(routes.compact, { params, body: what }));
    },
    undo: () => act(() => api.call(routes.undoCompaction, { params })),
    async rebuild() {
      store.set({ compacting: { reason: "forced", since: now() } });
      await act(() => api.call(routes.rebuild, { params }));
    },
    editSummary: (key, text) =>
      act(() => api.call(routes.editSummary, { params: { id, key }, body: { text } })),
    clearSummaries: () => act(() => api.call(routes.clearSummaries, { params })),
    dismiss: () =>
      store.set(({ timeline }) => ({
        notice: undefined,
        fresh: undefined,
        failure: undefined,
        dismissed: timeline.at(-1)?.id ?? 0,
      })),
    apply(event) {
      if (event.type === "hello") {
        const { notice } = store.get();
        if (notice?.passes) store.set({ notice: undefined });
        if (notice?.passes || event.missed) void refreshSoon();
      } else if (event.type === "conversation" && event.conversation.id === id) {
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
    },
  };
}
