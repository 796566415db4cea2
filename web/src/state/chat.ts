import {
  type ApiConversation,
  type CompactAnswer,
  type ConversationChanges,
  routes,
} from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import { type Api, ApiFailure, explain } from "./api-client.ts";
import { type Chat, type ChatState, type ChatStream, EMPTY_ANSWER, NO_CHAT, newestOf } from "./chat-state.ts";
import { isStale } from "./conversations.ts";
import { type CutAnswer, keepCut, readCut } from "./cut-answer.ts";
import { createFollowAnswer } from "./follow-answer.ts";
import { createOutbox } from "./outbox.ts";
import { keepSeen, readSeen } from "./seen-failures.ts";
import { createSendUnsent } from "./send-unsent.ts";
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
  /** The model instead of the chat's own, where no server has that; undefined if it may be there. */
  readonly insteadOf?: (conversation: ApiConversation) => Promise<string | undefined>;
  readonly now?: () => number;
}

/** Events of the timeline that are read, the newest. */
const TIMELINE_LENGTH = 500;

const isCompactAnswer = (answer: unknown): answer is CompactAnswer =>
  typeof answer === "object" && answer !== null && "outcome" in answer;

/** What a person should know of a compaction that did less, or more, than was asked for. */
function noteworthy({ outcome, report, isJustCompacted }: CompactAnswer): string | undefined {
  const range = report?.warnings.find(({ code }) => code.startsWith("range-"));
  if (range) return range.message;
  if (isJustCompacted) return strings.compaction.justCompacted;
  if (outcome === "nothing-to-gain") return strings.compaction.nothingToGain;
  return outcome === "cancelled" ? strings.compaction.cancelled : undefined;
}

