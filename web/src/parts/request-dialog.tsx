import { useEffect, useState } from "react";
import { type ApiRequest, routes } from "../../../src/gateway/api.ts";
import { explain } from "../state/api-client.ts";
import type { Chat } from "../state/chat-state.ts";
import { strings } from "../strings.ts";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";
import { useApp } from "./use-store.ts";

/** Longer requests are shown up to here; what is copied is always all of it. */
const SHOWN_CHARACTERS = 200_000;

export function RequestDialog({ chat, onClose }: { chat: Chat; onClose: () => void }) {
  const app = useApp();
  const [request, setRequest] = useState<ApiRequest>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    app.api
      .call(routes.request, { params: { id: chat.id } })
      .then(setRequest)
      .catch((cause) => setError(explain(cause).message));
  }, [app, chat]);
  const text = request === undefined ? "" : JSON.stringify(request.body, null, 2);
  return (
    <Dialog title={strings.inspect.requestTitle} onClose={onClose} side>
      {request === undefined ? (
        <p className="help">{error ?? strings.loading}</p>
      ) : (
        <>
          <p className="help">
            <code>
              {request.method} {request.path}
            </code>{" "}
            {strings.inspect.requestLead(request.bytes, request.tokens)}
          </p>
          <CopyButton text={() => text} caption={strings.copy} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
          <pre className="json" tabIndex={0}>
            {text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}\n…` : text}
          </pre>
        </>
      )}
    </Dialog>
  );
}
