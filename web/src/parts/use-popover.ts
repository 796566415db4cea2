import { useEffect, useLayoutEffect, useRef, useState } from "react";

/** What a button opens in the top layer, at its left or right edge. A click elsewhere closes it. */
export function usePopover<E extends HTMLElement>(edge: "left" | "right") {
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState<{ top: number; left: number }>();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<E>(null);

  useLayoutEffect(() => {
    if (!isOpen || !button.current || !panel.current) return;
    // In the top layer its place is the screen's: inside a row that is moved by a transform, `fixed` would mean the row.
    panel.current.showPopover();
    const box = button.current.getBoundingClientRect();
    const size = panel.current.getBoundingClientRect();
    const below = box.bottom + 4 + size.height < window.innerHeight;
    const start = edge === "left" ? box.left : box.right - size.width;
    setAt({
      top: below ? box.bottom + 4 : Math.max(8, box.top - 4 - size.height),
      left: Math.max(8, Math.min(start, window.innerWidth - size.width - 8)),
    });
  }, [isOpen, edge]);

  useEffect(() => {
    if (!isOpen) return;
    const away = (event: Event) => {
      if (!panel.current?.contains(event.target as Node) && !button.current?.contains(event.target as Node))
        setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    // What is scrolled by hand leaves it behind.
    document.addEventListener("wheel", away, { passive: true });
    window.addEventListener("resize", away);
    return () => {
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("wheel", away);
      window.removeEventListener("resize", away);
    };
  }, [isOpen]);

  return { isOpen, setOpen, at, button, panel };
}
