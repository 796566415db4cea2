import { useEffect, useState } from "react";
import { strings } from "../strings.ts";
import { Button, IconButton } from "./controls.tsx";
import { useApp } from "./use-store.ts";

const SHOWN_MS = 1_600;

export function CopyButton(props: { text: () => string; label?: string; caption?: string }) {
  const { text, label = strings.copy, caption } = props;
  const app = useApp();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const look = {
    icon: isCopied ? "check" : "copy",
    title: label,
    onClick: ({ currentTarget: button }: { currentTarget: HTMLElement }) =>
      void copy(text(), button).then((isDone) => {
        if (isDone) setCopied(true);
        else app.tell({ kind: "error", message: strings.notCopied });
      }),
  } as const;
  return caption === undefined ? (
    <IconButton {...look} size={16} label={isCopied ? strings.copied : label} />
  ) : (
    <Button {...look}>{isCopied ? strings.copied : caption}</Button>
  );
}

/** A page by plain HTTP from another machine has no clipboard of its own: there, what is selected is copied. */
async function copy(text: string, beside: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "visually-hidden";
    beside.after(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    beside.focus();
    return isDone;
  }
}
