import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkImports } from "./check-imports.mjs";

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "precis-imports-"));
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

/** Writes a small project and returns what the check says about it. */
function check(files: Record<string, string>): string[] {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  }
  return checkImports(base).violations.map((v) => `${v.file}:${v.line}: ${v.what}`);
}

describe("folders", () => {
  test("import downwards", () => {
    expect(
      check({
        "src/engine/a.ts": 'import { x } from "../core/x.ts";',
        "src/core/x.ts": "export const x = 1;",
      }),
    ).toEqual([]);
  });

  test("never upwards, not even for a type", () => {
    expect(check({ "src/tokens/a.ts": '\nimport type { X } from "../engine/x.ts";' })).toEqual([
      "src/tokens/a.ts:2: tokens imports engine",
    ]);
  });

  test("never upwards by re-export, dynamic import or import type", () => {
    expect(
      check({
        "src/core/a.ts": 'export * from "../tokens/x.ts";',
        "src/core/b.ts": 'export const x = () => import("../tokens/x.ts");',
        "src/core/c.ts": 'export type X = import("../tokens/x.ts").X;',
        "src/core/d.ts": 'export { x } from "../tokens/x.ts";',
      }),
    ).toHaveLength(4);
  });

  test("that the layout doesn't know are refused", () => {
    expect(check({ "src/utils/a.ts": 'import { x } from "../core/x.ts";' })).toEqual([
      "src/utils/a.ts:1: src/utils isn't part of the layout",
    ]);
  });

  test("don't import the root", () => {
    expect(check({ "src/cli/a.ts": 'import { x } from "../index.ts";' })).toEqual([
      "src/cli/a.ts:1: cli imports src/index.ts",
    ]);
  });

  test("don't reach outside of src", () => {
    expect(check({ "src/cli/a.ts": 'import { x } from "../../bench/x.ts";' })).toEqual([
      "src/cli/a.ts:1: cli imports bench/x.ts",
    ]);
  });
});

describe("core", () => {
  test("imports nothing of Node and no package", () => {
    expect(check({ "src/core/a.ts": 'import "node:fs";\nimport { encode } from "gpt-tokenizer";' })).toEqual([
      'src/core/a.ts:1: core imports "node:fs"',
      'src/core/a.ts:2: core imports the package "gpt-tokenizer"',
    ]);
  });

  test("has no clock and no randomness", () => {
    expect(
      check({
        "src/core/a.ts":
          "export const a = Date.now();\nexport const b = Math.random();\nexport const c = new Date();",
      }),
    ).toHaveLength(3);
  });

  test("may name a property like a global and make a date of a given moment", () => {
    expect(
      check({ "src/core/a.ts": "export const a = (o: { process: Date }) => [o.process, new Date(5)];" }),
    ).toEqual([]);
  });
});

describe("packages", () => {
  test("stores may use a database's client, others may not", () => {
    expect(
      check({
        "src/stores/a.ts": 'import pg from "pg";',
        "src/engine/a.ts": 'import pg from "pg";',
      }),
    ).toEqual(['src/engine/a.ts:1: engine imports the package "pg"']);
  });

  test("src doesn't import itself by name", () => {
    expect(check({ "src/cli/a.ts": 'import { x } from "precis";' })).toEqual([
      'src/cli/a.ts:1: cli imports the package "precis"',
    ]);
  });
});

describe("browser-safe paths", () => {
  test.each([
    "apis/x/a.ts",
    "reductions/a.ts",
    "summaries/a.ts",
    "stores/memory.ts",
    "engine/a.ts",
    "profiles/a.ts",
    "index.ts",
  ])("%s imports nothing of Node", (path) => {
    expect(check({ [`src/${path}`]: 'import { readFileSync } from "fs";' })).toHaveLength(1);
    expect(check({ [`src/${path}`]: "export const b = Buffer.from('');" })).toHaveLength(1);
  });

  test("other stores and the command line may use Node", () => {
    expect(
      check({ "src/stores/sqlite.ts": 'import "node:sqlite";', "src/cli/a.ts": 'import "node:fs";' }),
    ).toEqual([]);
  });
});

