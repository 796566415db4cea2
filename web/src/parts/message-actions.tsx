import type { ApiMessage } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import { IconButton } from "./controls.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Icon } from "./icon.tsx";
import { Menu, type MenuItem } from "./menu.tsx";
import { useNumbers } from "./use-store.ts";

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

/** What can be done with a message. One that only calls tools, or answers calls, has no words of its own to copy or edit. */
export function Actions(props: {
  message: ApiMessage;
  text?: string;
  actions: MessageActions;
  rangeStart: number | undefined;
  onEdit?: () => void;
}) {
  const { message, text, actions, rangeStart, onEdit } = props;
  const { index, role, pinned } = message;
  const compactItems = useCompactItems(index, rangeStart, actions);
  return (
    <div className="actions">
      {text === undefined ? null : <CopyButton text={() => text} label={strings.chat.copy} />}
      {role === "user" && onEdit !== undefined ? (
        <IconButton icon="edit" size={16} label={strings.chat.edit} onClick={onEdit} />
      ) : null}
      {role === "assistant" && text !== undefined ? (
        <IconButton
          icon="redo"
          size={16}
          label={strings.chat.regenerate}
          onClick={() => actions.regenerate(index)}
        />
      ) : null}
      <IconButton icon="fork" size={16} label={strings.chat.fork} onClick={() => actions.fork(index + 1)} />
      <IconButton
        icon="pin"
        size={16}
        label={pinned ? strings.chat.unpin : strings.chat.pin}
        isOn={pinned}
        onClick={() => actions.pin(index, !pinned)}
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
