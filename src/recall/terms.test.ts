import { expect, it } from "vitest";
import { termsOf } from "./terms.ts";

it.each([
  ["Ship it 🚀🚀 now 🚀", ["ship", "now", "🚀"]],
  ["40 € or £35", ["40", "35", "€", "£"]],
  ["C++17, c# and F#", ["17", "c++", "c#", "f#"]],
  ["draft → review", ["draft", "review", "→"]],
  ["👍🏽 ❤️ 🇨🇭", ["👍", "❤", "🇨🇭"]],
  ["👩‍🚀", ["👩", "🚀"]],
  ["𠮷", ["𠮷"]],
])("%s: signs are terms, each once", (text, terms) => {
  expect(termsOf(text)).toEqual(terms);
});

it.each(["┌──┬──┐ │ █▒░", "⠋⠙⠹ ⠸", "\ufffd\ufffc", "\ud83d", "\ude80", "… – “ ” •", "+ # ++ ## = | ~"])(
  "%j: lines of tables, spinners, halves of characters and punctuation are none",
  (text) => {
    expect(termsOf(text)).toEqual([]);
  },
);
