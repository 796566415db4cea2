import {
  type ApiConversation,
  type ChatInput,
  type ChatSettings,
  type ConversationChanges,
  type LiveEvent,
  routes,
  type SettingsChange,
} from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import { type Api, ApiFailure, explain, type Trouble } from "./api-client.ts";
import { createChatCompactions } from "./chat-compactions.ts";
import { createChatRefresh } from "./chat-refresh.ts";
import { type ChatParts, type ChatState, type ChatStream, EMPTY_ANSWER, NO_CHAT } from "./chat-state.ts";
import { isStale } from "./conversations.ts";
import { createFollowAnswer } from "./follow-answer.ts";
import { type CutAnswer, cutAnswers, seenEvents } from "./kept.ts";
import { letInformationGo } from "./let-information-go.ts";
import { createOutbox } from "./outbox.ts";
import { createSendUnsent } from "./send-unsent.ts";
import { createStore } from "./store.ts";
import { createTranscript } from "./transcript.ts";

export interface ChatOptions {
  readonly api: Api;
  readonly id: string;
  readonly onConversation: (conversation: ApiConversation) => void;
  readonly onFork: (conversation: ApiConversation) => void;
  /** No model is configured: answers only quote. */
  readonly isOffline?: () => boolean;
  /** The model for a chat that has none yet. */
  readonly chooseModel?: () => Promise<string | undefined>;
  /** The model instead of the chat's own, where no server has that; undefined if it may be there. */
  readonly insteadOf?: (conversation: ApiConversation) => Promise<string | undefined>;
  readonly now?: () => number;
}

export type Chat = ReturnType<typeof createChat>;

