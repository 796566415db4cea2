import { useEffect, useState } from "react";
import { routes, type WrittenText } from "../../../src/gateway/api.ts";
import { explain } from "../state/api-client.ts";
import type { Chat } from "../state/chat-state.ts";
import { strings } from "../strings.ts";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";
import { useApp, usePiece } from "./use-store.ts";

/** What is asked for: a summary, or with a goal the start of a fresh chat. */
interface Wish {
  readonly goal: string;
  readonly withModel: boolean;
}

/** A text about a chat that one can change, copy, or start a fresh chat with. */
export function TextDialog({ chat, onClose }: { chat: Chat; onClose: () => void }) {
  const app = useApp();
  const words = strings.text;
  const hasUpstream = usePiece(app.store, (state) => state.status?.hasUpstream === true);
  const [goal, setGoal] = useState("");
  const [withModel, setWithModel] = useState(false);
  const [wish, setWish] = useState<Wish>({ goal: "", withModel: false });
  const [written, setWritten] = useState<WrittenText>();
  const [text, setText] = useState("");
  const [error, setError] = useState<string>();
  const isWriting = written === undefined && error === undefined;

  useEffect(() => {
    let isGone = false;
    setWritten(undefined);
    setError(undefined);
    const body = {
      ...(wish.goal !== "" && { goal: wish.goal }),
      ...(wish.withModel && { withModel: true }),
    };
    app.api.call(routes.writeText, { params: { id: chat.id }, body }).then(
      (answer) => {
        if (isGone) return;
        setWritten(answer);
        setText(answer.text);
      },
      (cause) => {
        if (!isGone) setError(explain(cause).message);
      },
    );
    return () => {
      isGone = true;
    };
  }, [app, chat, wish]);

  const start = async () => {
    const title = wish.goal === "" ? {} : { title: wish.goal };
    const conversation = await app.newChat(title);
    if (conversation === undefined) return;
    onClose();
    await app.chat(conversation.id).send({ text });
  };

  return (
    <Dialog title={words.title} onClose={onClose} side>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          setWish({ goal: goal.trim(), withModel });
        }}
      >
        <p className="help">{words.help}</p>
        <label>
          {words.goal}
          <textarea
            rows={2}
            value={goal}
            placeholder={words.goalPlaceholder}
            onChange={(event) => setGoal(event.target.value)}
          />
        </label>
        {hasUpstream ? (
          <label className="check">
            <input
              type="checkbox"
              checked={withModel}
              onChange={(event) => setWithModel(event.target.checked)}
            />
            {words.withModel}
          </label>
        ) : null}
        <div className="row end">
          <button type="submit" className="button" disabled={isWriting}>
            {goal.trim() === "" ? words.writeSummary : words.writeStart}
          </button>
        </div>
      </form>
      <label className="written">
        {wish.goal === "" ? words.summary : words.startText}
        <textarea
          rows={6}
          value={isWriting ? words.writing : text}
          readOnly={isWriting}
          aria-busy={isWriting}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      {error === undefined ? null : (
        <p className="help" role="alert">
          {error}
        </p>
      )}
      {written === undefined ? null : (
        <p className="help">
          {words.tokens(written.tokens)}{" "}
          {written.model === undefined ? words.byCode : words.byModel(written.model)}
          {written.failed === undefined ? null : ` ${written.failed}`}
        </p>
      )}
      <div className="row end">
        <CopyButton text={() => text} label={words.copy} caption={words.copy} />
        <button
          type="button"
          className="button primary"
          disabled={isWriting || text.trim() === ""}
          onClick={() => void start()}
        >
          {words.start}
        </button>
      </div>
    </Dialog>
  );
}
