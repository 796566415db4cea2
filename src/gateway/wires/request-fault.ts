/** A request that can't be worked with: the client's fault, and it is told so. */
export class RequestFault extends Error {
  readonly status: number;
  readonly code: string;
  /** When to try again (seconds). */
  readonly retryAfter: number | undefined;

  constructor(status: number, code: string, message: string, retryAfter?: number) {
    super(message);
    this.name = "RequestFault";
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}
