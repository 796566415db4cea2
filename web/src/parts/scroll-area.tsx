import type { ReactNode, Ref } from "react";

/** A part of the page that scrolls by itself, by keyboard too. */
export function ScrollArea(props: {
  className: string;
  label: string;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
}) {
  const { className, label, ref, children } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a place for the focus, keys can't scroll it
    <section ref={ref} className={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
