import { useState } from "react";
import { type CompactNow, type Run, routes } from "../../../src/gateway/api.ts";
import type { Chat } from "../state/chat.ts";
import { newestOf } from "../state/chat-state.ts";
import { tokensOf } from "../state/view.ts";
import { strings } from "../strings.ts";
import { Button, Form } from "./controls.tsx";
import { Dialog } from "./dialog.tsx";
import { useLoaded } from "./use-loaded.ts";
import { useApp, useNumbers, usePiece, useSummaryPrice } from "./use-store.ts";

/** What is to be compacted: what is due or a part, or all that was, written anew. */
export type CompactWish = Pick<CompactNow, "upTo" | "range"> | "rebuild";

const words = strings.compaction;

/** Says what a compaction by hand takes and what it frees, before it happens. */
export function CompactDialog(props: {
  chat: Chat;
  wish: CompactWish;
  onGo: () => void;
  onClose: () => void;
}) {
  const { chat, wish, onGo, onClose } = props;
  const app = useApp();
  const numbers = useNumbers();
  const covers = usePiece(chat.transcript.store, (state) => newestOf(state)?.covers);
  const [focus, setFocus] = useState("");
  const isRebuild = wish === "rebuild";
  const part = isRebuild
    ? covers
    : wish.upTo === undefined
      ? wish.range && [wish.range]
      : [{ from: 0, to: wish.upTo }];
  const tokens = useTokens(chat, part);
  const price = useSummaryPrice(chat, tokens);
  // No model is asked for it: a summary of another hand takes about as much room.
  const { value: tried, isLoading } = useLoaded(
    () =>
      part === undefined
        ? app.api.call(routes.whatIf, { params: { id: chat.id }, body: { force: true } })
        : undefined,
    [app, chat],
  );
  const title = isRebuild
    ? words.rebuild
    : wish.upTo !== undefined
      ? words.upTo(numbers.one(wish.upTo - 1))
      : wish.range
        ? words.run(numbers.run(wish.range))
        : words.focusTitle;
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        className="form"
        onSubmit={() => {
          onClose();
          onGo();
          void (isRebuild
            ? chat.rebuild()
            : chat.compact({ ...wish, ...(focus.trim() !== "" && { focus: focus.trim() }) }));
        }}
      >
        <p className="help">
          {isRebuild ? words.rebuildHelp : words.focusHelp}{" "}
          {part !== undefined && tokens === undefined ? null : price}
        </p>
        {part !== undefined ? null : (
          <p className="gain" role="status">
            {tried === undefined
              ? isLoading && words.gainLooking
              : tried.isJustCompacted
                ? words.justCompacted
                : tried.outcome === "compacted" && tried.tokens.after < tried.tokens.before
                  ? words.gain(tried.tokens.before, tried.tokens.after)
                  : words.nothingToGain}
          </p>
        )}
        {isRebuild ? null : (
          <label>
            {words.focusLabel}
            <textarea
              rows={3}
              value={focus}
              placeholder={words.focusPlaceholder}
              onChange={(event) => setFocus(event.target.value)}
            />
          </label>
        )}
        <div className="row end">
          <Button onClick={onClose}>{strings.cancel}</Button>
          <Button look="button primary" type="submit">
            {isRebuild ? words.rebuildGo : words.focusGo}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

/** How many tokens some messages have; undefined until that is known, and where none are named. */
export function useTokens(chat: Chat, runs: readonly Run[] | undefined): number | undefined {
  const app = useApp();
  const { value: view } = useLoaded(
    () => (runs === undefined ? undefined : app.api.call(routes.view, { params: { id: chat.id } })),
    [app, chat, runs === undefined],
  );
  return view && runs && tokensOf(view, runs);
}
