import { routes } from "../../../src/gateway/api.ts";
import { type ChatParts, type ChatState, newestOf } from "./chat-state.ts";
import { seenCompactions } from "./kept.ts";

/** Events of the timeline that are read, the newest. */
const TIMELINE_LENGTH = 500;

/** Reads anew what a compaction, an answer or another page may have changed of a chat. */
export function createChatRefresh(
  { api, id, store, transcript, readConversation, fail }: Omit<ChatParts, "refresh">,
  onTranscript: () => void,
) {
  const params = { id };
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
  let seen = seenCompactions.read(id);
  /** A compaction since this tab last looked, a reload ago, too. What is seen for the first time happened before anybody looked. */
  const noticeCompaction = () => {
    const newest = newestOf(transcript.store.get());
    const at = newest?.at ?? 0;
    if (seen !== undefined && at !== seen) store.set({ fresh: at > seen ? newest : undefined });
    seen = at;
    seenCompactions.keep(id, at);
  };
  const refresh = async () => {
    const [meter] = await Promise.all([readMeter(), readConversation(), transcript.refresh()]);
    onTranscript();
    noticeCompaction();
    store.set(({ version }) => ({ ...meter, version: version + 1 }));
  };
  let refreshing: Promise<void> | undefined;
  let again = false;
  /** One refresh at a time, and one more if something came in between. */
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
  return { readMeter, refreshSoon, noticeCompaction };
}
