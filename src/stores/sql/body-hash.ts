import { hash } from "node:crypto";

/**
 * The address of a message's JSON. Cryptographic, because text of strangers (a web page in a tool result) ends up in
 * it, and none may be made to stand in for another's.
 */
export function bodyHash(wire: string): string {
  return hash("sha256", wire, "base64url");
}
