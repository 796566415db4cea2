import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { scratchFolder } from "../cli/run-cli.ts";
import { post } from "./own-upstream.ts";
import { serveHere } from "./serve-here.ts";

const WORDS = "hippopotamus-4711";

let folder: ReturnType<typeof scratchFolder>;
let provider: FakeProvider;
afterEach(async () => {
  await provider.close();
  folder.remove();
});

/** Files of the database that hold a text. */
async function holding(text: string): Promise<string[]> {
  const path = dirname(folder.path("x"));
  const found = await readdir(path, { recursive: true, withFileTypes: true });
  const files = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const bytes = await Promise.all(files.map((name) => readFile(name)));
  return files.filter((_, index) => bytes[index]!.includes(text));
}

it("leaves no byte of a deleted conversation, though the server is stopped before it can't be brought back", async () => {
  folder = scratchFolder();
  provider = await startFakeProvider({ reply: `Yes, the ${WORDS}.` });
  const serve = await serveHere(["--upstream", provider.url, "--window", "2000"], {
    db: folder.path("deleted.db"),
  });
  const messages = Array.from({ length: 21 }, (_, n) => ({
    role: n % 2 === 0 ? "user" : "assistant",
    content: `${n}: the ${WORDS}. ${"Please say more. ".repeat(40)}`,
  }));
  const response = await post(`${serve.url}/v1/chat/completions`, { model: "gpt-4o", messages });
  expect(response.headers.get("x-precis-action")).toBe("compacted");
  await response.text();
  const { conversations } = (await (await fetch(`${serve.url}/api/conversations`)).json()) as {
    conversations: { id: string }[];
  };
  expect(conversations).toHaveLength(1);
  expect(await holding(WORDS)).not.toEqual([]);
  const deleted = await fetch(`${serve.url}/api/conversations/${conversations[0]!.id}`, { method: "DELETE" });
  expect(deleted.status).toBe(200);
  await serve.stop();
  expect(await holding(WORDS)).toEqual([]);
});
