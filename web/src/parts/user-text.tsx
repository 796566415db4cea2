import { useMemo, useState } from "react";
import { splitAttachments } from "../../../src/gateway/api.ts";
import { beginningOf } from "../state/attachments.ts";
import { oneLine, splitDocuments } from "../state/message-text.ts";
import { strings } from "../strings.ts";
import { Button } from "./controls.tsx";
import { Fold } from "./fold.tsx";

/** What a person said: the beginning of it if it is long, and below it what was attached, or put in by an application. */
export function UserText({ text }: { text: string }) {
  const { words, attachments } = useMemo(() => splitAttachments(text), [text]);
  const { rest, documents } = useMemo(() => splitDocuments(words), [words]);
  return (
    <>
      {rest === "" ? null : <LongText text={rest} />}
      {[...documents, ...attachments].map(({ name, text: attached }, n) => (
        <Fold
          // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be attached twice
          key={n}
          icon="file"
          kind="result"
          name={name}
          brief={oneLine(attached)}
          body={attached}
          facts={strings.composer.size(attached.length)}
        />
      ))}
    </>
  );
}

function LongText({ text }: { text: string }) {
  const beginning = useMemo(() => beginningOf(text), [text]);
  const [isWhole, setWhole] = useState(false);
  if (beginning === undefined) return <p className="plain">{text}</p>;
  return (
    <>
      <p className="plain">{isWhole ? text : `${beginning}…`}</p>
      <Button look="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? strings.chat.showLess : `${strings.chat.showAll} (${lengthOf(text)})`}
      </Button>
    </>
  );
}

/** What makes it long: its lines, or its words. */
function lengthOf(text: string): string {
  const lines = text.split("\n").length;
  return text.length < 40 * lines ? strings.chat.lines(lines) : strings.composer.size(text.length);
}
