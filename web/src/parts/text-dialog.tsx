import { useEffect, useState } from "react";
import { routes, type WrittenText } from "../../../src/gateway/api.ts";
import { explain } from "../state/api-client.ts";
import type { Chat } from "../state/chat.ts";
import { type TextDraft, textDrafts } from "../state/kept.ts";
import { strings } from "../strings.ts";
import { useTokens } from "./compact-dialog.tsx";
import { Button, Form } from "./controls.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";
import { useLoaded } from "./use-loaded.ts";
import { useApp, usePiece, useSummaryPrice } from "./use-store.ts";

/** What is asked for: a summary, or with a goal the start of a fresh chat. */
interface Wish {
  readonly goal: string;
  readonly withModel: boolean;
  /** The words are there already: a person's own. */
  readonly isKept?: true;
}

/** A text is about every message. */
const ALL = [{ from: 0, to: Number.POSITIVE_INFINITY }];

/** A text about a chat that one can change, copy, or start a fresh chat with. */
export function TextDialog({ chat, onClose }: { chat: Chat; onClose: () => void }) {
  const app = useApp();
  const words = strings.text;
  const hasUpstream = usePiece(app.store, (state) => state.status?.hasUpstream === true);
  const [kept] = useState(() => textDrafts.read(chat.id));
  const [goal, setGoal] = useState(kept?.goal ?? "");
  const [withModel, setWithModel] = useState(false);
  const tokens = useTokens(chat, withModel ? ALL : undefined);
  const price = useSummaryPrice(chat, tokens);
  const [wish, setWish] = useState<Wish>({
    goal: kept?.goal ?? "",
    withModel: false,
    ...(kept && { isKept: true }),
  });
  const [text, setText] = useState(kept?.text ?? "");
  /** A person's own words that a text which was written anew has taken the place of. */
  const [replaced, setReplaced] = useState<TextDraft>();
  const { written, error } = useWritten(chat, wish, setText);
  const isWriting = !wish.isKept && written === undefined && error === undefined;
  const isOwn = wish.isKept || (written !== undefined && text !== written.text);

  const write = (words: string) => {
    setText(words);
    textDrafts.keep(chat.id, words.trim() === "" ? undefined : { goal: wish.goal, text: words });
  };
  const bringBack = ({ goal: before, text: words }: TextDraft) => {
    setGoal(before);
    setWish({ goal: before, withModel, isKept: true });
    setText(words);
    setReplaced(undefined);
    textDrafts.keep(chat.id, { goal: before, text: words });
  };

  const start = async () => {
    const title = wish.goal === "" ? {} : { title: wish.goal };
    const conversation = await app.newChat(title);
    if (conversation === undefined) return;
    textDrafts.keep(chat.id, undefined);
    onClose();
    await app.chat(conversation.id).send({ text });
  };

  return (
    <Dialog title={words.title} onClose={onClose} side>
      <Form
        className="form"
        onSubmit={() => {
          if (isOwn) setReplaced({ goal: wish.goal, text });
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
        {tokens === undefined ? null : <p className="help">{price}</p>}
        <div className="row end">
          <Button type="submit" disabled={isWriting}>
            {goal.trim() === "" ? words.writeSummary : words.writeStart}
          </Button>
        </div>
      </Form>
      <label className="written">
        {wish.goal === "" ? words.summary : words.startText}
        <textarea
          rows={6}
          value={isWriting ? words.writing : text}
          readOnly={isWriting}
          aria-busy={isWriting}
          onChange={(event) => write(event.target.value)}
        />
      </label>
      {wish.isKept ? <p className="help">{words.kept}</p> : null}
      {replaced === undefined || isWriting ? null : (
        <p className="help">
          {words.replaced}{" "}
          <Button look="link" onClick={() => bringBack(replaced)}>
            {words.bringBack}
          </Button>
        </p>
      )}
      {error === undefined ? null : (
        <p className="help" role="alert">
          {error}
        </p>
      )}
      {written === undefined ? null : (
        <p className="help">
          {written.text.trim() === ""
            ? words.empty
            : `${words.tokens(written.tokens)} ${written.model === undefined ? words.byCode : words.byModel(written.model)}`}
          {written.failed === undefined ? null : ` ${written.failed}`}
        </p>
      )}
      <div className="row end">
        <CopyButton text={() => text} label={words.copy} caption={words.copy} />
        <Button look="button primary" disabled={isWriting || text.trim() === ""} onClick={() => void start()}>
          {words.start}
        </Button>
      </div>
    </Dialog>
  );
}

/** Has a text written whenever the wish is another one; `onText` gets its words. */
function useWritten(
  chat: Chat,
  wish: Wish,
  onText: (text: string) => void,
): { readonly written: WrittenText | undefined; readonly error: string | undefined } {
  const app = useApp();
  const { goal, withModel, isKept } = wish;
  const { value, error, isLoading } = useLoaded(() => {
    const ask = async () => {
      if (withModel) await chat.takeModel();
      return app.api.call(routes.writeText, {
        params: { id: chat.id },
        body: { ...(goal !== "" && { goal }), ...(withModel && { withModel }) },
      });
    };
    return isKept ? undefined : ask();
  }, [app, chat, wish]);
  const written = isLoading ? undefined : value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each text
  useEffect(() => {
    if (written !== undefined) onText(written.text);
  }, [written]);
  return { written, error: error === undefined ? undefined : explain(error).message };
}
