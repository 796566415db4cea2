import { FileError } from "../read-lines.ts";

/** There may be a conversation in the file, but it can't be had. */
export class UnreadableLog extends FileError {}
