import { routes } from "../../../src/gateway/api.ts";
import { type ChatParts, type ChatState, newestOf } from "./chat-state.ts";

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
  const refresh = async () => {
    const { loaded: wasLoaded } = transcript.store.get();
    const before = newestOf(transcript.store.get());
    const [meter] = await Promise.all([readMeter(), readConversation(), transcript.refresh()]);
    onTranscript();
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
  return { readMeter, refreshSoon };
}
