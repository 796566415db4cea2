import { expect, test } from "vitest";
import { routes } from "../src/gateway/api/routes.ts";
import { library, publicSources } from "./lib/packages.ts";
import { root } from "./lib/project.ts";
import { publicExports } from "./lib/public-exports.ts";
import { httpReference, libraryReference } from "./make-reference.ts";

test("the HTTP reference has every route, and says what a body may hold", () => {
  const page = httpReference();
  for (const [name, { method, path }] of Object.entries(routes))
    expect(page).toContain(`### ${name}\n\n\`${method} ${path}\``);
  expect(page).toContain("| `length` (needed) | Give a whole number from 0. |");
  expect(page).toMatch(/\| `strategy` \| It is one of .*summarize-oldest/);
  expect(page).toContain("`POST /v1/chat/completions`");
});

test("the library's reference has every public name with its signature, and nothing that the site would take for a tag", () => {
  const page = libraryReference(library, "Names");
  for (const [specifier, source] of publicSources(library)) {
    expect(page).toContain(`## ${specifier}\n`);
    for (const { name } of publicExports(root, source)) expect(page).toContain(`### ${name} {#`);
  }
  expect(page).toMatch(/export function createCompactor<M, S = unknown>\(\s*options/);
  const outsideOfCode = page.replace(/```[\s\S]*?```/g, "").replace(/`[^`]*`/g, "");
  expect(outsideOfCode).not.toMatch(/<\w|\{\{/);
});
