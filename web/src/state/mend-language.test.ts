import { expect, it } from "vitest";
import { mendLanguage } from "./mend-language.ts";

/** As in browsers: the language is a getter of the prototype. */
const browserOf = (language: string) =>
  Object.create({
    get language() {
      return language;
    },
  }) as { readonly language: string };

it.each(["en-US@posix", "", "C", "c_"])("replaces %j, which no number format takes", (language) => {
  const browser = browserOf(language);
  mendLanguage(browser);
  expect(() => new Intl.NumberFormat(browser.language)).not.toThrow();
  expect(browser.language).toBe("en");
});

it("leaves a good language alone", () => {
  const browser = browserOf("de-CH");
  mendLanguage(browser);
  expect(browser.language).toBe("de-CH");
});
