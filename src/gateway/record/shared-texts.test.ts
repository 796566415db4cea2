import { expect, it } from "vitest";
import { createSharedTexts } from "./shared-texts.ts";

it("gives texts back as they are, also those that it had forgotten", () => {
  const share = createSharedTexts(2);
  expect(["a", "b", "a", "c", "a", "b"].map(share)).toEqual(["a", "b", "a", "c", "a", "b"]);
});
