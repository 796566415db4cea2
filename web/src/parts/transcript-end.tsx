import type { Chat } from "../state/chat-state.ts";
import { strings } from "../strings.ts";
import { Icon } from "./icon.tsx";
import { LiveAnswer } from "./live-answer.tsx";
import { Markdown } from "./markdown.tsx";
import { PlaceLink } from "./sidebar.tsx";
import { UnsentMessages } from "./unsent-messages.tsx";
import { useApp, usePiece, useStore } from "./use-store.ts";

/** What stands behind the last message: an answer on its way, one that broke off, what isn't sent, a way to try again. */
export function TranscriptEnd({ chat }: { chat: Chat }) {
  const { answer, cut } = useStore(chat.store);
  const isAnswering = answer !== undefined;
  return (
    <>
      {isAnswering ? <LiveAnswer answer={answer} /> : null}
      {cut === undefined || isAnswering ? null : <CutOff text={cut.text} />}
      {isAnswering ? null : <Unanswered chat={chat} />}
      <UnsentMessages chat={chat} />
    </>
  );
}

function CutOff({ text }: { text: string }) {
  return (
    <article className="message assistant speaks cut" aria-label={strings.chat.unfinished.broken}>
      <header>
        <span className="who">{strings.roles.assistant}</span>
        <span className="tag unfinished" title={strings.chat.unfinishedHelp.broken}>
          <Icon name="warn" size={12} /> {strings.chat.unfinished.broken}
        </span>
      </header>
      <div className="parts">
        <Markdown text={text} />
      </div>
    </article>
  );
}

/** Advice that the button beside it gives, too. */
const TRY_AGAIN = / Try again\.$/;

/** The newest message waits for an answer, or has only a part of one. */
function Unanswered({ chat }: { chat: Chat }) {
  const app = useApp();
  const hasUpstream = usePiece(app.store, ({ status }) => status?.hasUpstream === true);
  const conversation = usePiece(chat.store, (state) => state.conversation);
  const last = usePiece(chat.transcript.store, ({ messages, total }) => messages.get(total - 1));
  const unsent = usePiece(chat.outbox.store, ({ items }) => items.length);
  if (conversation === undefined || last === undefined || unsent > 0) return null;
  const { failure, busy, source } = conversation;
  const isAsked = last.role === "user" && last.parts.some(({ type }) => type !== "tool-result");
  if (!hasUpstream || busy === "answering" || source !== "page") return null;
  if (!isAsked && last.unfinished === undefined) return null;
  const fix = failure?.fix !== undefined && !failure.message.includes(failure.fix) ? failure.fix : undefined;
  return (
    <div
      className={`notice unanswered ${failure ? "error" : "info"}`}
      role={failure === undefined ? undefined : "alert"}
    >
      <Icon name={failure ? "warn" : "redo"} />
      <div>
        <strong>
          {failure?.message.replace(TRY_AGAIN, "") ??
            (isAsked ? strings.chat.unanswered : strings.chat.stopped)}
        </strong>
        {fix === undefined ? null : <small>{fix}</small>}
      </div>
      {failure?.code === "upstream-key" ? (
        <PlaceLink className="button" to={{ page: "settings" }}>
          {strings.chat.checkKey}
        </PlaceLink>
      ) : null}
      <button type="button" className="button" onClick={() => void chat.regenerate()}>
        {failure === undefined && isAsked ? strings.chat.answerIt : strings.retry}
      </button>
    </div>
  );
}
