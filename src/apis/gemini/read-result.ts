import { isRecord } from "../../core/is-record.ts";
import type { FilePart, ImagePart, ToolResultPart } from "../../core/types.ts";
import { nameText, toJson } from "../shared/json.ts";
import { readMedia } from "./read-media.ts";
import { partsOf } from "./wire.ts";

/** Fields of a response under which clients put a text that is all of it. */
const TEXT_FIELDS: readonly string[] = ["output", "result", "content", "error"];

/** The field whose text is all that a response says; undefined if it says more. */
export function onlyText(response: unknown): { readonly key: string; readonly text: string } | undefined {
  if (!isRecord(response)) return undefined;
  const [field, ...others] = Object.entries(response);
  if (field === undefined || others.length > 0) return undefined;
  const [key, text] = field;
  return TEXT_FIELDS.includes(key) && typeof text === "string" ? { key, text } : undefined;
}

/** What a function answered. An id is optional, and clients leave out or make up their own. */
export function readResult(result: Record<string, unknown>): ToolResultPart {
  const { id, response, parts } = result;
  const name = nameText(result.name ?? "");
  const media = (partsOf(parts) ?? []).flatMap((part): (ImagePart | FilePart)[] => {
    const read = isRecord(part) ? readMedia(part) : undefined;
    return read ? [read] : [];
  });
  const said = onlyText(response);
  return {
    type: "tool-result",
    id: typeof id === "string" ? id : "",
    byName: true,
    name,
    text: said?.text ?? (response === undefined ? "" : toJson(response)),
    ...(isRecord(response) && "error" in response && { error: true }),
    ...(media.length > 0 && { media }),
  };
}
