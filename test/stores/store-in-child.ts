/**
 * A process that uses a store and can be killed at any moment. Usage: node store-in-child.ts ROLE WHERE NAME
 *
 *   open    makes the tables, says hello, ends
 *   write   appends messages and saves records one after the other, and prints each number once it is acknowledged
 *   lease   takes a lease again and again, and keeps a counter that only one process at a time may touch
 */

import { readFileSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import type { Checkpoint } from "../../src/core/types.ts";
import { openStore } from "../../src/stores/open-store.ts";

const [role = "", where = "", name = "", counterFile = ""] = process.argv.slice(2);
const TENANT = "t";
const LEASE_MS = 10_000;
const LEASE_ROUNDS = 10;
/** Large enough for several pages of the file, so that a half-written one would show. */
const BODY_CHARACTERS = 20_000;

// Never outlives the test that started it, however that ends.
const STDIN = 0;
new Socket({ fd: STDIN })
  .on("close", () => process.exit(1))
  .resume()
  .unref();

const store = openStore(where);
const say = (text: string) => process.stdout.write(`${text}\n`);

switch (role) {
  case "open":
    await store.ready();
    await store.conversations.append(TENANT, {
      session: name,
      isNew: true,
      title: name,
      messages: [],
      at: Date.now(),
    });
    say("open");
    break;
  case "write":
    await write();
    break;
  case "lease":
    await lease();
    break;
  default:
    throw new Error(`no role ${role}`);
}
await store.close();

async function write(): Promise<void> {
  const records = store.records(TENANT);
  let after: string | undefined;
  for (let n = 0; ; n++) {
    const hash = `${name}-${n}`;
    const wire = JSON.stringify({ role: "user", content: `${n} `.padEnd(BODY_CHARACTERS, "x") });
    await store.conversations.append(TENANT, {
      session: name,
      ...(after !== undefined && { after }),
      messages: [{ hash, role: "user", wire, at: n }],
      at: n,
    });
    after = hash;
    await records.save({ checkpoints: [checkpoint(hash)] });
    say(String(n));
  }
}

function checkpoint(hash: string): Checkpoint {
  return {
    id: `c-${hash}`,
    hash,
    length: 1,
    dialect: "openai-chat",
    strategy: "summarize-oldest",
    budget: 1,
    entries: [],
    texts: { text: "y".repeat(BODY_CHARACTERS) },
    at: 0,
    reason: "pressure",
    rung: "extractive",
    tokens: { before: 1, after: 1 },
    sealed: 0,
    seen: { messages: 1, turns: 1, hash: "h", length: 1 },
  };
}

async function lease(): Promise<void> {
  for (let done = 0; done < LEASE_ROUNDS; ) {
    const held = await store.leases.acquire(TENANT, "counter", name, LEASE_MS);
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (!held) continue;
    const value = Number(readFileSync(counterFile, "utf8"));
    await new Promise((resolve) => setTimeout(resolve, 2));
    writeFileSync(counterFile, String(value + 1));
    await store.leases.release(TENANT, "counter", name);
    done += 1;
  }
  say("done");
}
