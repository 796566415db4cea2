import { nameFault } from "../../stores/shared/texts.ts";

/** What more is known of a fault. */
export interface FaultDetails {
  /** When to try again (seconds). */
  readonly retryAfter?: number;
  readonly field?: string;
  /** What to do about it; said after the message, since many clients show that alone. */
  readonly fix?: string;
}

/** A request that can't be worked with: the client's fault, and it is told so. */
export class RequestFault extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfter: number | undefined;
  readonly field: string | undefined;
  readonly fix: string | undefined;

  constructor(status: number, code: string, message: string, details: FaultDetails = {}) {
    super(details.fix === undefined ? message : `${message} ${details.fix}`);
    this.name = "RequestFault";
    this.status = status;
    this.code = code;
    this.retryAfter = details.retryAfter;
    this.field = details.field;
    this.fix = details.fix;
  }
}

/** The fault of a client that names something which isn't there. */
export function notFound(what: string): RequestFault {
  return new RequestFault(404, "not-found", `There is no ${what}.`);
}

/**
 * Refuses a name in a request that the store could never hold, before anything is sent: the client would get an answer
 * that is lost.
 */
export function checkNamed(what: string, name: string, most?: number): void {
  const wrong = nameFault(name, most);
  if (wrong) throw new RequestFault(400, "invalid", `precis: the ${what} ${wrong.fault}. ${wrong.fix}`);
}
