import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect } from "react";
import { Icon, type IconName } from "./icon.tsx";
import { usePopover } from "./use-popover.ts";

export interface MenuItem {
  readonly label: string;
  readonly icon: IconName;
  readonly danger?: boolean;
  readonly act: () => void;
}

/** Arrow keys, Home and End go from one button to another. */
export function moveFocus(
  event: KeyboardEvent,
  buttons: readonly HTMLButtonElement[],
  next: string,
  previous: string,
): void {
  const here = buttons.indexOf(event.target as HTMLButtonElement);
  const to = { [next]: here + 1, [previous]: here - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (here < 0 || to === undefined) return;
  event.preventDefault();
  buttons.at(to % buttons.length)?.focus();
}

/** A button with a list of actions. Arrow keys move, Escape and a click elsewhere close it. */
export function Menu(props: { label: string; items: readonly MenuItem[]; children: ReactNode }) {
  const { label, items, children } = props;
  const { isOpen, setOpen, at, button, panel: list } = usePopover<HTMLDivElement>("right");
  const id = useId();

  // Only once it has its place: what is still hidden can't take the focus.
  useLayoutEffect(() => {
    if (isOpen && at) list.current?.querySelector("button")?.focus();
  }, [isOpen, at, list]);

  const onKeyDown = (event: KeyboardEvent) => {
    moveFocus(event, [...(list.current?.querySelectorAll("button") ?? [])], "ArrowDown", "ArrowUp");
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
      button.current?.focus();
    }
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        className="icon-button"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen ? (
        <div
          ref={list}
          id={id}
          popover="manual"
          role="menu"
          aria-label={label}
          className="menu"
          style={at ?? { visibility: "hidden" }}
          onKeyDown={onKeyDown}
        >
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              className={item.danger ? "danger" : undefined}
              onClick={() => {
                setOpen(false);
                button.current?.focus();
                item.act();
              }}
            >
              <Icon name={item.icon} size={16} />
              {item.label}
            </button>
          ))}
        </div>
      ) : null}
    </>
  );
}
