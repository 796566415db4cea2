import { expect, it } from "vitest";
import { beginningOf, readAttachment } from "./attachments.ts";

const file = (name: string, ...pieces: (string | Uint8Array<ArrayBuffer>)[]) => new File(pieces, name);

it("reads texts of any encoding and line ends", async () => {
  expect(await readAttachment(file("a.md", "# Gärten\r\nund mehr\r"))).toEqual({
    name: "a.md",
    text: "# Gärten\nund mehr\n",
  });
  expect((await readAttachment(file("old.txt", new Uint8Array([0x47, 0xe4, 0x72])))).text).toBe("Gär");
});

it.each([
  ["a picture's bytes", file("x.bin", new Uint8Array([1, 0, 2])), /x\.bin isn't a text/],
  ["a file that is too large", file("big.txt", "x".repeat(10_000_001)), /big\.txt is larger/],
])("says what is wrong with %s", async (_, wrong, words) => {
  await expect(readAttachment(wrong)).rejects.toThrow(words);
});

it("shows the beginning of what is long", () => {
  expect(beginningOf("short\n".repeat(30))).toBe(undefined);
  expect(beginningOf("line\n".repeat(100))).toBe("line\n".repeat(20).trimEnd());
  expect(beginningOf("x".repeat(500_000))).toBe("x".repeat(1_200));
});
