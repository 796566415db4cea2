import { expect, test } from "vitest";
import { escapeHtml, escapeJson } from "./escape.ts";

test("nothing that was said can become markup", () => {
  expect(escapeHtml(`<img src=x onerror="a('&')">\u0000`)).toBe(
    "&lt;img src=x onerror=&quot;a(&#39;&amp;&#39;)&quot;&gt;\ufffd",
  );
});

test("nothing that was said can end a script element", () => {
  const json = escapeJson({ text: "</script><!--\u2028" });
  expect(json).not.toContain("<");
  expect(JSON.parse(json)).toEqual({ text: "</script><!--\u2028" });
});
