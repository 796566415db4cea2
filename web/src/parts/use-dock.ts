import { type RefObject, useEffect } from "react";

/** Tells styles how high the dock of a chat is (`--dock`), so that nothing that floats lies over the message box. */
export function useDock(dock: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = dock.current;
    if (element === null) return;
    const root = document.documentElement;
    const observer = new ResizeObserver(() => root.style.setProperty("--dock", `${element.offsetHeight}px`));
    observer.observe(element);
    return () => {
      observer.disconnect();
      root.style.removeProperty("--dock");
    };
  }, [dock]);
}
