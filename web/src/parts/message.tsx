import { memo, useState } from "react";
import type { ApiMessage, Part } from "../../../src/gateway/api.ts";
import { briefArgs, oneLine, pretty, textOf } from "../state/message-text.ts";
import { strings } from "../strings.ts";
import { CopyButton } from "./copy-button.tsx";
import { Fold } from "./fold.tsx";
import { Icon } from "./icon.tsx";
import { Lookups } from "./lookups.tsx";
import { Markdown } from "./markdown.tsx";
import { Menu, type MenuItem } from "./menu.tsx";
import { Picture } from "./picture.tsx";
import { useNumbers } from "./use-store.ts";

/** What can be done with a message. */
export interface MessageActions {
  /** Resolves with false if the words weren't taken: then they are still there to be sent again. */
  readonly edit: (index: number, text: string) => Promise<boolean>;
  readonly regenerate: (index: number) => void;
  readonly fork: (length: number) => void;
  readonly pin: (index: number, on: boolean) => void;
  /** Goes to another message. */
  readonly show: (index: number) => void;
  readonly compactUpTo: (index: number) => void;
  /** Chooses one end of what is to be compacted; undefined forgets it. */
  readonly startRange: (index: number | undefined) => void;
  readonly compactRange: (one: number, other: number) => void;
}

export const MessageRow = memo(function MessageRow({
  message,
  actions,
  rangeStart,
  isFirstOfRole,
}: {
  message: ApiMessage;
  actions: MessageActions;
  rangeStart: number | undefined;
  /** The message before it is by someone else. */
  isFirstOfRole: boolean;
}) {
  const [isEditing, setEditing] = useState(false);
  const number = useNumbers().one(message.index);
  const { role, fate, index } = message;
  const text = textOf(message.parts);
  const isResultOnly = role === "tool" || message.parts.every(({ type }) => type === "tool-result");
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
  return (
    <article
      className={`message ${who} ${speaks ? "speaks" : "works"} fate-${fate.type}`}
      aria-label={`${strings.roles[who]}, ${number}, ${strings.fates[fate.type]}`}
    >
      {speaks ? (
        <header>
          {isFirstOfRole || who === "user" ? <span className="who">{strings.roles[who]}</span> : null}
          <FateTag message={message} />
          {rangeStart === index ? <span className="tag">{strings.compaction.rangeStart}</span> : null}
          <span className="facts">
            {number}
            <span className="size"> · {strings.chat.tokens(message.tokens)}</span>
          </span>
          <Actions
            message={message}
            text={text}
            actions={actions}
            rangeStart={rangeStart}
            onEdit={() => setEditing(true)}
          />
        </header>
      ) : (
        <header className="beside">
          <FateTag message={{ pinned: message.pinned, fate: KEPT }} />
          {rangeStart === index ? <span className="tag">{strings.compaction.rangeStart}</span> : null}
          <Actions message={message} actions={actions} rangeStart={rangeStart} />
        </header>
      )}
      {isEditing ? (
        <EditBox
          text={text}
          onCancel={() => setEditing(false)}
          onSave={async (words) => {
            if (await actions.edit(index, words)) setEditing(false);
          }}
        />
      ) : (
        <div className="parts">
          {message.lookups === undefined ? null : <Lookups lookups={message.lookups} onShow={actions.show} />}
          {message.parts.map((part, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts never change their order
            <PartView key={n} part={part} message={message} isUser={who === "user"} />
          ))}
        </div>
      )}
    </article>
  );
});

/** The line of a tool's result says itself what became of it. */
const KEPT: ApiMessage["fate"] = { type: "kept" };

function FateTag({ message }: { message: Pick<ApiMessage, "fate" | "pinned" | "unfinished"> }) {
  const { fate, pinned, unfinished } = message;
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
      {fate.type === "kept" ? null : (
        <span className={`tag ${fate.type}`} title={strings.fates.help[fate.type]}>
          {strings.fates[fate.type]}
        </span>
      )}
    </>
  );
}

