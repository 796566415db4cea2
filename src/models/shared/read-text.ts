/** An answer went on beyond what is read of it. */
export class AnswerTooLong extends Error {}

/** The text of an answer. One that is longer than the limit is given up where it passes it, and not held in memory. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  // A `fetch` of the host's own may answer with less than a whole `Response`.
  if (response.body == null) return response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel().catch(() => {});
      throw new AnswerTooLong(`it is longer than ${maxBytes} bytes`);
    }
    pieces.push(decoder.decode(value, { stream: true }));
  }
  pieces.push(decoder.decode());
  return pieces.join("");
}
