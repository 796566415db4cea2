import { expect, it } from "vitest";
import { readFile } from "./read-file.ts";

const fileOf = (content: BlobPart) => new File([content], "chat.jsonl.gz");
const packed = (text: string) =>
  new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).blob();

it("a packed file is unpacked, whatever it is called; a plain one is read as it is", async () => {
  const text = '{"role":"user","content":"Grüße"}\n';
  expect(await readFile(fileOf(await packed(text)), 1_000)).toBe(text);
  expect(await readFile(fileOf(text), 1_000)).toBe(text);
});

it("a packed file that holds too much is refused before it fills the memory", async () => {
  const bomb = await packed("0".repeat(5_000_000));
  await expect(readFile(fileOf(bomb), 1_000_000)).rejects.toThrow("too large");
});
