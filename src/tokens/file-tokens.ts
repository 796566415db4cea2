import type { FilePart } from "../core/types.ts";

/** A page of a document as text and picture; providers state 1,500 to 3,000. */
const TOKENS_PER_PAGE = 2_000;
/** A page of an average PDF. */
const BYTES_PER_PAGE = 50_000;
/** Text that we aren't given but know the size of. */
const TEXT_BYTES_PER_TOKEN = 4;
/** Sound at 32 tokens and about 16,000 bytes a second. */
const AUDIO_BYTES_PER_TOKEN = 500;
/** Video at about 290 tokens and 250,000 bytes a second. */
const VIDEO_BYTES_PER_TOKEN = 850;
/** Nothing is known but that there is a file: one page. */
const UNKNOWN_FILE_TOKENS = TOKENS_PER_PAGE;

const TEXT_TYPES = /^text\/|[/+](?:json|xml|yaml|csv)$|javascript|typescript/;

/** An estimate for a file whose text we don't have, by its type and size. Its base64 text never counts. */
export function fileTokens(file: FilePart): number {
  const { bytes, mediaType = "" } = file;
  if (bytes === undefined || !(bytes >= 0)) return UNKNOWN_FILE_TOKENS;
  if (TEXT_TYPES.test(mediaType)) return Math.ceil(bytes / TEXT_BYTES_PER_TOKEN);
  if (mediaType.startsWith("audio/")) return Math.ceil(bytes / AUDIO_BYTES_PER_TOKEN);
  if (mediaType.startsWith("video/")) return Math.ceil(bytes / VIDEO_BYTES_PER_TOKEN);
  return Math.max(1, Math.ceil(bytes / BYTES_PER_PAGE)) * TOKENS_PER_PAGE;
}
