/** Messages in a wire format, and the system prompt where the format keeps it apart. */
export interface Encoded<M> {
  readonly messages: M[];
  readonly system?: unknown;
}
