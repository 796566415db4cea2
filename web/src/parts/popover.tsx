import { type KeyboardEvent, type ReactNode, useId, useState } from "react";

/**
 * A button, and what it opens in the top layer beside it. The browser places it, closes it on Escape and on a click
 * elsewhere, and gives the focus back. Spans: it may stand inside of a paragraph.
 */
export function Popover(props: {
  role: "menu" | "dialog";
  label: string;
  /** Of the button, and of what it opens. */
  classNames: readonly [button: string, panel: string];
  face: ReactNode;
  onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
  /** `id` is what a button in it closes. */
  children: (id: string) => ReactNode;
}) {
  const { role, label, classNames, face, onKeyDown, children } = props;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <button
        type="button"
        className={classNames[0]}
        aria-label={label}
        title={label}
        aria-haspopup={role}
        aria-expanded={isOpen}
        popoverTarget={id}
      >
        {face}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useAriaPropsSupportedByRole: its role is a menu's or a dialog's */}
      <span
        id={id}
        popover="auto"
        role={role}
        aria-label={label}
        className={classNames[1]}
        onToggle={({ newState }) => setOpen(newState === "open")}
        onKeyDown={onKeyDown}
      >
        {isOpen ? children(id) : null}
      </span>
    </>
  );
}
