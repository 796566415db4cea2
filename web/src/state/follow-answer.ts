import type { ApiConversation, ApiMessage, ChatEvent } from "../../../src/gateway/api.ts";
import { brokenOff } from "./api-client.ts";
import { type Answer, type ChatState, type ChatStream, EMPTY_ANSWER } from "./chat-state.ts";
import type { Store } from "./store.ts";
import type { Transcript } from "./transcript.ts";

/** Shows an answer that this page asked for, event by event. */
export type FollowAnswer = (events: ChatStream) => Promise<void>;

export function createFollowAnswer(options: {
  readonly id: string;
  readonly store: Store<ChatState>;
  readonly transcript: Transcript;
  readonly setConversation: (conversation: ApiConversation) => void;
  readonly onFork: (conversation: ApiConversation, answer: ChatStream) => void;
  readonly onFailure: (error: unknown) => void;
  /** Whatever came of it. */
  readonly onEnd: () => Promise<void>;
}): FollowAnswer {
  const { id, store, transcript, setConversation, onFork } = options;

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

  const take = (event: ChatEvent) => {
    switch (event.type) {
      case "accepted":
        setConversation(event.conversation);
        if (event.message) transcript.put(event.message);
        return;
      case "view":
        store.set(({ version }) => ({ version: version + 1 }));
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
        store.set({ answer: undefined, notice: { kind: "error", ...withoutEcho(event.error) } });
        return;
      default:
        event satisfies never;
    }
  };

  return async (events) => {
    store.set({ answer: EMPTY_ANSWER, notice: undefined });
    let isOver = false;
    try {
      // Not `for await`: that would end the stream when it is handed over.
      for (let step = await events.next(); !step.done; step = await events.next()) {
        const { event } = step.value;
        if (event.type === "accepted" && event.conversation.id !== id) {
          store.set({ answer: undefined });
          onFork(event.conversation, events);
          return;
        }
        isOver = event.type === "done" || event.type === "stopped" || event.type === "failed";
        take(event);
      }
      if (!isOver) throw brokenOff();
    } catch (error) {
      options.onFailure(error);
    } finally {
      if (store.get().answer?.mine) store.set({ answer: undefined });
      await options.onEnd();
    }
  };
}

/** Some messages say the fix already. */
const withoutEcho = ({ message, fix }: { readonly message: string; readonly fix?: string }) => ({
  message,
  ...(fix !== undefined && !message.includes(fix) && { fix }),
});
