import { useDeferredValue } from "react";
import type { Answer } from "../state/chat-state.ts";
import { strings } from "../strings.ts";
import { Lookups } from "./lookups.tsx";
import { Markdown } from "./markdown.tsx";
import { PartView } from "./message.tsx";

/** The answer while it is written. Typing goes before drawing it. */
export function LiveAnswer({ answer }: { answer: Answer }) {
  const text = useDeferredValue(answer.text);
  const state = answer.mine
    ? answer.reasoning !== "" && text === ""
      ? strings.chat.thinking
      : strings.chat.answering
    : strings.chat.elsewhere;
  return (
    <article className="message assistant speaks writing" aria-busy="true" aria-label={state}>
      <header>
        <span className="who">{strings.roles.assistant}</span>
        <span className="facts" role="status">
          {state}
        </span>
      </header>
      <div className="parts">
        {answer.reasoning === "" ? null : (
          <PartView part={{ type: "reasoning", text: answer.reasoning, signed: false }} />
        )}
        <Lookups lookups={answer.lookups} />
        {text === "" ? <span className="caret" /> : <Markdown text={text} />}
        {answer.calls.map((part, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: calls only ever come one after the other
          <PartView key={n} part={part} />
        ))}
      </div>
    </article>
  );
}
