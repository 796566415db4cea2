import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { byProof } from "../../test/support/proof.ts";
import { describeStore } from "../testing/store-contract.ts";
import { sqliteStore } from "./sqlite.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-sqlite-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
let files = 0;

describeStore({
  name: "SQLite file",
  open: (effects) => sqliteStore({ path: join(dir, `${files++}.db`), ...effects }),
  runs: byProof({ sample: 30, more: 300, all: 2_000 }),
});
describeStore({
  name: "SQLite :memory:",
  open: (effects) => sqliteStore({ path: ":memory:", ...effects }),
  runs: byProof({ sample: 30, more: 100, all: 500 }),
});
