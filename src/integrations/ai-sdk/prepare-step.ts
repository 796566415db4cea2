import { type AiSdkMessage, aiSdk } from "../../apis/ai-sdk/index.ts";
import { createCompactors, type IntegrationOptions } from "../shared/options.ts";
import { toolSchemas } from "../shared/tool-schemas.ts";

/** What `precisPrepareStep` takes beside the options of every integration. */
export interface PrepareStepOptions extends IntegrationOptions<AiSdkMessage> {
  /** The `tools` of the call: a step isn't told of them, and they take their part of the window. */
  readonly tools?: unknown;
  /** The `system` of the call, for versions 5 and 6. Version 7 tells each step its instructions. */
  readonly system?: unknown;
  /** Largest answer that is asked for (`maxOutputTokens`). */
  readonly maxOutputTokens?: number;
}

/** What the AI SDK tells before a step, in version 5, 6 or 7. */
export interface Step<M> {
  readonly messages: readonly M[];
  /** Since version 7, where `messages` are those of the step before, which were a view already. */
  readonly initialMessages?: readonly M[];
  readonly responseMessages?: readonly M[];
  readonly experimental_steeringMessages?: readonly M[];
  readonly initialInstructions?: unknown;
  readonly steps: readonly {
    readonly response: { readonly messages: readonly unknown[] };
    readonly experimental_steeringMessages?: readonly unknown[] | undefined;
  }[];
  readonly model: unknown;
}

/** The view of a step. */
export interface PreparedStep<M> {
  readonly messages: M[];
}

/**
 * The `prepareStep` of `generateText`, `streamText` and agents: each step is sent a view that fits, made from the whole
 * transcript. Use it instead of `precisMiddleware` where the steps' own messages are to be seen.
 *
 * @example
 * const prepareStep = precisPrepareStep({ window: 32_000, system: "You are brief." });
 * const step = { messages: [{ role: "user", content: "Hello!" }], steps: [], model: "gpt-4o" };
 * const { messages } = await prepareStep(step);
 * messages.length; // 1
 */
export function precisPrepareStep(
  options: PrepareStepOptions = {},
): <M extends AiSdkMessage>(step: Step<M>) => Promise<PreparedStep<M>> {
  const { tools, system, maxOutputTokens, ...rest } = options;
  const compactors = createCompactors(aiSdk, rest);
  let { state } = options;
  return async <M extends AiSdkMessage>(step: Step<M>) => {
    const instructions = step.initialInstructions ?? system;
    const view = await compactors.of(modelIdOf(step.model)).fit<M>(transcriptOf(step), {
      state,
      system: instructions,
      tools: await toolSchemas(tools),
      ...(maxOutputTokens !== undefined && { maxAnswer: maxOutputTokens }),
    });
    if (options.state !== undefined) state = view.state;
    options.onView?.(view);
    const isSame = view.system === instructions;
    // Version 7 has a new name for it and takes the old one, too.
    return { messages: view.messages, ...(isSame ? {} : { system: view.system }) };
  };
}

/** All that was said, whatever earlier steps were sent. */
function transcriptOf<M>(step: Step<M>): readonly M[] {
  const { messages, initialMessages, responseMessages = [], steps } = step;
  if (!initialMessages) return messages;
  const answered = steps.flatMap(({ response, experimental_steeringMessages = [] }) => [
    ...experimental_steeringMessages,
    ...response.messages,
  ]) as M[];
  const ofSteps = steps.reduce((sum, { response }) => sum + response.messages.length, 0);
  // Answers to approvals stand before the first step.
  const earlier = responseMessages.slice(0, responseMessages.length - ofSteps);
  return [...initialMessages, ...earlier, ...answered, ...(step.experimental_steeringMessages ?? [])];
}

function modelIdOf(model: unknown): string | undefined {
  if (typeof model === "string") return model;
  const id = (model as { readonly modelId?: unknown } | null)?.modelId;
  return typeof id === "string" ? id : undefined;
}
