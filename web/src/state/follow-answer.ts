import type { ApiMessage, ChatEvent } from "../../../src/gateway/api.ts";
import { ApiFailure, brokenOff } from "./api-client.ts";
import { type Answer, type ChatParts, type ChatStream, EMPTY_ANSWER } from "./chat-state.ts";

/** What came of a request: the server took it (whatever came of the answer), or why it didn't. */
export type Followed = { readonly isTaken: true } | { readonly isTaken: false; readonly error: unknown };

/** Shows an answer that this page asked for, event by event. */
export type FollowAnswer = (events: ChatStream, onTaken?: () => void) => Promise<Followed>;

/** Drawing each of thousands of pieces would keep the page from doing anything else (milliseconds). */
const DRAWN_EVERY_MS = 40;

export function createFollowAnswer(
  { store, transcript, setConversation }: ChatParts,
  on: {
    /** The connection broke after the server had taken what was said; so much of the answer had come. */
    cut(error: unknown, text: string): void;
    /** Whatever came of it. */
    end(): Promise<void>;
  },
): FollowAnswer {
  let answer = EMPTY_ANSWER;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const grow = (change: Partial<Answer>) => {
    answer = { ...answer, ...change };
    if (timer !== undefined) return;
    const shown = answer;
    store.set({ answer });
    timer = setTimeout(() => {
      timer = undefined;
      if (answer !== shown) grow({});
    }, DRAWN_EVERY_MS);
  };
  const end = () => {
    clearTimeout(timer);
    timer = undefined;
    store.set({ answer: undefined });
  };

  const finish = (message: ApiMessage | undefined) => {
    const { conversation } = store.get();
    if (message) transcript.put(message);
    end();
    if (conversation)
      setConversation({
        ...conversation,
        busy: undefined,
        messages: message === undefined ? conversation.messages : message.index + 1,
        updatedAt: Math.max(conversation.updatedAt, message?.at ?? 0),
      });
  };

  const take = (event: ChatEvent) => {
    switch (event.type) {
      case "accepted":
        setConversation(event.conversation);
        if (event.message) transcript.endWith(event.message);
        return;
      case "view":
        store.set(({ version }) => ({ version: version + 1 }));
        return;
      case "text":
        return grow({ text: answer.text + event.text });
      case "reasoning":
        return grow({ reasoning: answer.reasoning + event.text });
      case "lookup":
        return grow({ lookups: [...answer.lookups, event.lookup] });
      case "done":
        finish(event.message);
        store.set({ pressure: event.pressure });
        return;
      case "stopped":
        finish(event.message);
        store.set({ isStopped: event.message === undefined });
        return;
      case "failed": {
        const { conversation } = store.get();
        end();
        if (conversation) setConversation({ ...conversation, busy: undefined, failure: event.error });
        return;
      }
      case "known":
        finish(undefined);
        return;
      default:
        event satisfies never;
    }
  };

  return async (events, onTaken) => {
    answer = EMPTY_ANSWER;
    store.set({ answer, notice: undefined, isStopped: false });
    let isTaken = false;
    let isOver = false;
    const taken = () => {
      isTaken = true;
      onTaken?.();
    };
    try {
      for await (const { event } of events) {
        if (event.type === "failed" && !isTaken) throw new ApiFailure(event.error);
        if (!isTaken) taken();
        isOver = ENDS.has(event.type);
        take(event);
      }
      if (!isOver) throw brokenOff();
      return { isTaken: true };
    } catch (error) {
      if (!isTaken) return { isTaken, error };
      on.cut(error, answer.text);
      return { isTaken };
    } finally {
      if (store.get().answer?.mine) end();
      await on.end();
    }
  };
}

const ENDS: ReadonlySet<ChatEvent["type"]> = new Set(["done", "stopped", "failed", "known"]);
