import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** What a button opens in the top layer, at its left or right edge. A click elsewhere closes it. */
export function usePopover<E extends HTMLElement>(edge: "left" | "right") {
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState<{ top: number; left: number }>();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<E>(null);

  const place = useCallback(() => {
    if (!button.current || !panel.current) return;
    const box = button.current.getBoundingClientRect();
    const size = panel.current.getBoundingClientRect();
    const below = box.bottom + 4 + size.height < window.innerHeight;
    const start = edge === "left" ? box.left : box.right - size.width;
    setAt({
      top: below ? box.bottom + 4 : Math.max(8, box.top - 4 - size.height),
      left: Math.max(8, Math.min(start, window.innerWidth - size.width - 8)),
    });
  }, [edge]);

  useLayoutEffect(() => {
    if (!isOpen) return;
    // In the top layer its place is the screen's: inside a row that is moved by a transform, `fixed` would mean the row.
    panel.current?.showPopover();
    place();
  }, [isOpen, place]);

  useEffect(() => {
    if (!isOpen) return;
    // A list that measures its rows scrolls by itself, and the button goes along.
    document.addEventListener("scroll", place, true);
    const away = (event: Event) => {
      if (!panel.current?.contains(event.target as Node) && !button.current?.contains(event.target as Node))
        setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    // What is scrolled by hand leaves it behind.
    document.addEventListener("wheel", away, { passive: true });
    window.addEventListener("resize", away);
    return () => {
      document.removeEventListener("scroll", place, true);
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("wheel", away);
      window.removeEventListener("resize", away);
    };
  }, [isOpen, place]);

  return { isOpen, setOpen, at, button, panel };
}
