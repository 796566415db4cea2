import { type AiSdkMessage, aiSdk } from "../../apis/ai-sdk/index.ts";
import { createCompactors, type IntegrationOptions } from "../shared/options.ts";
import { toolSchemas } from "../shared/tool-schemas.ts";

/** What Mastra hands to `processInputStep`, as far as it is read. */
export interface InputStep {
  readonly tools?: unknown;
  readonly state: Record<string, unknown>;
}

/** What Mastra hands to `processLLMRequest`, as far as it is read. */
export interface LlmRequest<M extends AiSdkMessage> {
  readonly prompt: readonly M[];
  readonly model: { readonly modelId: string };
  readonly state: Record<string, unknown>;
}

/** An input processor for a Mastra agent. */
export interface PrecisProcessor {
  readonly id: "precis";
  processInputStep(step: InputStep): undefined;
  processLLMRequest<M extends AiSdkMessage>(request: LlmRequest<M>): Promise<{ prompt: M[] }>;
}

/** Where the tools of a step are kept until its request is made. */
const TOOLS = "precisTools";

/**
 * An input processor for a Mastra agent: each call of the model is sent a view that fits. What memory stores stays whole.
 *
 * @example
 * const processor = precisProcessor({ window: 32_000 });
 * const prompt = [{ role: "user", content: [{ type: "text", text: "Hello!" }] }];
 * const fitted = await processor.processLLMRequest({ prompt, model: { modelId: "gpt-4o" }, state: {} });
 * fitted.prompt.length; // 1
 */
export function precisProcessor(options: IntegrationOptions<AiSdkMessage> = {}): PrecisProcessor {
  const compactors = createCompactors(aiSdk, options);
  let { state: saved } = options;
  return {
    id: "precis",
    // A request isn't told of its tools, and they take their part of the window.
    processInputStep({ tools, state }) {
      state[TOOLS] = tools;
      return undefined;
    },
    async processLLMRequest({ prompt, model, state }) {
      const view = await compactors.of(model.modelId).fit(prompt, {
        state: saved,
        tools: await toolSchemas(state[TOOLS]),
        thinking: "must-stay",
      });
      if (options.state !== undefined) saved = view.state;
      options.onView?.(view);
      return { prompt: view.messages };
    },
  };
}
