import { expect, test } from "vitest";
import { escapeHtml } from "./escape.ts";

test("nothing that was said can become markup", () => {
  expect(escapeHtml(`<img src=x onerror="a('&')">\u0000`)).toBe(
    "&lt;img src=x onerror=&quot;a(&#39;&amp;&#39;)&quot;&gt;\ufffd",
  );
});
