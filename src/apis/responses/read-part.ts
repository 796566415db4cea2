import { isRecord } from "../../core/is-record.ts";
import type { Part } from "../../core/types.ts";
import { nameText, toJson } from "../shared/json.ts";
import { filePart, imagePart } from "../shared/media.ts";

/** One part of a message's content or of an output list. */
export function readPart(part: unknown): Part {
  if (typeof part === "string") return { type: "text", text: part };
  if (!isRecord(part)) return { type: "other", kind: "unknown", json: toJson(part) };
  const { type, text, refusal, image_url, file_id, file_data, file_url, filename, detail, url } = part;
  switch (type) {
    case "input_text":
    case "output_text":
    case "text":
    case "summary_text":
      if (typeof text === "string") return { type: "text", text };
      break;
    case "refusal":
      if (typeof refusal === "string") return { type: "text", text: refusal };
      break;
    case "input_image":
    case "computer_screenshot":
    case "image": {
      const source = firstString(image_url, file_id, url);
      if (source !== undefined) return imagePart(source, detail);
      break;
    }
    case "input_file": {
      const source = firstString(file_data, file_url, file_id);
      if (source !== undefined) return filePart({ source, name: firstString(filename) });
      break;
    }
  }
  return { type: "other", kind: nameText(type), json: toJson(part) };
}

function firstString(...values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === "string");
}
