import { isJson, type Json, listOf, textOf } from "../shared/fields.ts";

export function candidateOf(answer: Json): Json {
  const candidate = listOf(answer["candidates"])[0];
  return isJson(candidate) ? candidate : {};
}

export function partsIn(candidate: Json): readonly unknown[] {
  const content = candidate["content"];
  return isJson(content) ? listOf(content["parts"]) : [];
}

/** The parts that the chunks of a stream add up to, as Google's own clients put them together. */
export function assembleGemini(chunks: readonly Json[]): readonly Json[] {
  const parts: Json[] = [];
  for (const part of chunks.flatMap((chunk) => partsIn(candidateOf(chunk)))) {
    if (!isJson(part)) continue;
    const last = parts.at(-1);
    if (last !== undefined && isPlain(last) && isPlain(part) && last["thought"] === part["thought"])
      parts[parts.length - 1] = { ...last, text: `${textOf(last["text"])}${textOf(part["text"])}` };
    else if (!(isPlain(part) && part["text"] === "")) parts.push(part);
  }
  return parts;
}

/** A text, or a thought, and nothing else. */
function isPlain(part: Json): boolean {
  return (
    typeof part["text"] === "string" &&
    Object.keys(part).every((name) => name === "text" || name === "thought")
  );
}
