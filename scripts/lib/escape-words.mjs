// @ts-check

/**
 * The site's pages are templates: what looks like a tag or an expression outside of code would be read as one.
 * @param {string} words
 */
export function escapeWords(words) {
  return words
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith("`") ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;"),
    )
    .join("");
}
