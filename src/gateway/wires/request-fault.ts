/** A request that can't be worked with: the client's fault, and it is told so. */
export class RequestFault extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "RequestFault";
    this.status = status;
    this.code = code;
  }
}
