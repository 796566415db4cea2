import { useEffect } from "react";
import { strings } from "../strings.ts";
import { Button, CloseButton } from "./controls.tsx";
import { Icon } from "./icon.tsx";
import { useApp, usePiece, useStore } from "./use-store.ts";

/** How long a deletion can be taken back here; the server may allow longer. */
const UNDO_SHOWN_MS = 12_000;

export function Toasts() {
  const app = useApp();
  const { toast, opening } = useStore(app.store);
  const { deleted } = useStore(app.conversations.store);
  const { connection } = useStore(app.live.store);
  const wanted = usePiece(app.clientKey.store, (state) => state.wanted);
  // A chat says it beside its message box, where it lies over nothing.
  const isTalk = usePiece(app.router.store, ({ place }) => place.page === "chat" && place.tab === "chat");
  useEffect(() => {
    if (deleted === undefined) return;
    const timer = setTimeout(() => app.conversations.store.set({ deleted: undefined }), UNDO_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [app, deleted]);
  return (
    <div className="toasts">
      {connection === "lost" && !wanted && !isTalk ? (
        <div className="toast" role="status">
          <span className="spinner" aria-hidden="true" /> {strings.connection.lost}
        </div>
      ) : null}
      {opening === undefined ? null : (
        <div className="toast" role="status">
          <span className="spinner" aria-hidden="true" /> {strings.home.opening(opening)}
        </div>
      )}
      {deleted === undefined ? null : (
        <div className="toast" role="status">
          {strings.sidebar.removed(deleted.conversation.title || strings.sidebar.untitled)}
          <Button
            look="link"
            onClick={() =>
              app.attempt(async () => {
                const back = await app.conversations.undelete();
                if (back) app.router.go({ page: "chat", id: back.id, tab: "chat" });
              })
            }
          >
            {strings.undo}
          </Button>
        </div>
      )}
      {toast === undefined ? null : (
        <div className={`toast ${toast.kind}`} role={toast.kind === "error" ? "alert" : "status"}>
          <Icon name={toast.kind === "error" ? "warn" : "check"} />
          <span>
            {toast.message}
            {toast.fix === undefined ? null : <small>{toast.fix}</small>}
          </span>
          <CloseButton size={16} onClick={() => app.tell(undefined)} />
        </div>
      )}
    </div>
  );
}
