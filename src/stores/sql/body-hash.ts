import { hash } from "node:crypto";

/**
 * The address of a message's JSON. Cryptographic, because text of strangers (a web page in a tool result) ends up in
 * it, and none may be made to stand in for another's. Of a text and of its bytes it is the same.
 */
export function bodyHash(wire: string | Buffer): string {
  return hash("sha256", wire, "base64url");
}
