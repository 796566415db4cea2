/** What a visitor's browser has to fetch before the page shows. */
import { existsSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const WEB = new URL("../../dist/web/", import.meta.url);
/** Compressed script of the first load (bytes). */
const MOST_SCRIPT = 200 * 1024;

const html = () => readFileSync(new URL("index.html", WEB), "utf8");
const assets = (pattern: RegExp) => [...html().matchAll(pattern)].map(([, path]) => String(path));

it("is at most 200 KB of script, all of it from our own origin", () => {
  const scripts = assets(/(?:src|href)="(\/[^"]+\.js)"/g);
  expect(scripts.length).toBeGreaterThan(0);
  const sizes = scripts.map((path) => gzipSync(readFileSync(new URL(`.${path}`, WEB))).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST_SCRIPT);
  expect(html()).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
});

it("has no script inside of the document, which the Content-Security-Policy would refuse", () => {
  expect(html()).not.toMatch(/<script(?![^>]*\bsrc=)/);
  expect(html()).not.toMatch(/\son\w+="/);
  for (const path of assets(/(?:src|href)="(\/[^"]+)"/g))
    expect(existsSync(new URL(`.${path}`, WEB))).toBe(true);
});
