import { expect, it } from "vitest";
import { markdownOf } from "./export-markdown.ts";

it("writes who said what, with what tools did and what was attached in blocks that nothing ends", () => {
  const written = markdownOf("Garden", "Be brief.", [
    {
      role: "user",
      parts: [{ type: "text", text: 'Read it.\n\n<attachment name="a.md">\n```\nx\n```\n</attachment>' }],
    },
    { role: "assistant", parts: [{ type: "tool-call", id: "1", name: "read", args: '{"a":1}' }] },
    { role: "tool", parts: [{ type: "tool-result", id: "1", name: "read", text: "found", error: false }] },
    { role: "assistant", parts: [{ type: "text", text: "**Done.**" }] },
  ]);
  expect(written).toBe(
    [
      "# Garden\n\n## System prompt\n\n```\nBe brief.\n```\n\n## You\n\nRead it.\n\n**a.md**\n\n````\n```\nx\n```\n````",
      '## Assistant\n\n**read**\n\n```\n{\n  "a": 1\n}\n```\n\n**Result**\n\n```\nfound\n```\n\n**Done.**\n',
    ].join("\n\n"),
  );
});
