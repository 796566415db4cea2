import { type ReactNode, useEffect, useRef } from "react";
import type { ApiMessage } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import { IconButton } from "./controls.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Icon } from "./icon.tsx";
import { Menu, type MenuItem, moveFocus } from "./menu.tsx";
import { useNumbers } from "./use-store.ts";

export interface MessageActions {
  /** Resolves with false if the words weren't taken: then they are still there to be sent again. */
  readonly edit: (index: number, text: string) => Promise<boolean>;
  readonly regenerate: (index: number) => void;
  /** Shows what else was said in a message's place, given its hash; undefined while that can't be. */
  readonly showBranch: ((hash: string) => void) | undefined;
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
  /** Stands behind the buttons, and is reached like them. */
  children?: ReactNode;
}) {
  const { message, text, actions, rangeStart, onEdit, children } = props;
  const { index, role, pinned } = message;
  const words = strings.chat;
  const items: readonly MenuItem[] = [
    ...useCompactItems(index, rangeStart, actions),
    { label: pinned ? words.unpin : words.pin, icon: "pin", act: () => actions.pin(index, !pinned) },
    { label: words.fork, icon: "fork", act: () => actions.fork(index + 1) },
  ];
  return (
    <Toolbar label={words.actions(useNumbers().one(index))}>
      {text === undefined ? null : <CopyButton text={() => text} label={words.copy} />}
      {role === "user" && onEdit !== undefined ? (
        <IconButton icon="edit" size={16} label={words.edit} onClick={onEdit} />
      ) : null}
      {role === "assistant" && text !== undefined ? (
        <IconButton
          icon="redo"
          size={16}
          label={words.regenerate}
          onClick={() => actions.regenerate(index)}
        />
      ) : null}
      <Menu label={words.moreActions} items={items}>
        <Icon name="more" size={16} />
      </Menu>
      {children}
    </Toolbar>
  );
}

/** Buttons that are one stop for the Tab key: a long chat has hundreds of them. Left and right go from one to the next. */
function Toolbar({ label, children }: { label: string; children: ReactNode }) {
  const bar = useRef<HTMLDivElement>(null);
  const stop = useRef<HTMLElement>(undefined);
  const buttons = () => [...(bar.current?.querySelectorAll<HTMLElement>(":scope > :is(button, a)") ?? [])];
  const setStop = () => {
    const all = buttons();
    const here = all.indexOf(stop.current!);
    for (const [n, button] of all.entries()) button.tabIndex = n === Math.max(0, here) ? 0 : -1;
  };
  useEffect(setStop);
  return (
    <div
      ref={bar}
      className="actions"
      role="toolbar"
      aria-label={label}
      onFocus={({ target }) => {
        if (!buttons().includes(target)) return;
        stop.current = target;
        setStop();
      }}
      onKeyDown={(event) => moveFocus(event, buttons(), "ArrowRight", "ArrowLeft")}
    >
      {children}
    </div>
  );
}

/** ‹2/3›: which of the things that were said in its place a message is, and the way to the others. */
export function Versions({ message, actions }: { message: ApiMessage; actions: MessageActions }) {
  const { hash, branches = [] } = message;
  if (branches.length < 2) return null;
  const at = branches.indexOf(hash);
  const step = (by: -1 | 1, icon: "left" | "chevron", label: string) => {
    const other = branches[at + by];
    const { showBranch } = actions;
    const isOff = other === undefined || showBranch === undefined;
    return (
      <IconButton
        icon={icon}
        size={14}
        label={label}
        isOff={isOff}
        onClick={() => (isOff ? undefined : showBranch(other))}
      />
    );
  };
  const words = strings.chat;
  return (
    <span className="versions">
      {step(-1, "left", words.earlierVersion)}
      <span aria-live="polite">
        <span aria-hidden="true">
          {at + 1}/{branches.length}
        </span>
        <span className="visually-hidden">{words.version(at + 1, branches.length)}</span>
      </span>
      {step(1, "chevron", words.laterVersion)}
    </span>
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
