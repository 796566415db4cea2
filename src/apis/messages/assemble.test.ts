import { expect, it } from "vitest";
import { assembleMessage } from "./api.ts";

const start = (index: number, text: string) => ({
  type: "content_block_start",
  index,
  content_block: { type: "text", text },
});

it("an index of four thousand millions takes no longer than any other", () => {
  const message = assembleMessage([start(0, "a"), start(4_294_967_294, "c"), start(5, "b")]);
  expect(message["content"]).toEqual(["a", "b", "c"].map((text) => ({ type: "text", text })));
});