/** One conversation: its transcript, its answers, its compactions. */
export function createChat(options: ChatOptions): Chat {
  const { api, id, onConversation, onFork, isOffline, chooseModel, now = Date.now } = options;
  const params = { id };
  const transcript = createTranscript(api, id);
  const store = createStore<ChatState>({ ...NO_CHAT, cut: readCut(id), dismissed: readSeen(id) });
  const streams = new AbortController();

  const outbox = createOutbox(id);

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
  const setCut = (cut: CutAnswer | undefined) => {
    keepCut(id, cut);
    store.set({ cut });
  };
  /** What broke off is told by the server as soon as it has more of it. */
  const checkCut = () => {
    const { cut } = store.get();
    if (cut !== undefined && transcript.store.get().total > cut.length) setCut(undefined);
  };
  let shown = (): void => {};
  const isShown = new Promise<void>((resolve) => {
    shown = resolve;
  });
  let reads = 0;
  /** Nothing if it was asked for again meanwhile: the later answer knows more, whichever comes first. */
  const readMeter = async (): Promise<Partial<Pick<ChatState, "pressure" | "timeline">>> => {
    reads += 1;
    const mine = reads;
    const [pressure, { events }] = await Promise.all([
      api.call(routes.pressure, { params }),
      api.call(routes.timeline, { params, query: { limit: TIMELINE_LENGTH } }),
    ]);
    return mine === reads ? { pressure, timeline: events } : {};
  };
  /** Everything that a compaction may have changed. */
  const refresh = async () => {
    const { loaded: wasLoaded } = transcript.store.get();
    const before = newestOf(transcript.store.get());
    const [meter] = await Promise.all([
      readMeter(),
      api.call(routes.conversation, { params }).then(setConversation),
      transcript.refresh(),
    ]);
    checkCut();
    const after = newestOf(transcript.store.get());
    store.set(({ version, fresh }) => ({
      ...meter,
      version: version + 1,
      // What is read for the first time happened before anybody looked.
      fresh:
        after?.checkpoint === before?.checkpoint || !wasLoaded
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
    const { answer, compacting, conversation: known } = store.get();
    const { busy, messages } = conversation;
    setConversation(conversation);
    // Another tab chose something else: meter and fates follow from it.
    if (known && chosenIn(known) !== chosenIn(conversation)) void refreshSoon();
    // A summary in the background has ended. What was begun here ends with its own answer.
    if (busy === undefined && compacting && acting === 0) store.set({ compacting: undefined });
    if (busy === "compacting" && !compacting) store.set({ compacting: { reason: undefined, since: now() } });
    if (answer?.mine) return;
    if (busy === "answering" && answer === undefined) store.set({ answer: { ...EMPTY_ANSWER, mine: false } });
    if (busy !== "answering" && answer !== undefined) store.set({ answer: undefined });
    if (busy !== "answering") void sendUnsent("itself");
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
      if (streams.signal.aborted) return;
      await refreshSoon();
      // What was typed meanwhile; what is being sent goes on by itself.
      void sendUnsent("itself");
    },
  });

  const change = async (body: ConversationChanges) =>
    setConversation(await api.call(routes.changeConversation, { params, body }));
  /** What a chat without a model, or with one that isn't there, is asked with: the same for a message, a second try, an edit and a summary. */
  const missingModel = async (): Promise<{ model?: string }> => {
    const { conversation } = store.get();
    if (isOffline?.()) return {};
    const hasModel = conversation !== undefined && (conversation.model ?? "") !== "";
    const model = await (hasModel ? options.insteadOf?.(conversation) : chooseModel?.());
    return model === undefined ? {} : { model };
  };
  const takeModel = async () => {
    const missing = await missingModel();
    if (missing.model !== undefined) await change(missing);
  };

  const sendUnsent = createSendUnsent({
    api,
    id,
    store,
    transcript,
    outbox,
    follow,
    fail,
    refresh: refreshSoon,
    isOffline,
    missingModel,
    closed: streams.signal,
  });

  /** A compaction that a person asks for begins. */
  const beginCompacting = () => store.set({ compacting: { reason: "forced", since: now() } });

  /** An action that answers with the new view, and what to say when it is done. Resolves with false if it failed. */
  const act = async (work: () => Promise<unknown>, done?: string): Promise<boolean> => {
    store.set({ notice: undefined, failure: undefined });
    acting += 1;
    try {
      const answer = await work();
      const compaction = isCompactAnswer(answer) ? answer : undefined;
      if (compaction) store.set({ failure: compaction.failed });
      const message = (compaction && noteworthy(compaction)) ?? done;
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
    shown,
    async load(behind = false) {
      try {
        const [conversation] = await Promise.all([
          api.call(routes.conversation, { params }).then((found) => {
            setConversation(found);
            return found;
          }),
          // Of a long conversation this takes the server a while, in which it does nothing else.
          behind ? isShown.then(transcript.refresh) : transcript.refresh(),
        ]);
        takeConversation(conversation);
        store.set(await readMeter());
        checkCut();
        await sendUnsent("itself");
      } catch (error) {
        fail(error);
      }
    },
    outbox,
    async send(input) {
      const { id: item } = outbox.add(input);
      const { answer, conversation } = store.get();
      if (answer !== undefined || conversation?.busy === "answering") outbox.hold(item, { type: "busy" });
      await sendUnsent("person");
    },
    sendUnsent: () => sendUnsent("person"),
    takeBack(item) {
      const found = outbox.store.get().items.find((one) => one.id === item);
      if (found === undefined) return;
      store.set({ returned: { text: found.text, ...(found.images && { images: found.images }) } });
      outbox.remove(item);
      // What stood behind it goes out now.
      void sendUnsent("itself");
    },
    takeModel: () => takeModel().catch(fail),
    async edit(index, text) {
      await takeModel().catch(fail);
      const followed = await follow(
        api.stream(routes.editMessage, { params: { id, index }, body: { text } }),
      );
      if (!followed.isTaken) fail(followed.error);
      return followed.isTaken;
    },
    async regenerate(index) {
      const body = { ...(index !== undefined && { index }), ...(await missingModel()) };
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
      await act(
        () => change({ pins: [...pins].sort((a, b) => a - b) }),
        on ? strings.chat.nowPinned : strings.chat.nowUnpinned,
      );
    },
    async configure(settings) {
      try {
        await change({ settings });
        store.set({ notice: { kind: "info", message: strings.settings.saved } });
        return undefined;
      } catch (error) {
        return explain(error);
      } finally {
        await refreshSoon();
      }
    },
    setSystem: (system) => act(() => change({ system }), strings.settings.systemSaved),
    async compact(what = {}) {
      beginCompacting();
      await act(async () => {
        await takeModel();
        return api.call(routes.compact, { params, body: what });
      });
    },
    async seeIn(window) {
      beginCompacting();
      await act(async () => {
        await takeModel();
        const before = store.get().conversation?.settings.window ?? null;
        await change({ settings: { window } });
        const answer = await api.call(routes.compact, { params, body: {} });
        // Whoever cancels is told that nothing was changed.
        if (answer.outcome === "cancelled") await change({ settings: { window: before } });
        return answer;
      });
    },
    async undo() {
      await act(() => api.call(routes.undoCompaction, { params }), strings.compaction.undone);
    },
    async rebuild() {
      beginCompacting();
      await act(async () => {
        await takeModel();
        return api.call(routes.rebuild, { params });
      });
    },
    editSummary: (key, text) =>
      act(
        () => api.call(routes.editSummary, { params: { id, key }, body: { text } }),
        strings.compaction.saved,
      ),
    async clearSummaries() {
      await act(() => api.call(routes.clearSummaries, { params }), strings.compaction.cleared);
    },
    dismiss() {
      const seen = store.get().timeline.at(-1)?.id ?? 0;
      keepSeen(id, seen);
      store.set({ notice: undefined, fresh: undefined, failure: undefined, dismissed: seen });
    },
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

/** What a person chose for a conversation that changes its view. */
const chosenIn = ({ settings, model, pins }: ApiConversation): string =>
  JSON.stringify([settings, model, pins]);
