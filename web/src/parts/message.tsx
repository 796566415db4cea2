import { memo, useMemo, useState } from "react";
import { type ApiMessage, splitAttachments, withAttachments } from "../../../src/gateway/api.ts";
import { ApiFailure, explain } from "../state/api-client.ts";
import { LONG_PASTE } from "../state/attachments.ts";
import { dollars, duration, moment } from "../state/format.ts";
import { isEmptyAnswer, oneLine, textOf } from "../state/message-text.ts";
import { strings } from "../strings.ts";
import { Attached, withPaste } from "./composer.tsx";
import { EditForm } from "./controls.tsx";
import { Fold } from "./fold.tsx";
import { Icon } from "./icon.tsx";
import { Lookups } from "./lookups.tsx";
import { Actions, type MessageActions, Versions } from "./message-actions.tsx";
import { PartView } from "./part-view.tsx";
import { PlaceLink } from "./place-link.tsx";
import { useNumbers } from "./use-store.ts";

type Said = ReturnType<typeof splitAttachments>;

export const MessageRow = memo(function MessageRow(props: {
  message: ApiMessage;
  actions: MessageActions;
  rangeStart: number | undefined;
  /** The message before it is by someone else. */
  isFirstOfRole: boolean;
  /** So is the one after it, or there is none. */
  isLastOfRole: boolean;
  isLast: boolean;
  /** Something else was said after it. */
  isUnanswered: boolean;
}) {
  const { message, actions, rangeStart, isFirstOfRole, isLastOfRole, isLast, isUnanswered } = props;
  /** What a person is making of the words. */
  const [draft, setDraft] = useState<Said>();
  const number = useNumbers().one(message.index);
  const { role, fate, index } = message;
  const text = textOf(message.parts);
  const said = useMemo(() => splitAttachments(text), [text]);
  const isResultOnly =
    role === "tool" ||
    (message.parts.length > 0 && message.parts.every(({ type }) => type === "tool-result"));
  const isCallOnly =
    role === "assistant" && text.trim() === "" && message.parts.some(({ type }) => type === "tool-call");
  const who = isResultOnly ? "tool" : role;
  if (role === "system")
    return (
      <article className="message system" aria-label={`${strings.chat.system}, ${number}`}>
        <Fold
          icon="chevron"
          kind="result"
          name={strings.chat.system}
          brief={oneLine(text)}
          body={text}
          facts={strings.chat.tokens(message.tokens)}
        />
      </article>
    );
  const speaks = !isResultOnly && !isCallOnly;
  const place = isLast ? "last" : isLastOfRole || who === "user" ? "" : "goes-on";
  // Long stretches are summarised: the line beside them says so at a glance, and the word only where one looks.
  const isCovered = fate.type === "covered";
  const tags = (
    <>
      <MarkTags message={message} />
      {isUnanswered ? <span className="tag unfinished">{strings.chat.noAnswer}</span> : null}
      {rangeStart === index ? <span className="tag">{strings.compaction.rangeStart}</span> : null}
    </>
  );
  return (
    <article
      className={`message ${who} ${speaks ? "speaks" : "works"} ${place} fate-${fate.type}`}
      aria-label={`${strings.roles[who]}, ${number}, ${strings.fates[fate.type]}`}
    >
      {speaks ? (
        <header>
          {who !== "user" && isFirstOfRole ? (
            <span className="who">
              {strings.roles[who]} <small>{message.request?.model}</small>
            </span>
          ) : null}
          {tags}
          {isCovered ? null : <FateTag {...message} />}
        </header>
      ) : null}
      {draft !== undefined ? (
        <EditForm
          label={strings.chat.edit}
          value={draft.words}
          rows={Math.min(12, draft.words.split("\n", 12).length + 1)}
          go={strings.chat.sendEdit}
          help={strings.chat.editHelp}
          // What is attached says enough.
          isEmptyFine={draft.attachments.length > 0}
          isLine
          onChange={(words) => setDraft({ ...draft, words })}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData("text/plain");
            if (pasted.length <= LONG_PASTE) return;
            event.preventDefault();
            setDraft({ ...draft, attachments: withPaste(draft.attachments, pasted) });
          }}
          onCancel={() => setDraft(undefined)}
          onSave={async () => {
            if (await actions.edit(index, withAttachments(draft.words, draft.attachments)))
              setDraft(undefined);
          }}
        >
          <Attached
            files={draft.attachments}
            onRemoveFile={(n) => setDraft({ ...draft, attachments: draft.attachments.toSpliced(n, 1) })}
          />
        </EditForm>
      ) : (
        <div className="parts">
          {message.lookups === undefined ? null : <Lookups lookups={message.lookups} onShow={actions.show} />}
          {message.parts.map((part, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts never change their order
            <PartView key={n} part={part} message={message} isUser={who === "user"} />
          ))}
          {isEmptyAnswer(message) ? <p className="help">{strings.chat.emptyAnswer}</p> : null}
        </div>
      )}
      {isUnanswered && message.failure ? <p className="unsent-why">{reasonOf(message.failure)}</p> : null}
      {draft === undefined ? (
        <footer>
          {speaks ? null : tags}
          <Versions message={message} actions={actions} />
          <Actions
            message={message}
            actions={actions}
            rangeStart={rangeStart}
            {...(speaks && { text, onEdit: () => setDraft(said) })}
          >
            {message.request === undefined ? null : <RequestLine request={message.request} at={message.at} />}
          </Actions>
          {speaks ? (
            <span className="facts">
              {number}
              <span className="size"> · {strings.chat.tokens(message.tokens)}</span>
            </span>
          ) : null}
          {speaks && isCovered ? <FateTag {...message} /> : null}
        </footer>
      ) : null}
    </article>
  );
});

const reasonOf = (failure: NonNullable<ApiMessage["failure"]>): string => {
  const { message, fix } = explain(new ApiFailure(failure));
  return fix === undefined ? message : `${message} ${fix}`;
};

/** When an answer came; with the pointer or the focus on it, what it took. */
function RequestLine({ request, at }: { request: NonNullable<ApiMessage["request"]>; at: number }) {
  const { id, ms, usage, spend } = request;
  const facts = [
    duration(ms),
    usage?.output === undefined ? undefined : strings.chat.billed(usage.output),
    spend === undefined ? undefined : dollars(spend),
  ];
  return (
    <PlaceLink className="facts took" to={{ page: "request", id }}>
      {moment(at)}
      <span> · {facts.filter((fact) => fact !== undefined).join(" · ")}</span>
    </PlaceLink>
  );
}

function MarkTags({ message: { pinned, unfinished } }: { message: ApiMessage }) {
  return (
    <>
      {unfinished === undefined ? null : (
        <span className="tag unfinished" title={strings.chat.unfinishedHelp[unfinished]}>
          <Icon name={unfinished === "stopped" ? "stop" : "warn"} size={12} />{" "}
          {strings.chat.unfinished[unfinished]}
        </span>
      )}
      {pinned ? (
        <span className="tag pinned">
          <Icon name="pin" size={12} /> {strings.chat.pinned}
        </span>
      ) : null}
    </>
  );
}

/** What became of it. Of tool work, its own line says so. */
const FateTag = ({ fate: { type } }: ApiMessage) =>
  type === "kept" ? null : (
    <span className={`tag ${type}`} title={strings.fates.help[type]}>
      {strings.fates[type]}
    </span>
  );
