import { expect, it, vi } from "vitest";
import { AnswerTooLong, readText } from "./http.ts";

it("gives an answer up where it passes the limit", async () => {
  const cancelled = vi.fn();
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent++;
      controller.enqueue(new Uint8Array(1_000));
    },
    cancel: cancelled,
  });
  await expect(readText(new Response(body), 10_000)).rejects.toThrow(AnswerTooLong);
  expect(cancelled).toHaveBeenCalledOnce();
  expect(sent).toBeLessThan(20);
});

it("puts characters together that came in pieces", async () => {
  const bytes = new TextEncoder().encode("größer 😀");
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  expect(await readText(new Response(body), 100)).toBe("größer 😀");
  expect(await readText(new Response(null), 100)).toBe("");
});
