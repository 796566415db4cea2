import type { ReactNode } from "react";
import { type Place, pathOf } from "../state/router.ts";
import { useApp } from "./use-store.ts";

/** A real link (new tab, copy address), that the page follows by itself. */
export function PlaceLink(props: {
  to: Place;
  isHere?: boolean;
  className?: string;
  onChoose?: () => void;
  children: ReactNode;
}) {
  const { to, isHere = false, className, onChoose, children } = props;
  const app = useApp();
  return (
    <a
      href={pathOf(to)}
      className={className}
      aria-current={isHere ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        app.router.go(to);
        onChoose?.();
      }}
    >
      {children}
    </a>
  );
}
