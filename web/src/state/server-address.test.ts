/** An address that can't become one is said to be wrong at once, not when its box is left. */
import { expect, it } from "vitest";
import { isAddress, isBegunAddress } from "./server-address.ts";

it.each(["localhost:11434", "api.openai.com/v1", "ftp://host", "htp", "http:/x", "127.0.0.1"])(
  "%s is none",
  (text) => {
    expect(isAddress(text)).toBe(false);
    expect(isBegunAddress(text)).toBe(false);
  },
);

it.each(["h", "http", "https:/", "HTTP://"])("%s may become one", (text) => {
  expect(isAddress(text)).toBe(false);
  expect(isBegunAddress(text)).toBe(true);
});

it.each(["http://localhost:11434/v1", "https://api.openai.com/v1"])("%s is one", (text) => {
  expect(isAddress(text)).toBe(true);
});
