import type { FilePart, FramePart, ImagePart, Part, ToolResultPart } from "../core/types.ts";
import { editParts, type Reduction } from "./reduction.ts";

/** Old images and attachments become a line of text that says what was there. */
export const oldImages: Reduction = {
  name: "old-images",
  apply(draft, input) {
    const kept = newestImages(input.messages, input.images.keep);
    return editParts(draft, input, (part, { index, part: at }) => {
      if (kept.has(index)) return undefined;
      if (isImageOrFile(part)) {
        return { type: "replace", part: at, text: mediaPlaceholder(part), why: "old-image" };
      }
      if (part.type === "tool-result" && part.media?.length && !part.locked) {
        return { type: "replace", part: at, text: resultWithoutMedia(part), why: "old-image" };
      }
      return undefined;
    });
  },
};

/** An image, a video or a file whose text nobody sees. */
export function isImageOrFile(part: Part): part is ImagePart | FilePart | FramePart {
  return part.type === "image" || part.type === "frame" || (part.type === "file" && part.text === undefined);
}

/** What stands where an image, a video or a file was. */
export function mediaPlaceholder(part: ImagePart | FilePart | FramePart): string {
  if (part.type === "frame") return `[${part.count} frames of a video: no longer shown]`;
  if (part.type === "image") {
    const size = part.width && part.height ? ` ${part.width}×${part.height}` : "";
    return `[image${size}: no longer shown]`;
  }
  const about = [part.name, part.mediaType].filter(Boolean).join(", ");
  return `[file${about ? ` ${about}` : ""}: no longer shown]`;
}

/** The text of a result with placeholders for its pictures. */
export function resultWithoutMedia(part: ToolResultPart): string {
  return [part.text, ...(part.media ?? []).map(mediaPlaceholder)].filter(Boolean).join("\n");
}

function newestImages(
  messages: Parameters<Reduction["apply"]>[1]["messages"],
  keep: "last-user-message" | number,
): Set<number> {
  if (keep === "last-user-message") return new Set();
  const kept = new Set<number>();
  let left = keep;
  for (let index = messages.length - 1; index >= 0 && left > 0; index--) {
    const count = messages[index]!.parts.reduce(
      (sum, part) =>
        sum + (part.type === "image" ? 1 : part.type === "tool-result" ? (part.media?.length ?? 0) : 0),
      0,
    );
    if (count > 0 && count <= left) kept.add(index);
    left -= count;
  }
  return kept;
}
