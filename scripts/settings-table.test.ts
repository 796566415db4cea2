import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requestTuning } from "../src/config/tuning-schema.ts";
import { schemas } from "../src/gateway/page/schemas.ts";
import { root } from "./lib/project.mjs";

const table = readFileSync(join(root, "docs/reference/settings.md"), "utf8");

test("the table of settings names every setting of the page and every option of a request", () => {
  const missing = Object.keys(schemas.settings.shape).filter((name) => !table.includes(`\`${name}\``));
  const options = Object.keys(requestTuning.shape);
  missing.push(...options.filter((name) => !new RegExp(`\`${name}[\`.]`).test(table)));
  expect(missing).toEqual([]);
});