/** One conversation: its transcript, its answers, its compactions. */
export function createChat(options: ChatOptions) {
  const { api, id, onConversation, onFork, isOffline, chooseModel, now = Date.now } = options;
  const params = { id };
  const transcript = createTranscript(api, id);
  const store = createStore<ChatState>({
    ...NO_CHAT,
    cut: cutAnswers.read(id),
    dismissed: seenEvents.read(id) ?? "",
  });
  const streams = new AbortController();
  letInformationGo(store, "notice", streams.signal);

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
    cutAnswers.keep(id, cut);
    store.set({ cut });
  };
  /** What broke off stays where it stood until the server has an answer there. */
  const checkCut = () => {
    const { cut } = store.get();
    const answer = cut && transcript.store.get().messages.get(cut.length);
    if (answer?.role === "assistant") setCut(undefined);
  };
  let shown = (): void => {};
  const isShown = new Promise<void>((resolve) => {
    shown = resolve;
  });
  /** The conversation as it is; what came while it was asked for is newer than the answer. */
  const readConversation = async (): Promise<ApiConversation> => {
    const { conversation: before } = store.get();
    const found = await api.call(routes.conversation, { params });
    const { conversation: now } = store.get();
    if (now !== undefined && now !== before) return now;
    setConversation(found);
    return found;
  };
  const base = { api, id, store, transcript, setConversation, readConversation, fail };
  const { readMeter, refreshSoon, noticeCompaction } = createChatRefresh(base, checkCut);
  const parts: ChatParts = { ...base, refresh: refreshSoon };

  /** A conversation as the server has it now: shows what others do in it. */
  const takeConversation = (conversation: ApiConversation) => {
    const { answer, compacting, conversation: known } = store.get();
    const { busy, leaf } = conversation;
    setConversation(conversation);
    // Another tab chose something else: meter and fates follow from it.
    if (known && chosenIn(known) !== chosenIn(conversation)) void refreshSoon();
    // A summary in the background has ended. What was begun here ends with its own answer.
    if (busy === undefined && compacting && !isActing()) store.set({ compacting: undefined });
    if (busy === "compacting" && !compacting) store.set({ compacting: { reason: undefined, since: now() } });
    if (answer?.mine) return;
    if (busy === "answering" && answer === undefined) store.set({ answer: { ...EMPTY_ANSWER, mine: false } });
    if (busy !== "answering" && answer !== undefined) store.set({ answer: undefined });
    if (busy !== "answering") void sendUnsent("itself");
    if (leaf !== transcript.store.get().leaf || (busy === undefined && answer !== undefined))
      void refreshSoon();
  };

  const follow = createFollowAnswer(parts, {
    cut(error, text) {
      fail(error);
      // Nobody knows whether it is still being written; the server says so as soon as it is there again.
      const { conversation } = store.get();
      if (conversation) setConversation({ ...conversation, busy: undefined });
      if (text !== "") setCut({ text, length: transcript.store.get().total });
    },
    async end() {
      if (streams.signal.aborted) return;
      await refreshSoon();
      // What was typed meanwhile; what is being sent goes on by itself.
      void sendUnsent("itself");
    },
  });

  /** Resolves with false if the server refused. */
  const ask = async (events: ChatStream, onTaken?: () => void): Promise<boolean> => {
    const followed = await follow(events, onTaken);
    if (!followed.isTaken) fail(followed.error);
    return followed.isTaken;
  };
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

  const closed = streams.signal;
  const sendUnsent = createSendUnsent(parts, { outbox, follow, missingModel, closed });
  const { isActing, ...compactions } = createChatCompactions(parts, { change, takeModel, now });

  return {
    id,
    store,
    transcript,
    outbox,
    ...compactions,
    /** What is looked at is on screen. */
    shown,
    /** With `behind`, what is looked at first is something else: the meter waits until `shown` is said. */
    async load(behind = false) {
      try {
        await Promise.all([
          readConversation(),
          // Of a long conversation this takes the server a while, in which it does nothing else.
          behind ? isShown.then(transcript.refresh) : transcript.refresh(),
        ]);
        const conversation = store.get().conversation!;
        takeConversation(conversation);
        // It is judged by the window of the model that would answer.
        if (conversation.client === undefined && (conversation.model ?? "") === "")
          await takeModel().catch(fail);
        store.set(await readMeter());
        checkCut();
        noticeCompaction();
        await sendUnsent("itself");
      } catch (error) {
        fail(error);
      }
    },
    async send(input: ChatInput) {
      store.set({ fresh: undefined });
      const { id: item } = outbox.add(input);
      const { answer, conversation } = store.get();
      if (answer !== undefined || conversation?.busy === "answering") outbox.hold(item, { type: "busy" });
      await sendUnsent("person");
    },
    /** Sends what is in the outbox, as far as it goes. */
    sendUnsent: () => sendUnsent("person"),
    /** Puts something unsent back into the box. */
    takeBack(item: string) {
      const found = outbox.store.get().items.find((one) => one.id === item);
      if (found === undefined) return;
      store.set({ returned: { text: found.text, ...(found.images && { images: found.images }) } });
      outbox.remove(item);
      // What stood behind it goes out now.
      void sendUnsent("itself");
    },
    /** A chat that has no model yet takes the one that a message would be sent to. */
    takeModel: () => takeModel().catch(fail),
    /** Resolves with false if the server didn't take it. */
    async edit(index: number, text: string) {
      await takeModel().catch(fail);
      const events = api.stream(routes.editMessage, { params: { id, index }, body: { text } });
      return new Promise<boolean>(
        (taken) =>
          void ask(events, () => {
            setCut(undefined);
            taken(true);
          }).then(taken),
      );
    },
    async regenerate(index?: number) {
      const body = { ...(index !== undefined && { index }), ...(await missingModel()) };
      await ask(api.stream(routes.regenerate, { params, body }), () => setCut(undefined));
    },
    /** Shows the branch that holds a message, given its hash. */
    async showBranch(message: string) {
      setCut(undefined);
      await api.call(routes.showBranch, { params, body: { message } }).then(takeConversation).catch(fail);
    },
    async stop() {
      const { compacting, answer } = store.get();
      try {
        await api.call(routes.stop, { params });
        // What was begun here says by its own answer that it was cancelled.
        if (compacting && !answer && !isActing())
          store.set({ notice: { kind: "info", message: strings.compaction.cancelled } });
      } catch (error) {
        fail(error);
      }
      store.set({ compacting: undefined });
    },
    async fork(length: number) {
      await api.call(routes.fork, { params, body: { length } }).then(onFork).catch(fail);
    },
    /** Resolves with what the server has against it. */
    async configure(settings: SettingsChange<ChatSettings>): Promise<Trouble | undefined> {
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
    dismiss() {
      const seen = store.get().timeline.at(-1)?.id ?? "";
      seenEvents.keep(id, seen);
      store.set({ notice: undefined, fresh: undefined, dismissed: seen });
    },
    apply(event: LiveEvent) {
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
