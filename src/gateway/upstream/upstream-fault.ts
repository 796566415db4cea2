const CLOSED = "it closed the connection";

/** What codes mean that say little by themselves. */
const REASONS: Readonly<Record<string, string>> = {
  ERR_CONNECTION_RESET: CLOSED,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_ABORTED: "the request was given up",
  UND_ERR_CLOSED: "precis is stopping",
  UND_ERR_DESTROYED: "precis is stopping",
  UND_ERR_HEADERS_OVERFLOW: "the head of its answer is too long",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "it isn't as long as its head said",
};

/** Certificates that Node doesn't trust. */
const UNTRUSTED = /CERT|SELF_SIGNED|ERR_TLS_|UNABLE_TO_/;
/** The other side doesn't speak TLS. */
const NO_TLS = "EPROTO";
/** A request that no HTTP can carry. */
const IMPOSSIBLE = new Set(["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED"]);

/** An upstream that couldn't be reached or fell silent. */
export class UpstreamFault extends Error {
  readonly kind: "unreachable" | "timeout" | "broken" | "redirected";
  readonly upstream: string;

  constructor(kind: UpstreamFault["kind"], upstream: string, cause?: unknown) {
    super(`precis: ${called(upstream)} ${wordsFor(kind, cause)}`, { cause });
    this.name = "UpstreamFault";
    this.kind = kind;
    this.upstream = upstream;
  }

  get status(): number {
    return this.kind === "timeout" ? 504 : 502;
  }

  get code(): string {
    return `upstream-${this.kind}`;
  }
}

/** No more of an address is told (characters): an upstream may write anything there. */
const MAX_ADDRESS = 300;

/** An upstream that answers a request with another address. Nothing is sent there: only configured ones are asked. */
export function redirected(
  { name, url }: { readonly name: string; readonly url: URL },
  location: string | undefined,
): UpstreamFault {
  const to = location !== undefined && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  // Where else it is, without a query: a key may stand there.
  const cause = new Error("redirected");
  return new UpstreamFault(
    "redirected",
    name,
    to ? Object.assign(cause, { code: `${to.origin}${to.pathname}`.slice(0, MAX_ADDRESS) }) : cause,
  );
}

/** What went wrong, and what to do. */
function wordsFor(kind: UpstreamFault["kind"], cause: unknown): string {
  if (kind === "timeout") return "didn't answer in time. Try again, or give it more with its timeoutMs.";
  const why = reasonOf(cause);
  const reason = why === undefined ? "" : ` (${why})`;
  if (kind === "redirected")
    return `wants to be asked elsewhere${reason}. Set its baseURL to the address that answers itself.`;
  if (kind === "broken") return `broke off its answer${reason}. Try again.`;
  const code = codeOf(cause) ?? "";
  if (IMPOSSIBLE.has(code)) return `can't be asked${reason}. Check its apiKey and headers in the config.`;
  if (code === NO_TLS)
    return `can't be reached${reason}. Check whether its address begins with http or https.`;
  if (UNTRUSTED.test(code))
    return `can't be trusted: its certificate isn't known${reason}. Name the file of its authority in NODE_EXTRA_CA_CERTS.`;
  return `can't be reached${reason}. Check its address and that it is running.`;
}

function reasonOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const code = codeOf(cause);
  if (code !== undefined && IMPOSSIBLE.has(code)) return cause.message;
  if (cause.name === "HTTPParserError")
    return cause.message.includes("EOF") ? CLOSED : "its answer isn't HTTP";
  return code === undefined ? undefined : (REASONS[code] ?? code);
}

/** The code of an error of the system, of Node or of undici. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The name of an upstream that was given by its address alone. */
const UNNAMED = "upstream";

/** An upstream as sentences call it. */
export const called = (name: string): string => (name === UNNAMED ? "the upstream" : `the upstream ${name}`);
