import { useDeferredValue, useEffect, useRef, useState } from "react";
import type { ApiConversation, ModelsAnswer } from "../../../src/gateway/api.ts";
import { ApiFailure, explain } from "../state/api-client.ts";
import type { Chat } from "../state/chat.ts";
import type { Answer } from "../state/chat-state.ts";
import { isEmptyAnswer, textOf } from "../state/message-text.ts";
import { type Obstacle, obstacleAt } from "../state/outbox.ts";
import { strings } from "../strings.ts";
import { Button, Notice } from "./controls.tsx";
import { Icon } from "./icon.tsx";
import { Lookups } from "./lookups.tsx";
import { Markdown } from "./markdown.tsx";
import { PartView } from "./part-view.tsx";
import { Picture } from "./picture.tsx";
import { PlaceLink } from "./place-link.tsx";
import { useApp, usePiece, useStore } from "./use-store.ts";
import { UserText } from "./user-text.tsx";

/** What stands behind the last message: an answer on its way, one that broke off, what isn't sent, a way to try again. */
export function TranscriptEnd({ chat }: { chat: Chat }) {
  const { answer, cut } = useStore(chat.store);
  const total = usePiece(chat.transcript.store, (state) => state.total);
  const isAnswering = answer !== undefined;
  return (
    <>
      <UnsentMessages chat={chat} areOnTheirWay />
      {isAnswering ? <LiveAnswer answer={answer} /> : null}
      {cut === undefined || cut.length < total || isAnswering ? null : <CutOff text={cut.text} />}
      {isAnswering ? null : <Unanswered chat={chat} />}
      <UnsentMessages chat={chat} />
    </>
  );
}

/** Words of an answer that this page saw, and the server has lost or may have. */
export function CutOff({ text }: { text: string }) {
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
  const status = usePiece(app.store, (state) => state.status);
  const models = usePiece(app.store, (state) => state.models);
  const pressure = usePiece(chat.store, (state) => state.pressure);
  const conversation = usePiece(chat.store, (state) => state.conversation);
  const last = usePiece(chat.transcript.store, ({ messages, total }) => messages.get(total - 1));
  const unsent = usePiece(chat.outbox.store, ({ items }) => items.length);
  const isStopped = usePiece(chat.store, (state) => state.isStopped);
  if (conversation === undefined || last === undefined || unsent > 0) return null;
  const { failure, busy, client } = conversation;
  const said = failure && explain(new ApiFailure(failure));
  const isAsked = last.role === "user" && last.parts.some(({ type }) => type !== "tool-result");
  if (status === undefined || busy === "answering") return null;
  // The offline assistant replaces no answer of a model.
  const { unfinished } = last;
  const isEmpty = isEmptyAnswer(last);
  const canRetry = isAsked || ((isEmpty || unfinished !== undefined) && status.hasUpstream);
  // Another answer than the one that is there may have been asked for, and failed.
  if (!canRetry && failure === undefined) return null;
  // What a client asked is answered to the client; what failed or broke off here was asked here.
  if (client !== undefined && failure === undefined && unfinished === undefined) return null;
  // The same request would be refused again: only a shorter message or a larger window helps.
  const isTooLong = failure?.code === "budget-impossible" && pressure?.next === "impossible";
  const larger = isTooLong ? modelFor(models, conversation, pressure.budget.head + last.tokens) : undefined;
  return (
    <Notice
      kind={`unanswered ${failure ? "error" : "info"}`}
      icon={failure ? "warn" : "redo"}
      title={
        (isTooLong
          ? strings.chat.tooLongFor(last.tokens, conversation.model ?? "", pressure.budget.room)
          : said?.message.replace(TRY_AGAIN, "")) ??
        (isAsked
          ? isStopped
            ? strings.chat.half.stopped
            : strings.chat.unanswered
          : isEmpty
            ? strings.chat.emptyAgain
            : strings.chat.half[unfinished ?? "stopped"])
      }
      help={
        isTooLong
          ? strings.chat.tooLong(larger !== undefined)
          : failure === undefined && unfinished === "length"
            ? strings.chat.halfFix
            : said?.fix
      }
      role={failure && "alert"}
    >
      {failure?.code === "upstream-key" ? (
        <PlaceLink className="button" to={{ page: "settings" }}>
          {strings.chat.checkKey}
        </PlaceLink>
      ) : null}
      {larger === undefined ? null : (
        <Button
          onClick={() =>
            void app.attempt(async () => {
              await app.conversations.change(conversation.id, { model: larger.id });
              await chat.regenerate();
            })
          }
        >
          {strings.chat.answerWith(larger.id, larger.window)}
        </Button>
      )}
      {isTooLong || !canRetry ? null : (
        <Button onClick={() => void chat.regenerate()}>{strings.retry}</Button>
      )}
    </Notice>
  );
}

