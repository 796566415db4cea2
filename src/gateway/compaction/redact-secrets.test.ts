import { expect, it } from "vitest";
import { REDACTED, redactSecrets } from "./redact-secrets.ts";

const PEM = (name: string, body: string) =>
  `-----BEGIN ${name}PRIVATE KEY-----${body}-----END ${name}PRIVATE KEY-----`;
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N";

it.each([
  ["a private key", `a ${PEM("RSA ", "\\nMIIE\\n")} b`, `a ${REDACTED} b`],
  ["two of them", PEM("", "x") + PEM("EC ", "y"), REDACTED + REDACTED],
  [
    "one behind a beginning without an end",
    `-----BEGIN PRIVATE KEY-----"${PEM("", "x")}`,
    `-----BEGIN PRIVATE KEY-----"${REDACTED}`,
  ],
  [
    "a certificate is none",
    "-----BEGIN CERTIFICATE-----x-----END CERTIFICATE-----",
    "-----BEGIN CERTIFICATE-----x-----END CERTIFICATE-----",
  ],
  ["a token", `Bearer ${JWT}!`, `Bearer ${REDACTED}!`],
  ["a token behind an escaped line break", `x\\n${JWT}`, `x\\n${REDACTED}`],
  ["a key behind an escaped line break", "it is\\nsk-proj-abcdefghijklmnop12345", `it is\\n${REDACTED}`],
])("%s", (_, text, left) => {
  expect(redactSecrets(text)).toBe(left);
});

/** Each took time with the square of its length: a megabyte would have taken hours. */
it.each([
  "eyJ-",
  "eyJaaaaaaaaaa.",
  "eyJaaaaaaaaaa-",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN A",
  "-----BEGIN ",
  "password:",
  "password\\",
  "://a:",
  "sk-",
])("a megabyte of %j is read through once", (piece) => {
  const text = piece.repeat(1_000_000 / piece.length);
  expect(redactSecrets(text).length).toBeGreaterThan(0);
});

/** Longer texts are looked through in pieces. */
it.each([
  ["keys", "sk-proj-abcdefghijklmnop12345 "],
  ["passwords", "password: hunter22; "],
  ["passwords in addresses", "https://me:hunter22@example.com/ "],
  ["private keys", `${PEM("RSA ", "\\nMIIE".repeat(200))} `],
  ["tokens", `${JWT}\n`],
])("finds %s wherever a long text is cut", (_name, secret) => {
  const left = redactSecrets(secret);
  expect(left).not.toBe(secret);
  const times = Math.ceil(600_000 / secret.length);
  for (const lead of ["", "abc ", `${"some words ".repeat(300)}`])
    expect(redactSecrets(lead + secret.repeat(times))).toBe(lead + left.repeat(times));
});

it("a long text without secrets is the very same", () => {
  const text = "some words ".repeat(100_000);
  expect(redactSecrets(text)).toBe(text);
});
