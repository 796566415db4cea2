export { startFakeProvider } from "./start-fake-provider.ts";
export { type SummarizingOptions, summarizingReply } from "./summarizing-reply.ts";
export type * from "./types.ts";
