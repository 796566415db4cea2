import { isRecord } from "../../core/json.ts";
import { type EditCursor, editParts, lockedPart } from "../shared/edit.ts";
import { EMPTY_TEXT, legalText, nameText, PARAGRAPH, toArgsObject } from "../shared/fields.ts";
import { type AiSdkMessage, ID, isReasoningPart, type ModelPart, readOutput } from "./read.ts";

/** The message with the edits applied. One that would be left without content gets a text part `(empty)`. */
export function edit(message: AiSdkMessage, cursor: EditCursor): AiSdkMessage {
  const { role, content } = message;
  const next =
    typeof content === "string"
      ? editText(content, cursor)
      : role === "system"
        ? editSystem(content, cursor)
        : editList(content as readonly ModelPart[], role, cursor);
  return { ...message, content: next };
}

function editText(content: string, cursor: EditCursor): string {
  const text = content === "" ? undefined : cursor.next();
  const replaced = text === undefined ? content : legalText(text);
  if (cursor.append.length === 0) return replaced;
  return legalText([replaced, ...cursor.append].filter((each) => each !== "").join(PARAGRAPH));
}

/** `system` given as system messages: what is appended becomes a system message of its own. */
function editSystem(content: unknown, cursor: EditCursor): unknown {
  const list = Array.isArray(content) ? content : [content];
  const parts = editParts<unknown>(list, cursor, {
    isReasoning: () => false,
    replace: (part, text) => {
      if (!isRecord(part)) return part;
      return typeof part.content === "string"
        ? { ...part, content: legalText(text) }
        : { ...part, text: legalText(text) };
    },
  });
  if (cursor.append.length > 0) {
    return [...parts, ...cursor.append.map((text) => ({ role: "system", content: legalText(text) }))];
  }
  return parts === list ? content : Array.isArray(content) ? parts : parts[0];
}

function editList(content: readonly ModelPart[], role: string, cursor: EditCursor): readonly ModelPart[] {
  const parts = editParts(content, cursor, {
    isReasoning: isReasoningPart,
    replace: (part, text) => replacePart(part, text, role),
  });
  if (cursor.append.length > 0) return append(parts, role, cursor.append);
  return parts.length === 0 && content.length > 0 ? [textPart(EMPTY_TEXT)] : parts;
}

/** A tool message takes nothing but results, so text goes to the end of the last one. */
function append(parts: readonly ModelPart[], role: string, texts: readonly string[]): readonly ModelPart[] {
  if (role !== "tool") return [...parts, ...texts.map(textPart)];
  const at = parts.findLastIndex((part) => part.type === "tool-result");
  const last = parts[at];
  if (last === undefined) throw lockedPart(ID, nameText(parts.at(-1)?.type));
  const { output } = last;
  if (isRecord(output) && output.type === "content" && Array.isArray(output.value)) {
    const value = [...output.value, ...texts.map(textPart)];
    return parts.with(at, { ...last, output: { ...output, value } });
  }
  return parts.with(
    at,
    replaceOutput(last, [readOutput(output ?? last.result).text, ...texts].join(PARAGRAPH)),
  );
}

function textPart(text: string): ModelPart {
  return { type: "text", text: legalText(text) };
}

function replacePart(part: ModelPart, text: string, role: string): ModelPart {
  switch (part.type) {
    case "text":
      return { ...part, text: legalText(text) };
    case "image":
    case "file": {
      // Cache markers of the place are provider options too.
      const options = part.providerOptions === undefined ? {} : { providerOptions: part.providerOptions };
      return { ...textPart(text), ...options };
    }
    case "tool-call":
      if (part.providerExecuted === true) throw lockedPart(ID, part.type);
      return "args" in part ? { ...part, args: toArgsObject(text) } : { ...part, input: toArgsObject(text) };
    case "tool-result":
      if (role === "assistant") throw lockedPart(ID, part.type);
      return replaceOutput(part, text);
    default:
      throw lockedPart(ID, nameText(part.type));
  }
}

/** An error stays an error, a refusal by the user stays one; everything else becomes text. */
function replaceOutput(part: ModelPart, text: string): ModelPart {
  const { output } = part;
  if (!isRecord(output)) return "result" in part ? { ...part, result: text } : { ...part, output: text };
  const options = output.providerOptions === undefined ? {} : { providerOptions: output.providerOptions };
  if (output.type === "execution-denied") return { ...part, output: { ...output, reason: text } };
  const type = output.type === "error-text" || output.type === "error-json" ? "error-text" : "text";
  return { ...part, output: { type, value: text, ...options } };
}
