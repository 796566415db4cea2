import { useEffect, useState } from "react";
import { strings } from "../strings.ts";
import { Icon } from "./icon.tsx";
import { useApp } from "./use-store.ts";

const SHOWN_MS = 1_600;

export function CopyButton(props: {
  text: () => string | Promise<string>;
  label?: string;
  caption?: string;
}) {
  const { text, label = strings.copy, caption } = props;
  const app = useApp();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <button
      type="button"
      className={caption === undefined ? "icon-button" : "button"}
      aria-label={isCopied ? strings.copied : label}
      title={label}
      onClick={async () => {
        try {
          await navigator.clipboard.writeText(await text());
          setCopied(true);
        } catch {
          app.tell({ kind: "error", message: strings.notCopied });
        }
      }}
    >
      <Icon name={isCopied ? "check" : "copy"} size={16} />
      {caption === undefined ? null : isCopied ? strings.copied : caption}
    </button>
  );
}
