/** What CONTRIBUTING says about adding things is true: these files name one of them, and no others do. */
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { dialects } from "../../src/apis/index.ts";
import { routes } from "../../src/gateway/api.ts";
import { wires } from "../../src/gateway/wires/index.ts";
import { profiles } from "../../src/profiles/index.ts";
import { reductions } from "../../src/reductions/index.ts";
import { PROMPTS } from "../../src/summaries/prompts/index.ts";

/** Files below some folders with their text; tests and what is made from other files are left out. */
function filesIn(...folders: readonly string[]): { readonly path: string; readonly text: string }[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
      .filter(
        (path) =>
          /\.(?:tsx?|md)$/.test(path) &&
          !/\.test\.tsx?$|node_modules|\/(?:vocabularies|generated)\//.test(path),
      )
      .map((path) => ({ path, text: withoutComments(path, readFileSync(path, "utf8")) })),
  );
}

/** What comments say about a thing adds nothing to it. */
function withoutComments(path: string, text: string): string {
  return path.endsWith(".md") ? text : text.replace(/\/\*\*[\s\S]*?\*\//g, "");
}

function naming(files: ReturnType<typeof filesIn>, pattern: RegExp): string[] {
  return files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

const served = filesIn("src/gateway", "src/config", "web/src");
const all = filesIn("src", "web/src", "docs/reference");

test.each([...wires.values()].map((wire) => [wire.api, wire] as const))(
  "an API that the gateway serves is its own folder and two lines: %s",
  (api, wire) => {
    const shipped = all.filter(({ path }) => !/^(?:docs|src\/testing)\//.test(path));
    const named = naming(shipped, new RegExp(`\\b${api}Served\\b|"${wire.path}["/?]`));
    expect(named.filter((path) => !path.startsWith(`src/apis/${api}/`))).toEqual(["src/apis/served.ts"]);
    // The usual format is also the fallback.
    if (api !== "chat") expect(naming(served, new RegExp(`"${wire.dialect.id}"`))).toEqual([]);
  },
);

/** Where the API stands whose messages a dialect reads. */
const FOLDERS: Readonly<Record<string, string>> = {
  "openai-chat": "chat",
  "openai-responses": "responses",
  "anthropic-messages": "messages",
  "gemini-contents": "gemini",
  "ai-sdk": "ai-sdk",
};

test.each(Object.keys(dialects))("a dialect is its own folder and these lines: %s", (id) => {
  const folder = FOLDERS[id];
  const format = new RegExp(`"${id}"|"\\./${folder}/`);
  const own = naming(all, format).filter((path) => /^src\/(?:core|apis|testing)\//.test(path));
  expect(own).toEqual(
    expect.arrayContaining([
      "src/core/options.ts",
      "src/apis/index.ts",
      "src/apis/dialect-by-id.ts",
      "src/apis/transcode.ts",
      "src/testing/rules/read-message.ts",
      "src/testing/builders.ts",
      "src/testing/arbitraries/raw-messages.ts",
    ]),
  );
  const elsewhere = own.filter((path) => /^src\/apis\/[^/]+\.ts$/.test(path) && !/served/.test(path));
  expect(elsewhere.sort()).toEqual(
    ["dialect-by-id.ts", "index.ts", "transcode.ts"].map((name) => `src/apis/${name}`),
  );
});

test("nobody but the wires asks which wire it is", () => {
  const outside = served.filter(({ path }) => !path.startsWith("src/gateway/wires/"));
  // Whether there is one, and whether it is any at all, may be asked.
  expect(
    naming(outside, /(?<!typeof )\bapi [!=]== (?!"other")|[!=]== "(?:openai-responses|anthropic-messages)"/),
  ).toEqual([]);
});

test("a function that names the parts it needs takes no others", () => {
  const gateway = served.filter(({ path }) => path.startsWith("src/gateway/"));
  expect(naming(gateway, /\}: (?:Compaction|Conversation|Turn|V1|Page|Ops)Parts\b/)).toEqual([]);
});

test.each(["rag", "editor", "desktop"] as const)("a profile is a file, a line and a row: %s", (name) => {
  expect(profiles[name].name).toBe(name);
  const named = naming(all, new RegExp(`"${name}"|\`${name}\`|/${name}\\.ts"|\\bprofiles\\.${name}\\b`));
  // Which conversations a profile is suggested for is said in one place, too.
  const isElsewhere = (path: string) => path.startsWith("src/apis/") || path.endsWith("suggest-profile.ts");
  expect(named.filter((path) => !isElsewhere(path)).sort()).toEqual(
    ["src/profiles/index.ts", `src/profiles/${name}.ts`, "docs/reference/profiles.md"].sort(),
  );
});

test.each(reductions.map(({ name }) => name))("a reduction is a file and a line: %s", (name) => {
  const own = `src/reductions/${name}.ts`;
  expect(naming(all, new RegExp(`name: "${name}"`))).toEqual([own]);
  expect(naming(filesIn("src/reductions"), new RegExp(`/${name}\\.ts"`))).toContain(
    "src/reductions/index.ts",
  );
});

test("a reason for an edit is a line and a row, whoever gives it", () => {
  const text = readFileSync("src/core/edits.ts", "utf8");
  const reasons = [...text.matchAll(/^ {2}"?([a-z-]+)"?: "/gm)].map(([, reason]) => reason!);
  expect(reasons.length).toBeGreaterThan(8);
  const docs = readFileSync("docs/reference/results.md", "utf8");
  for (const reason of reasons) expect(docs).toContain(`| \`${reason}\` |`);
  for (const reason of ["superseded-result", "large-result", "old-retrieval"]) {
    const named = naming(all, new RegExp(`"${reason}"`)).filter(
      (path) => !path.startsWith("src/reductions/"),
    );
    expect(named).toEqual(["src/core/edits.ts"]);
  }
});

test.each(Object.keys(routes))("a route has one handler: %s", (name) => {
  const handlers = filesIn("src/gateway/page/handlers");
  expect(naming(handlers, new RegExp(`^ {2}(?:async )?${name}(?:\\(|:)`, "m"))).toHaveLength(1);
  expect(naming(filesIn("src/gateway/api"), new RegExp(`^ {2}${name}: `, "m"))).toContain(
    "src/gateway/api/routes.ts",
  );
});

test.each(Object.keys(PROMPTS))("a prompt is a file and a line: %s", (id) => {
  const prompts = filesIn("src/summaries/prompts");
  expect(naming(prompts, new RegExp(`^ {2}id: "${id}"`, "m")).map((path) => basename(path))).toEqual([
    `${id}.ts`,
  ]);
  expect(naming(prompts, new RegExp(`from "\\./${id}\\.ts"`))).toEqual(["src/summaries/prompts/index.ts"]);
});
