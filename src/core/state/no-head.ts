import { contentHash } from "../hash.ts";

/** What stands in `last.head` where there was no system prompt. */
export const NO_HEAD = contentHash("[]");
