import { stringifyDeep } from "../../../core/deep-json.ts";
import { isJson, type Json, parseJson } from "../../http/json.ts";

/** Passes the events of a stream through `change`; whatever isn't an event of JSON stays as it is. */
export function rewriteEvents(
  change: (event: Json) => readonly Json[],
): (piece: Buffer, isLast: boolean) => Buffer {
  let rest = "";
  const decoder = new TextDecoder();
  return (piece, isLast) => {
    const text = rest + decoder.decode(piece, { stream: !isLast });
    const events = text.replaceAll("\r\n", "\n").split("\n\n");
    // What stands behind the last empty line isn't whole yet.
    rest = isLast ? "" : events.pop()!;
    return Buffer.from(events.map((event, index) => rewrite(event, index === events.length - 1)).join(""));
  };

  function rewrite(event: string, isNewest: boolean): string {
    const line = event.split("\n").find((one) => one.startsWith("data:"));
    const data = line === undefined ? undefined : parseJson(line.slice("data:".length));
    if (!isJson(data)) return isNewest && event === "" ? "" : `${event}\n\n`;
    return change(data)
      .map((one) => `event: ${String(one["type"])}\ndata: ${stringifyDeep(one)}\n\n`)
      .join("");
  }
}
