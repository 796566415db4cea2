const FALLBACK = "en";

/**
 * Browsers without a locale call their language "en-US@posix" or nothing at all. The chart makes number formats of it as
 * soon as it is loaded, and `Intl` throws at tags that it doesn't know: such a language is replaced.
 */
export function mendLanguage(navigator: { readonly language: string }): void {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: FALLBACK, configurable: true });
  }
}
