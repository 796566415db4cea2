import {
  type CompactAnswer,
  type CompactNow,
  type ConversationChanges,
  routes,
} from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import type { ChatParts } from "./chat-state.ts";

const words = strings.compaction;

const isCompactAnswer = (answer: unknown): answer is CompactAnswer =>
  typeof answer === "object" && answer !== null && "outcome" in answer;

/** What a person should know of a compaction that did less, or more, than was asked for. */
function noteworthy({ outcome, report, isJustCompacted }: CompactAnswer): string | undefined {
  const range = report?.warnings.find(({ code }) => code.startsWith("range-"));
  if (range) return range.message;
  if (isJustCompacted) return words.justCompacted;
  if (outcome === "nothing-to-gain") return words.nothingToGain;
  return outcome === "cancelled" ? words.cancelled : undefined;
}

/** Everything that changes a chat's view because a person asks for it. */
export function createChatCompactions(
  { api, id, store, transcript, fail, refresh }: ChatParts,
  options: {
    readonly change: (body: ConversationChanges) => Promise<void>;
    readonly takeModel: () => Promise<void>;
    readonly now: () => number;
  },
) {
  const { change, takeModel, now } = options;
  const params = { id };
  let acting = 0;

  /** An action that answers with the new view, and what to say when it is done. Resolves with false if it failed. */
  const act = async (work: () => Promise<unknown>, done?: string): Promise<boolean> => {
    store.set({ notice: undefined });
    acting += 1;
    try {
      const answer = await work();
      const compaction = isCompactAnswer(answer) ? answer : undefined;
      const message = (compaction && noteworthy(compaction)) ?? done;
      if (message !== undefined) store.set({ notice: { kind: "info", message } });
      return true;
    } catch (error) {
      fail(error);
      return false;
    } finally {
      acting -= 1;
      store.set({ compacting: undefined });
      await refresh();
    }
  };
  /** A compaction that a person asks for, by the chat's model. */
  const compactBy = async (work: () => Promise<CompactAnswer>): Promise<void> => {
    store.set({ compacting: { reason: "forced", since: now() } });
    await act(async () => {
      await takeModel();
      return work();
    });
  };

  return {
    /** Does this page wait for something that it asked for? */
    isActing: () => acting > 0,
    async pin(index: number, on: boolean) {
      const hash = transcript.store.get().messages.get(index)?.hash;
      if (hash === undefined) return;
      const pins = new Set(store.get().conversation?.pins ?? []);
      if (on) pins.add(hash);
      else pins.delete(hash);
      await act(() => change({ pins: [...pins] }), on ? strings.chat.nowPinned : strings.chat.nowUnpinned);
    },
    /** Resolves with false if it wasn't saved. */
    setSystem: (system: string) => act(() => change({ system }), strings.settings.systemSaved),
    compact: (what: CompactNow = {}) => compactBy(() => api.call(routes.compact, { params, body: what })),
    /** Takes a smaller window for this chat and compacts it. */
    seeIn: (window: number) =>
      compactBy(async () => {
        const before = store.get().conversation?.settings.window ?? null;
        await change({ settings: { window } });
        const answer = await api.call(routes.compact, { params, body: {} });
        // Whoever cancels is told that nothing was changed.
        if (answer.outcome === "cancelled") await change({ settings: { window: before } });
        return answer;
      }),
    async undo() {
      await act(() => api.call(routes.undoCompaction, { params }), words.undone);
    },
    rebuild: () => compactBy(() => api.call(routes.rebuild, { params })),
    /** Resolves with false if it wasn't saved. */
    editSummary: (key: string, text: string) =>
      act(() => api.call(routes.editSummary, { params: { id, key }, body: { text } }), words.saved),
    async clearSummaries() {
      if (await act(() => api.call(routes.clearSummaries, { params })))
        store.set({ notice: { kind: "info", message: words.cleared, undo: "cleared" } });
    },
    async restoreSummaries() {
      await act(() => api.call(routes.restoreSummaries, { params }), words.restored);
    },
  };
}
