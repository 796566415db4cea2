import { expect, test } from "vitest";
import { legacyHash } from "./hash.ts";

test("what version 1 wrote is still read: its hashes are the same", () => {
  expect(legacyHash("precis")).toBe("c5606d23e6554d3a5c626bfa69de24fb");
  expect(legacyHash("héllo→wörld 1234567890")).toBe("359ebf889cdd368a5d0bf8b9c0a558b1");
});
