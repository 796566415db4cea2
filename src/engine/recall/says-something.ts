import { termsOf } from "../../recall/terms.ts";
import { withoutPhatic } from "./without-phatic.ts";

/** Fewer words than this say nothing that could be read by itself. */
const LEAST_WORDS = 3;
const GAPS = /^… | …$/g;
/** A title, or what only leads to something that isn't quoted. */
const LEADS_ON = /^#{1,6} [^\n]*$|^[^\n]*[:：]$/;

/** Does a quotation say anything by itself? A title, a thank-you or the end of a sentence doesn't. */
export function saysSomething(quotation: string): boolean {
  const text = quotation.replace(GAPS, "").trim();
  return !LEADS_ON.test(text) && new Set(termsOf(withoutPhatic(text))).size >= LEAST_WORDS;
}
