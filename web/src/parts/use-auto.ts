import { inForce } from "../../../src/gateway/api.ts";
import type { Chat } from "../state/chat-state.ts";
import { useApp, usePiece } from "./use-store.ts";

/** Is a chat compacted by itself when it is due? */
export function useAuto(chat: Chat): boolean {
  const settings = usePiece(useApp().store, (state) => state.settings);
  const own = usePiece(chat.store, ({ conversation }) => conversation?.settings);
  return settings === undefined || inForce("auto", { answer: settings, chat: own }).value === true;
}
