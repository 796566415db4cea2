import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { z } from "zod";
import { commandNames } from "../src/cli/chat/commands.ts";
import { COMMANDS } from "../src/cli/commands.ts";
import { gatewaySchema } from "../src/config/gateway-schema.ts";
import { VARIABLES } from "../src/config/given-settings.ts";
import { profiles } from "../src/profiles/index.ts";
import { packages, publicSources } from "./lib/packages.ts";
import { filesBelow, isTestFile, root } from "./lib/project.ts";
import { publicExports } from "./lib/public-exports.ts";

const page = (path: string): string => readFileSync(join(root, path), "utf8");

/** What a page says as code. */
const codeOf = (text: string): string => (text.match(/```[\s\S]*?```|`[^`\n]+`/g) ?? []).join("\n");

/** The sources of the gateway, as one text. */
const gateway = filesBelow(root, "src/gateway", /\.ts$/)
  .filter((file) => !isTestFile(file))
  .map(page)
  .join("\n");

const found = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name)),
];

test("every key of the config is in its reference", () => {
  const code = codeOf(page("docs/reference/config.md") + page("docs/reference/options.md"));
  const missing = [...keysOf(gatewaySchema)].filter(
    (key) => !new RegExp(`(?<![\\w$])${key.replace("$", "\\$")}\\b`).test(code),
  );
  expect(missing).toEqual([]);
});

test("every variable, header, metric and error of the gateway is in the docs by its whole name", () => {
  const variables = codeOf(page("docs/reference/config.md"));
  expect(VARIABLES.filter((name) => !variables.includes(name))).toEqual([]);
  const routesAndHeaders = codeOf(page("docs/reference/gateway-api.md"));
  const headers = found(gateway, /"(x-precis-[a-z-]+[a-z])"/g);
  expect(headers.filter((name) => !routesAndHeaders.includes(name))).toEqual([]);
  const metrics = found(gateway, /"(precis_[a-z_]+(?:_total|_seconds|_requests|_pressure|_answers))"/g);
  expect(metrics.length).toBeGreaterThan(20);
  const deploy = codeOf(page("docs/guide/deploy.md"));
  expect(metrics.filter((name) => !deploy.includes(name))).toEqual([]);
  const codes = found(gateway, /new RequestFault\(\s*\d+,\s*"([\w-]+)"/g);
  expect(codes.length).toBeGreaterThan(20);
  const errors = codeOf(page("docs/reference/errors.md"));
  expect(codes.filter((code) => !errors.includes(`\`${code}\``))).toEqual([]);
});

test("every command of a chat is in its help and in the reference", () => {
  const section = page("docs/reference/cli.md").split("## `precis chat`")[1]?.split("\n## ")[0] ?? "";
  for (const name of commandNames) {
    expect(COMMANDS.chat.notes.join(" ")).toContain(name);
    expect(codeOf(section)).toContain(name);
  }
});

test("the table of profiles says all that a profile sets", () => {
  const rows = page("docs/reference/profiles.md").split("\n");
  for (const { name, ...options } of Object.values(profiles)) {
    const row = rows.find((one) => one.startsWith(`| \`${name}\``)) ?? "";
    for (const [option, value] of Object.entries(options)) {
      if (option === "strategy" && value === "summarize-oldest") continue;
      const parts = typeof value === "object" ? Object.entries(value) : [[option, value] as const];
      expect(row).toContain(option);
      for (const [key, one] of parts) {
        const shown =
          typeof one === "number" && one >= 1_000
            ? one.toLocaleString("en").replaceAll(",", "_")
            : JSON.stringify(one);
        expect(row, `${name}: ${key}`).toContain(`${key}: ${shown}`);
      }
    }
  }
});

test("every function and constant of the packages is in the docs", () => {
  const code = codeOf(
    filesBelow(root, "docs", /^docs\/(?:reference\/[^/]+|guide\/.*)\.md$/)
      .map(page)
      .join("\n"),
  );
  const words = new Set(code.match(/[\w$]+/g));
  const missing = packages
    .flatMap(publicSources)
    .flatMap(([, source]) => publicExports(root, source))
    .filter(({ name, isType }) => !isType && !words.has(name));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test("no message of a program names a page of the docs: they aren't in the packages", () => {
  const naming = filesBelow(root, "src", /\.ts$/)
    .filter((file) => !isTestFile(file))
    .filter((file) => /docs\/[\w/-]+\.md/.test(page(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")));
  expect(naming).toEqual([]);
});

/** The names of all keys of a schema, those within others too. */
function keysOf(schema: z.ZodType, keys = new Set<string>()): Set<string> {
  const { shape, def } = schema as unknown as {
    readonly shape?: Record<string, z.ZodType>;
    readonly def: {
      readonly innerType?: z.ZodType;
      readonly element?: z.ZodType;
      readonly in?: z.ZodType;
      readonly options?: readonly z.ZodType[];
    };
  };
  for (const [name, inner] of Object.entries(shape ?? {})) keysOf(inner, keys.add(name));
  for (const inner of [def.innerType, def.element, def.in, ...(def.options ?? [])])
    if (inner) keysOf(inner, keys);
  return keys;
}