describe("implementations of one interface", () => {
  test.each([
    ["src/apis/chat/a.ts", "../ai-sdk/b.ts"],
    ["src/reductions/old-images.ts", "./old-reasoning.ts"],
    ["src/stores/sqlite.ts", "./memory.ts"],
    ["src/profiles/agent.ts", "./editor.ts"],
    ["src/models/anthropic.ts", "./openai-compatible.ts"],
    ["src/cli/compact.ts", "./replay.ts"],
    ["src/cli/compact.ts", "./replay/totals.ts"],
    ["src/cli/compact.ts", "./run-command-line.ts"],
    ["src/cli/io.ts", "./compact.ts"],
    ["src/apis/chat/a.ts", "../dialect-by-id.ts"],
    ["src/apis/shared/a.ts", "../chat/b.ts"],
    ["src/profiles/agent.ts", "./index.ts"],
  ])("%s doesn't import %s", (file, specifier) => {
    expect(check({ [file]: `import { x } from "${specifier}";` })).toHaveLength(1);
  });

  test("share through shared/, and index.ts wires them", () => {
    expect(
      check({
        "src/apis/chat/read.ts": 'import { x } from "../shared/json.ts";\nimport { y } from "./y.ts";',
        "src/apis/index.ts": 'export { x } from "./chat/read.ts";\nexport { y } from "./by-id.ts";',
        "src/apis/by-id.ts": 'import { x } from "./chat/read.ts";',
        "src/reductions/old-images.ts": 'import type { Reduction } from "./reduction.ts";',
        "src/cli/run-command-line.ts": 'import { compact } from "./compact.ts";',
        "src/cli/compact.ts": 'import type { Io } from "./io.ts";',
        "src/cli/replay.ts": 'import { totals } from "./replay/totals.ts";',
      }),
    ).toEqual([]);
  });
});

describe("testing", () => {
  test("is imported by tests only", () => {
    expect(
      check({
        "src/engine/a.ts": 'import { x } from "../testing/x.ts";',
        "src/engine/a.test.ts": 'import { x } from "../testing/x.ts";',
        "src/cli/b.ts": 'import { x } from "./b.test.ts";',
      }),
    ).toEqual([
      "src/cli/b.ts:1: imports the test file src/cli/b.test.ts",
      "src/engine/a.ts:1: engine imports src/testing",
    ]);
  });
});

describe("the page", () => {
  test("knows the server by its route file alone", () => {
    expect(
      check({
        "web/src/app.tsx":
          'import type { R } from "../../src/gateway/api.ts";\nimport { x } from "../../src/engine/x.ts";',
      }),
    ).toEqual(["web/src/app.tsx:2: the page imports src/engine/x.ts"]);
  });
});

describe("folders inside of gateway", () => {
  test("import downwards, and the files beside them import all", () => {
    expect(
      check({
        "src/gateway/v1/a.ts": 'import { b } from "../turn/b.ts";',
        "src/gateway/turn/b.ts": 'import type { C } from "../api.ts";',
        "src/gateway/api.ts": "export type C = 1;",
        "src/gateway/create.ts": 'import "./v1/a.ts";',
      }),
    ).toEqual([]);
  });

  test("never upwards, and never to the files beside them", () => {
    expect(
      check({
        "src/gateway/turn/a.ts": 'import type { B } from "../v1/b.ts";',
        "src/gateway/wires/a.ts": 'import type { G } from "../gateway.ts";',
      }),
    ).toEqual([
      "src/gateway/turn/a.ts:1: turn imports v1",
      "src/gateway/wires/a.ts:1: wires imports src/gateway/gateway.ts",
    ]);
  });

  test("that the layout doesn't know are refused", () => {
    expect(check({ "src/gateway/misc/a.ts": 'import { b } from "../http/b.ts";' })).toEqual([
      "src/gateway/misc/a.ts:1: src/gateway/misc isn't part of the layout",
    ]);
  });

  test("wires don't know each other", () => {
    expect(
      check({
        "src/gateway/wires/chat/a.ts":
          'import { b } from "../messages/b.ts";\nimport { c } from "../shared/c.ts";',
      }),
    ).toEqual(["src/gateway/wires/chat/a.ts:1: src/gateway/wires/chat imports src/gateway/wires/messages"]);
  });
});

describe("circles", () => {
  test("of types are refused inside of gateway", () => {
    expect(
      check({
        "src/gateway/turn/a.ts": 'import type { B } from "./b.ts";',
        "src/gateway/turn/b.ts": 'import type { A } from "./a.ts";',
      }),
    ).toEqual([
      "src/gateway/turn/b.ts:1: imports in a circle: src/gateway/turn/a.ts → src/gateway/turn/b.ts → src/gateway/turn/a.ts",
    ]);
  });

  test("of values are refused, of types are not", () => {
    expect(
      check({
        "src/core/a.ts": 'import { b } from "./b.ts";',
        "src/core/b.ts": 'import { a } from "./a.ts";',
        "src/core/c.ts": 'import { d } from "./d.ts";',
        "src/core/d.ts": 'import type { c } from "./c.ts";',
      }),
    ).toEqual(["src/core/b.ts:1: imports in a circle: src/core/a.ts → src/core/b.ts → src/core/a.ts"]);
  });
});
