export { startFakeProvider } from "./start-fake-provider.ts";
export { type SummarizingOptions, summarizingReply } from "./summarizing-reply.ts";
export type {
  FakeApi,
  FakeBody,
  FakeCacheOptions,
  FakeCall,
  FakeFamily,
  FakeMessage,
  FakeProvider,
  FakeProviderOptions,
  FakeReplier,
  FakeReply,
  FakeRequest,
  FakeTokens,
  Fault,
  FaultName,
  OtherRequest,
  RecordedRequest,
} from "./types.ts";
