import { useEffect, useState } from "react";
import { strings } from "../strings.ts";
import { Icon } from "./icon.tsx";

const SHOWN_MS = 1_600;

export function CopyButton({
  text,
  label = strings.copy,
  caption,
}: {
  text: () => string | Promise<string>;
  label?: string;
  caption?: string;
}) {
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
        await navigator.clipboard?.writeText(await text()).catch(() => undefined);
        setCopied(true);
      }}
    >
      <Icon name={isCopied ? "check" : "copy"} size={16} />
      {caption}
    </button>
  );
}
