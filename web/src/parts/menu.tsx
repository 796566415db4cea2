import type { KeyboardEvent, ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";
import { Popover } from "./popover.tsx";

export interface MenuItem {
  readonly label: string;
  readonly icon: IconName;
  readonly danger?: boolean;
  readonly act: () => void;
}

/** Arrow keys, Home and End go from one button to another. */
export function moveFocus(
  event: KeyboardEvent,
  buttons: readonly HTMLElement[],
  next: string,
  previous: string,
): void {
  const here = buttons.indexOf(event.target as HTMLElement);
  const to = { [next]: here + 1, [previous]: here - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (here < 0 || to === undefined) return;
  event.preventDefault();
  buttons.at(to % buttons.length)?.focus();
}

/** A button with a list of actions. Arrow keys move in it, and Tab leaves it. */
export function Menu(props: { label: string; items: readonly MenuItem[]; children: ReactNode }) {
  const { label, items, children } = props;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    moveFocus(event, [...event.currentTarget.querySelectorAll("button")], "ArrowDown", "ArrowUp");
    if (event.key !== "Tab") return;
    event.preventDefault();
    event.currentTarget.hidePopover();
  };
  return (
    <Popover
      role="menu"
      label={label}
      classNames={["icon-button", "menu"]}
      face={children}
      onKeyDown={onKeyDown}
    >
      {(id) =>
        items.map((item, n) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            // biome-ignore lint/a11y/noAutofocus: the person just opened it
            autoFocus={n === 0}
            className={item.danger ? "danger" : undefined}
            popoverTarget={id}
            popoverTargetAction="hide"
            onClick={item.act}
          >
            <Icon name={item.icon} size={16} />
            {item.label}
          </button>
        ))
      }
    </Popover>
  );
}
