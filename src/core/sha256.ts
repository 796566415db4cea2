import { nativeSha256 } from "./sha256-native.ts";
import { portableSha256 } from "./sha256-portable.ts";

/** SHA-256 of the UTF-8 bytes of a text, as 43 characters of base64url. Every implementation gives the same. */
export interface Sha256 {
  digest(text: string): string;
  /** The same for a text that comes in pieces. Each must be well-formed. */
  begin(): { add(piece: string): void; digest(): string };
  /** HMAC: only who has the key can make it. */
  keyed(key: string, text: string): string;
}

export const sha256: Sha256 = nativeSha256() ?? portableSha256;
