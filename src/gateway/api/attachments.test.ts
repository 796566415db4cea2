import { expect, it } from "vitest";
import { splitAttachments, withAttachments } from "./chat.ts";

it.each([
  [
    "Read these.",
    [
      { name: "a.md", text: "# A\n\ntext\n" },
      { name: "b.txt", text: "" },
    ],
  ],
  ["", [{ name: "only.txt", text: "</attachment> and <attachment> in it" }]],
  ["No attachment\n\nat all.", []],
])("gives back the words %j and what is attached", (words, attachments) => {
  expect(splitAttachments(withAttachments(words, attachments))).toEqual({ words, attachments });
});

it("leaves a message that only speaks of attachments as it is", () => {
  const said = 'I wrote:\n\n<attachment name="a">\nand never closed it.';
  expect(splitAttachments(said)).toEqual({ words: said, attachments: [] });
});
