import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";

/**
 * A button, and what it opens in the top layer beside it. The browser places it (where it can), closes it on Escape and on a click
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
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (isOpen && button.current && panel.current && !CSS.supports("position-area", "bottom"))
      placeBelow(panel.current, button.current, role === "menu" ? "right" : "left");
  }, [isOpen, role]);
  return (
    <>
      <button
        ref={button}
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
        ref={panel}
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

/** Between a panel and the edges of the window (pixels). */
const EDGE = 8;

/** What styles do in browsers that know `position-area`: below the button, or above it where there is more room. */
function placeBelow(panel: HTMLElement, button: HTMLElement, side: "left" | "right"): void {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const left = side === "left" ? at.left : at.right - width;
  const isBelow = at.bottom + height + EDGE <= innerHeight || at.top < innerHeight - at.bottom;
  panel.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`;
  panel.style.top = `${isBelow ? at.bottom : Math.max(0, at.top - height - EDGE)}px`;
}
