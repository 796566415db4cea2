import { type ReactNode, useState } from "react";
import type { Fate } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import { Button } from "./controls.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** Longer texts are shown up to here until asked for the rest. */
const FIRST_LOOK = 6_000;

/** One line that opens into everything: tool calls, results, reasoning. */
export function Fold(props: {
  icon: IconName;
  kind?: "call" | "result" | "error";
  name: string;
  brief: string;
  body: string;
  facts?: string | undefined;
  fate?: Fate["type"];
  children?: ReactNode;
}) {
  const { icon, kind = "call", name, brief, body, facts, fate = "kept", children } = props;
  const [isOpen, setOpen] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const isLong = body.length > FIRST_LOOK && !isWhole;
  return (
    <div className={`fold ${kind} ${isOpen ? "open" : ""}`}>
      <button type="button" className="fold-line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="fold-mark">
          <Icon name={kind === "result" ? "chevron" : icon} size={15} />
        </span>
        <span className="fold-name">{name}</span>
        <span className="fold-brief">{brief}</span>
        {fate === "kept" || fate === "covered" ? null : (
          <span className={`tag ${fate}`}>{strings.fates[fate]}</span>
        )}
        {facts === undefined ? null : <span className="facts">{facts}</span>}
      </button>
      {isOpen ? (
        <div className="fold-body">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines must be scrollable by keyboard */}
          <pre tabIndex={0}>{isLong ? `${body.slice(0, FIRST_LOOK)}…` : body}</pre>
          <div className="fold-tools">
            {isLong ? (
              <Button look="link" onClick={() => setWhole(true)}>
                {strings.chat.showAll}
              </Button>
            ) : null}
            <CopyButton text={() => body} />
          </div>
          {children}
        </div>
      ) : null}
    </div>
  );
}
