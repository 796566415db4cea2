import type { ReactNode, Ref } from "react";

/** A part of the page that scrolls by itself, by keyboard too. */
export function ScrollArea({
  className,
  label,
  ref,
  children,
}: {
  className: string;
  label: string;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a place for the focus, keys can't scroll it
    <section ref={ref} className={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
