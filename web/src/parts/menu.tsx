import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Icon, type IconName } from "./icon.tsx";

export interface MenuItem {
  readonly label: string;
  readonly icon: IconName;
  readonly danger?: boolean;
  readonly act: () => void;
}

/** A button with a list of actions. Arrow keys move, Escape and a click elsewhere close it. */
export function Menu(props: { label: string; items: readonly MenuItem[]; children: ReactNode }) {
  const { label, items, children } = props;
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState<{ top: number; left: number }>();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();

  useLayoutEffect(() => {
    if (!isOpen || !button.current || !list.current) return;
    // In the top layer its place is the screen's: inside a row that is moved by a transform, `fixed` would mean the row.
    list.current.showPopover();
    const box = button.current.getBoundingClientRect();
    const size = list.current.getBoundingClientRect();
    const below = box.bottom + 4 + size.height < window.innerHeight;
    setAt({
      top: below ? box.bottom + 4 : Math.max(8, box.top - 4 - size.height),
      left: Math.max(8, Math.min(box.right - size.width, window.innerWidth - size.width - 8)),
    });
  }, [isOpen]);

  // Only once it has its place: what is still hidden can't take the focus.
  useLayoutEffect(() => {
    if (isOpen && at) list.current?.querySelector("button")?.focus();
  }, [isOpen, at]);

  useEffect(() => {
    if (!isOpen) return;
    const away = (event: Event) => {
      if (!list.current?.contains(event.target as Node) && !button.current?.contains(event.target as Node))
        setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    // What is scrolled by hand leaves the menu behind.
    document.addEventListener("wheel", away, { passive: true });
    window.addEventListener("resize", away);
    return () => {
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("wheel", away);
      window.removeEventListener("resize", away);
    };
  }, [isOpen]);

  const onKeyDown = (event: KeyboardEvent) => {
    const buttons = [...(list.current?.querySelectorAll("button") ?? [])];
    const here = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const move = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      buttons[(move + buttons.length) % buttons.length]?.focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
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