/** Says to whoever doesn't see the page that an answer has come, and how long it is. */
export function AnswerStatus({ chat }: { chat: Chat }) {
  const isAnswering = usePiece(chat.store, ({ answer }) => answer !== undefined);
  const last = usePiece(chat.transcript.store, ({ messages, total }) => messages.get(total - 1));
  /** What stood last as an answer began. */
  const before = useRef<string>(undefined);
  const [words, setWords] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each answer, as soon as its message is there
  useEffect(() => {
    if (isAnswering) {
      before.current ??= last?.hash ?? "";
      setWords("");
    } else if (before.current !== undefined && last?.role === "assistant" && last.hash !== before.current) {
      before.current = undefined;
      setWords(strings.chat.answered(textOf(last.parts).match(/\S+/g)?.length ?? 0));
    }
  }, [isAnswering, last?.hash]);
  return (
    <p className="visually-hidden" role="status">
      {words}
    </p>
  );
}

/** Of a window so much is left for messages, whatever else is kept free. */
const FOR_MESSAGES = 0.8;

/** The model with the smallest window that what must be sent fits; undefined where a window was chosen for the chat, or none has one. */
function modelFor(
  models: ModelsAnswer | undefined,
  { settings }: ApiConversation,
  tokens: number,
): ModelsAnswer["models"][number] | undefined {
  if (settings.window !== undefined || settings.budget !== undefined) return undefined;
  return models?.models
    .filter(({ window, windowFrom }) => windowFrom !== "guess" && window * FOR_MESSAGES > tokens)
    .sort((one, other) => one.window - other.window)[0];
}

/** The answer while it is written. Typing goes before drawing it. */
function LiveAnswer({ answer }: { answer: Answer }) {
  const text = useDeferredValue(answer.text);
  const state = answer.mine
    ? answer.reasoning !== "" && text === ""
      ? strings.chat.thinking
      : strings.chat.answering
    : strings.chat.elsewhere;
  return (
    <article className="message assistant speaks writing" aria-busy="true" aria-label={state}>
      <header>
        <span className="who">{strings.roles.assistant}</span>
        <span className="facts" role="status">
          {state}
        </span>
      </header>
      <div className="parts">
        {answer.reasoning === "" ? null : (
          <PartView part={{ type: "reasoning", text: answer.reasoning, signed: false }} />
        )}
        <Lookups lookups={answer.lookups} />
        {text === "" ? <span className="caret" /> : <Markdown text={text} />}
      </div>
    </article>
  );
}

/**
 * What was typed and hasn't reached the server, with why. It is never thrown away. What is on its way looks as if it were there, above
 * the answer; the transcript may have it already.
 */
function UnsentMessages({ chat, areOnTheirWay = false }: { chat: Chat; areOnTheirWay?: boolean }) {
  const { items } = useStore(chat.outbox.store);
  const last = usePiece(chat.transcript.store, ({ messages, total }) => messages.get(total - 1));
  return items.map((item, nth) => {
    const why = obstacleAt(items, nth);
    if ((why === undefined) !== areOnTheirWay) return null;
    if (areOnTheirWay && last?.role === "user" && textOf(last.parts) === item.text) return null;
    const label = areOnTheirWay ? strings.outbox.sending : strings.outbox.label;
    return (
      <article
        key={item.id}
        className={`message user speaks${areOnTheirWay ? "" : " unsent"}`}
        aria-label={label}
      >
        <header>
          <span className="who">{strings.roles.user}</span>
          {areOnTheirWay ? null : <span className="tag unfinished">{label}</span>}
        </header>
        <div className="parts">
          <UserText text={item.text} />
          {item.images?.map((source, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same picture may be attached twice
            <Picture key={n} source={source} />
          ))}
        </div>
        {why === undefined ? null : (
          <>
            <p className="unsent-why" role="status">
              {wordsOf(why)}
            </p>
            <div className="row">
              {why.type === "busy" || why.type === "behind" ? null : (
                <Button icon="send" onClick={() => void chat.sendUnsent()}>
                  {strings.outbox.sendNow}
                </Button>
              )}
              <Button icon="edit" onClick={() => chat.takeBack(item.id)}>
                {strings.outbox.takeBack}
              </Button>
            </div>
          </>
        )}
      </article>
    );
  });
}

function wordsOf(why: Obstacle): string {
  if (why.type !== "refused") return strings.outbox[why.type];
  return why.fix === undefined ? why.message : `${why.message} ${why.fix}`;
}