/** What can be done with a message. One that only calls tools, or answers calls, has no words of its own to copy or edit. */
function Actions({
  message: { index, role, pinned },
  text,
  actions,
  rangeStart,
  onEdit,
}: {
  message: ApiMessage;
  text?: string;
  actions: MessageActions;
  rangeStart: number | undefined;
  onEdit?: () => void;
}) {
  const compactItems = useCompactItems(index, rangeStart, actions);
  return (
    <div className="actions">
      {text === undefined ? null : <CopyButton text={() => text} label={strings.chat.copy} />}
      {role === "user" && onEdit !== undefined ? (
        <Act icon="edit" label={strings.chat.edit} act={onEdit} />
      ) : null}
      {role === "assistant" && text !== undefined ? (
        <Act icon="redo" label={strings.chat.regenerate} act={() => actions.regenerate(index)} />
      ) : null}
      <Act icon="fork" label={strings.chat.fork} act={() => actions.fork(index + 1)} />
      <Act
        icon="pin"
        label={pinned ? strings.chat.unpin : strings.chat.pin}
        isOn={pinned}
        act={() => actions.pin(index, !pinned)}
      />
      <Menu label={strings.compaction.menu} items={compactItems}>
        <Icon name="fold" size={16} />
      </Menu>
    </div>
  );
}

/** What of the conversation can be compacted from a message on. */
function useCompactItems(
  index: number,
  start: number | undefined,
  { compactUpTo, startRange, compactRange }: MessageActions,
): readonly MenuItem[] {
  const numbers = useNumbers();
  const words = strings.compaction;
  const upTo: MenuItem = { label: words.upToHere, icon: "fold", act: () => compactUpTo(index) };
  if (start === undefined)
    return [upTo, { label: words.startRange, icon: "plus", act: () => startRange(index) }];
  return [
    upTo,
    {
      label: start === index ? words.onlyThis : words.rangeTo(numbers.one(start)),
      icon: "fold",
      act: () => compactRange(start, index),
    },
    { label: words.forgetRange, icon: "close", act: () => startRange(undefined) },
  ];
}

function Act({
  icon,
  label,
  act,
  isOn,
}: {
  icon: "edit" | "redo" | "fork" | "pin";
  label: string;
  act: () => void;
  isOn?: boolean;
}) {
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={label}
      aria-pressed={isOn}
      onClick={act}
    >
      <Icon name={icon} size={16} />
    </button>
  );
}

function EditBox({
  text,
  onSave,
  onCancel,
}: {
  text: string;
  onSave: (text: string) => Promise<void>;
  onCancel: () => void;
}) {
  const [words, setWords] = useState(text);
  const [isSaving, setSaving] = useState(false);
  return (
    <form
      className="edit-box"
      onSubmit={(event) => {
        event.preventDefault();
        if (words.trim() === "") return;
        setSaving(true);
        void onSave(words).finally(() => setSaving(false));
      }}
    >
      <textarea
        // biome-ignore lint/a11y/noAutofocus: the person just asked to edit here
        autoFocus
        aria-label={strings.chat.edit}
        value={words}
        rows={Math.min(12, words.split("\n").length + 1)}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onCancel();
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey))
            event.currentTarget.form?.requestSubmit();
        }}
      />
      <p className="help">{strings.chat.editHelp}</p>
      <div className="row">
        <button type="submit" className="button primary" disabled={isSaving}>
          {strings.chat.sendEdit}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          {strings.cancel}
        </button>
      </div>
    </form>
  );
}

export function PartView({
  part,
  message,
  isUser = false,
}: {
  part: Part;
  message?: Pick<ApiMessage, "fate" | "tokens" | "index">;
  isUser?: boolean;
}) {
  switch (part.type) {
    case "text":
      return isUser ? <p className="plain">{part.text}</p> : <Markdown text={part.text} />;
    case "image":
      return <Picture source={part.source} />;
    case "file":
      return (
        <p className="chip">
          <Icon name="file" size={16} /> {part.name ?? part.mediaType ?? strings.chat.file("")}
        </p>
      );
    case "frame":
      return <p className="chip">{strings.chat.frames(part.count)}</p>;
    case "reasoning":
      return part.text === "" ? null : (
        <Fold icon="eye" name={strings.chat.reasoning} brief={oneLine(part.text)} body={part.text} />
      );
    case "tool-call":
      return <Fold icon="tool" name={part.name} brief={briefArgs(part.args)} body={pretty(part.args)} />;
    case "tool-result":
      return (
        <Fold
          icon={part.error ? "warn" : "chevron"}
          kind={part.error ? "error" : "result"}
          name={part.error ? strings.chat.error : strings.chat.result}
          brief={oneLine(part.text)}
          body={pretty(part.text)}
          {...(message && {
            facts: strings.chat.tokens(message.tokens),
            fate: message.fate.type,
          })}
        >
          {part.media?.map((media, n) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: media never change their order
            media.type === "image" ? <Picture key={n} source={media.source} /> : null,
          )}
        </Fold>
      );
    case "other":
      return <Fold icon="file" name={strings.chat.other(part.kind)} brief="" body={pretty(part.json)} />;
    default:
      return null;
  }
}
