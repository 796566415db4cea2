import type { ApiMessage, Part } from "../../../src/gateway/api.ts";
import { briefArgs, oneLine, pretty } from "../state/message-text.ts";
import { strings } from "../strings.ts";
import { Fold } from "./fold.tsx";
import { Icon } from "./icon.tsx";
import { Markdown } from "./markdown.tsx";
import { Picture } from "./picture.tsx";
import { UserText } from "./user-text.tsx";

/** A part of a message, as people read it. */
export function PartView(props: {
  part: Part;
  message?: Pick<ApiMessage, "fate" | "tokens" | "index">;
  isUser?: boolean;
}) {
  const { part, message, isUser = false } = props;
  switch (part.type) {
    case "text":
      return isUser ? (
        <UserText text={part.text} />
      ) : (
        <Markdown text={part.text} {...(message && { message: message.index })} />
      );
    case "image":
      return <Picture source={part.source} />;
    case "file":
      return (
        <p className="chip">
          <Icon name="file" size={16} /> {part.name ?? part.mediaType ?? strings.chat.file("")}
        </p>
      );
    case "frame":
      return <p className="chip">{strings.chat.frames(part.count)}</p>;
    case "reasoning":
      return part.text === "" ? null : (
        <Fold icon="eye" name={strings.chat.reasoning} brief={oneLine(part.text)} body={part.text} />
      );
    case "tool-call":
      return <Fold icon="tool" name={part.name} brief={briefArgs(part.args)} body={pretty(part.args)} />;
    case "tool-result":
      return (
        <Fold
          icon={part.error ? "warn" : "chevron"}
          kind={part.error ? "error" : "result"}
          name={part.error ? strings.chat.error : strings.chat.result}
          brief={oneLine(part.text)}
          body={pretty(part.text)}
          {...(message && { facts: strings.chat.tokens(message.tokens), fate: message.fate.type })}
        >
          {part.media?.map((media, n) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: media never change their order
            media.type === "image" ? <Picture key={n} source={media.source} /> : null,
          )}
        </Fold>
      );
    case "other":
      return <Fold icon="file" name={strings.chat.other(part.kind)} brief="" body={pretty(part.json)} />;
    default:
      return null;
  }
}
