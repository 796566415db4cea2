import type { FilePart, ImagePart } from "../../core/types.ts";
import {
  type Arranged,
  type ArrangedPart,
  type Encoded,
  inTurns,
  type Losses,
  leadAndRest,
} from "../shared/arrange.ts";
import { EMPTY_TEXT, toArgsObject } from "../shared/fields.ts";
import { mediaPlaceholder, sourceOf } from "../shared/media.ts";
import type { GeminiContent, GeminiPart } from "./read.ts";

/**
 * What Gemini 3 takes for the signature of a call that it didn't make itself. Without one it refuses the calls of the turn
 * under way.
 */
const FOREIGN_CALL = "skip_thought_signature_validator";

/** Gemini's messages: leading system messages apart, all results of a round in one message of the user. */
export function encode(messages: readonly Arranged[], losses: Losses): Encoded<GeminiContent> {
  const [lead, rest] = leadAndRest(messages);
  const system = lead.flatMap(({ parts }) => encodeParts(parts, losses));
  const out = inTurns(
    rest.map(({ role, parts }) => {
      if (role === "system") losses.add("a later system message was written as the user's");
      return { role: role === "assistant" ? "model" : "user", parts: encodeParts(parts, losses) };
    }),
    { first: [{ text: EMPTY_TEXT }], losses },
  );
  return system.length === 0 ? { messages: out } : { messages: out, system: { parts: system } };
}

function encodeParts(parts: readonly ArrangedPart[], losses: Losses): GeminiPart[] {
  let calls = 0;
  return parts.flatMap((part) => {
    // Of parallel calls, the first one carries the signature.
    const isFirstCall = part.type === "tool-call" && calls++ === 0;
    return encodePart(part, isFirstCall, losses) ?? [];
  });
}

function encodePart(part: ArrangedPart, isFirstCall: boolean, losses: Losses): GeminiPart | undefined {
  switch (part.type) {
    case "text":
      return { text: part.text };
    case "image":
    case "file":
      return encodeMedia(part, losses);
    case "reasoning":
      losses.add("reasoning was left out: the API takes only reasoning that it signed itself");
      return undefined;
    case "tool-call": {
      const functionCall = { id: part.id, name: part.name, args: toArgsObject(part.args || "{}") };
      return { functionCall, ...(isFirstCall && { thoughtSignature: FOREIGN_CALL }) };
    }
    case "tool-result": {
      const response = { [part.error === true ? "error" : "output"]: part.text };
      const parts = (part.media ?? []).map((each) => encodeMedia(each, losses));
      const media = parts.filter((each) => each.text === undefined);
      return {
        functionResponse: {
          id: part.id,
          name: part.name ?? "",
          response,
          ...(media.length > 0 && { parts: media }),
        },
      };
    }
  }
}

function encodeMedia(part: ImagePart | FilePart, losses: Losses): GeminiPart {
  if (part.type === "file" && part.text !== undefined) return { text: part.text };
  const mediaType = part.type === "image" ? "image/png" : (part.mediaType ?? "application/pdf");
  const source = sourceOf(part, "application/pdf");
  if (source.kind === "base64") return { inlineData: { mimeType: source.mediaType, data: source.data } };
  if (source.kind === "url") return { fileData: { mimeType: mediaType, fileUri: source.url } };
  losses.add("a file that only its own provider has became a placeholder");
  return { text: mediaPlaceholder(part) };
}
