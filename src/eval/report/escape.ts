import { escapeMarkup } from "../../summaries/text/marker-tag.ts";

/** Text for HTML, inside elements and inside quoted attributes. Control characters that HTML forbids leave. */
export const escapeHtml = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to remove
  escapeMarkup(text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "\ufffd"));
