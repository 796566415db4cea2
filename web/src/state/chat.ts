import { type ApiConversation, answerOffline, type CompactAnswer, routes } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import { type Api, ApiFailure, explain } from "./api-client.ts";
import { type Chat, type ChatState, type ChatStream, EMPTY_ANSWER, NO_CHAT, newestOf } from "./chat-state.ts";
import { isStale } from "./conversations.ts";
import { type CutAnswer, keepCut, readCut } from "./cut-answer.ts";
import { createFollowAnswer, type Followed } from "./follow-answer.ts";
import { createOutbox, type Obstacle, type Unsent } from "./outbox.ts";
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
/** What waits for an answer in another tab is tried again after this. */
const BUSY_AGAIN_MS = 2_000;

/** What keeps something typed from being sent. */
function obstacleOf(error: unknown): Obstacle {
  const code = error instanceof ApiFailure ? error.code : undefined;
  if (code === "offline" || code === "busy") return { type: code };
  return { type: "refused", ...explain(error) };
}

const isCompactAnswer = (answer: unknown): answer is CompactAnswer =>
  typeof answer === "object" && answer !== null && "outcome" in answer;

/** One conversation: its transcript, its answers, its compactions. */
export function createChat(options: ChatOptions): Chat {
  const { api, id, onConversation, onFork, isOffline, chooseModel, now = Date.now } = options;
  const params = { id };
  const transcript = createTranscript(api, id);
  const store = createStore<ChatState>({ ...NO_CHAT, cut: readCut(id) });
  const streams = new AbortController();

  const outbox = createOutbox(id);
  const isLost = (error: unknown) => error instanceof ApiFailure && error.code === "offline";

  const fail = (error: unknown) => {
    if (streams.signal.aborted) return;
    if (error instanceof ApiFailure && error.status === 404) store.set({ missing: true });
    else
      store.set({
        notice: {
          kind: "error",
          ...explain(error),
          ...(isLost(error) && { passes: true }),
        },
      });
  };
  const setConversation = (conversation: ApiConversation) => {
    store.set({ conversation });
    onConversation(conversation);
  };
  const setCut = (cut: CutAnswer | undefined) => {
    keepCut(id, cut);
    store.set({ cut });
  };
  /** What broke off is told by the server as soon as it has more of it. */
  const checkCut = () => {
    const { cut } = store.get();
    if (cut !== undefined && transcript.store.get().total > cut.length) setCut(undefined);
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
    checkCut();
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
    if (busy !== "answering") void sendUnsent("itself");
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
    onCut(error, text) {
      fail(error);
      setCut(text === "" ? undefined : { text, length: transcript.store.get().total });
    },
    onEnd: async () => {
      if (!streams.signal.aborted) await refreshSoon();
    },
  });

  const sendOffline = async ({ id: item, text }: Unsent): Promise<Followed> => {
    store.set({ answer: EMPTY_ANSWER, notice: undefined });
    let isTaken = false;
    try {
      await answerOffline(api, id, text, (said) => {
        isTaken = true;
        outbox.remove(item);
        for (const message of said.messages) transcript.put(message);
      });
    } catch (error) {
      if (!isTaken) return { isTaken, error };
      fail(error);
    } finally {
      store.set({ answer: undefined, compacting: undefined });
      await refreshSoon();
    }
    return { isTaken: true };
  };

  const deliver = async (item: Unsent): Promise<Followed> => {
    if (isOffline?.()) return sendOffline(item);
    const { id: named, text, images } = item;
    const model = store.get().conversation?.model === undefined ? await chooseModel?.() : undefined;
    const body = { id: named, text, ...(images && { images }), ...(model !== undefined && { model }) };
    return follow(api.stream(routes.chat, { params, body }), { onTaken: () => outbox.remove(named) });
  };

  let isSending = false;
  /** Sends what is unsent, the oldest first. By itself nothing is sent again that the server refused. */
  const sendUnsent = async (by: "person" | "itself"): Promise<void> => {
    if (isSending || streams.signal.aborted) return;
    isSending = true;
    try {
      for (let item = outbox.first(); item !== undefined; item = outbox.first()) {
        if (by === "itself" && item.why?.type === "refused") return;
        outbox.hold(item.id, undefined);
        const followed = await deliver(item);
        if (followed.isTaken) continue;
        const obstacle = obstacleOf(followed.error);
        outbox.hold(item.id, obstacle);
        // The event that says that the chat is free again may have come while this was on its way, or not at all.
        if (obstacle.type === "busy") setTimeout(() => void sendUnsent("itself"), BUSY_AGAIN_MS);
        return;
      }
    } finally {
      isSending = false;
    }
  };

  /** An action that answers with the new view, and what to say when it is done. Resolves with false if it failed. */
  const act = async (work: () => Promise<unknown>, done?: string): Promise<boolean> => {
    store.set({ notice: undefined, failure: undefined });
    acting += 1;
    try {
      const answer = await work();
      const outcome = isCompactAnswer(answer) ? answer.outcome : undefined;
      if (isCompactAnswer(answer)) store.set({ failure: answer.failed });
      const range = isCompactAnswer(answer)
        ? answer.report?.warnings.find(({ code }) => code.startsWith("range-"))?.message
        : undefined;
      const message =
        range ??
        (outcome === "nothing-to-gain"
          ? strings.compaction.nothingToGain
          : outcome === "cancelled"
            ? strings.compaction.cancelled
            : done);
      if (message !== undefined) store.set({ notice: { kind: "info", message } });
      return true;
    } catch (error) {
      fail(error);
      return false;
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
        checkCut();
        await sendUnsent("itself");
      } catch (error) {
        fail(error);
      }
    },
    outbox,
    async send(input) {
      outbox.add(input);
      await sendUnsent("person");
    },
    sendUnsent: () => sendUnsent("person"),
    takeBack(item) {
      const found = outbox.store.get().items.find((one) => one.id === item);
      if (found === undefined) return;
      store.set({ returned: { text: found.text, ...(found.images && { images: found.images }) } });
      outbox.remove(item);
    },
    async edit(index, text) {
      const followed = await follow(
        api.stream(routes.editMessage, { params: { id, index }, body: { text } }),
      );
      if (!followed.isTaken) fail(followed.error);
      return followed.isTaken;
    },
    async regenerate(index) {
      const body = index === undefined ? {} : { index };
      const followed = await follow(api.stream(routes.regenerate, { params, body }));
      if (!followed.isTaken) fail(followed.error);
    },
    async adopt(events) {
      await follow(events, { wasTaken: true });
    },
    async stop() {
      const { compacting, answer } = store.get();
      try {
        await api.call(routes.stop, { params });
        // What was begun here says by its own answer that it was cancelled.
        if (compacting && !answer && acting === 0)
          store.set({ notice: { kind: "info", message: strings.compaction.cancelled } });
      } catch (error) {
        fail(error);
      }
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
      const body = { pins: [...pins].sort((a, b) => a - b) };
      await act(
        async () => setConversation(await api.call(routes.changeConversation, { params, body })),
        on ? strings.chat.nowPinned : strings.chat.nowUnpinned,
      );
    },
    async configure(settings) {
      await act(
        async () =>
          setConversation(await api.call(routes.changeConversation, { params, body: { settings } })),
        strings.settings.saved,
      );
    },
    setSystem: (system) =>
      act(
        async () => setConversation(await api.call(routes.changeConversation, { params, body: { system } })),
        strings.settings.systemSaved,
      ),
    async compact(what = {}) {
      store.set({ compacting: { reason: "forced", since: now() } });
      await act(() => api.call(routes.compact, { params, body: what }));
    },
    async seeIn(window) {
      store.set({ compacting: { reason: "forced", since: now() } });
      await act(async () => {
        setConversation(
          await api.call(routes.changeConversation, { params, body: { settings: { window } } }),
        );
        return api.call(routes.compact, { params, body: {} });
      });
    },
    async undo() {
      await act(() => api.call(routes.undoCompaction, { params }), strings.compaction.undone);
    },
    async rebuild() {
      store.set({ compacting: { reason: "forced", since: now() } });
      await act(() => api.call(routes.rebuild, { params }));
    },
    editSummary: (key, text) =>
      act(
        () => api.call(routes.editSummary, { params: { id, key }, body: { text } }),
        strings.compaction.saved,
      ),
    async clearSummaries() {
      await act(() => api.call(routes.clearSummaries, { params }), strings.compaction.cleared);
    },
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
        void sendUnsent("itself");
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
      outbox.close();
    },
  };
}
