import { describe, expect, test } from "vitest";
import { growth, LINEAR } from "../../../test/support/growth.ts";
import { overflowOf } from "./overflow.ts";

/** Real answers, as providers give them: status, body, and the numbers that are in it. */
const ANSWERS: readonly (readonly [string, number, unknown, ReturnType<typeof overflowOf>])[] = [
  [
    "openai chat",
    400,
    {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
    { tokens: 204_308, limit: 128_000 },
  ],
  [
    "openai chat with tools",
    400,
    {
      error: {
        message:
          "This model's maximum context length is 8192 tokens. However, you requested 8213 tokens (6683 in the messages, 730 in the functions, and 800 in the completion). Please reduce the length of the messages, functions, or completion.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
    { tokens: 6683, limit: 8192 },
  ],
  [
    "openai completions",
    400,
    "This model's maximum context length is 4097 tokens, however you requested 4226 tokens (3970 in your prompt; 256 for the completion). Please reduce your prompt; or completion length.",
    { tokens: 3970, limit: 4097 },
  ],
  [
    "openai gpt-5",
    400,
    {
      error: {
        message:
          "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
    { tokens: 289_650, limit: 272_000 },
  ],
  [
    "openai responses",
    400,
    {
      error: {
        message:
          "Your input exceeds the context window of this model. Please adjust your input and try again.",
        type: "invalid_request_error",
        param: "input",
        code: "context_length_exceeded",
      },
    },
    {},
  ],
  [
    "openai responses, failed in the stream",
    200,
    {
      type: "response.failed",
      response: {
        status: "failed",
        error: {
          code: "context_length_exceeded",
          message:
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
        },
      },
    },
    {},
  ],
  [
    "azure",
    400,
    {
      error: {
        code: "context_length_exceeded",
        message:
          "This model's maximum context length is 16384 tokens. However, your messages resulted in 64622 tokens. Please reduce the length of the messages.",
        param: "messages",
        type: "invalid_request_error",
      },
    },
    { tokens: 64_622, limit: 16_384 },
  ],
  [
    "anthropic",
    400,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "prompt is too long: 213462 tokens > 200000 maximum",
      },
      request_id: "req_011",
    },
    { tokens: 213_462, limit: 200_000 },
  ],
  [
    "anthropic, with the answer",
    400,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message:
          "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again",
      },
    },
    { tokens: 178_959, limit: 200_000 },
  ],
  [
    "anthropic, bytes",
    413,
    {
      type: "error",
      error: { type: "request_too_large", message: "Request exceeds the maximum allowed number of bytes." },
    },
    { bytes: true },
  ],
  [
    "gemini",
    400,
    [
      {
        error: {
          code: 400,
          message: "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
          status: "INVALID_ARGUMENT",
        },
      },
    ],
    { tokens: 1_200_293, limit: 1_048_576 },
  ],
  [
    "gemini, without the count",
    400,
    "The input token count exceeds the maximum number of tokens allowed (1048576).",
    { limit: 1_048_576 },
  ],
  [
    "vertex",
    400,
    "Unable to submit request because the input token count is 3601938 but model only supports up to 1000000. Reduce the input token count and try again.",
    { tokens: 3_601_938, limit: 1_000_000 },
  ],
  [
    "openrouter",
    400,
    {
      error: {
        message:
          'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 141607 tokens (10535 of text input, 131072 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
        code: 400,
        metadata: { provider_name: "Chutes" },
      },
    },
    { tokens: 10_535, limit: 131_072 },
  ],
  [
    "a provider's answer inside a router's",
    400,
    {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          raw: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 205106 tokens > 200000 maximum"}}',
          provider_name: "Anthropic",
        },
      },
    },
    { tokens: 205_106, limit: 200_000 },
  ],
  [
    "groq",
    400,
    {
      error: {
        message: "Please reduce the length of the messages or completion.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
    {},
  ],
  [
    "mistral",
    400,
    {
      object: "error",
      message: "Prompt contains 300000 tokens, too large for model with 131072 maximum context length",
      type: "invalid_request_error",
      code: "3051",
    },
    { tokens: 300_000, limit: 131_072 },
  ],
  [
    "deepseek",
    400,
    {
      error: {
        message:
          "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
        type: "invalid_request_error",
        param: null,
        code: "invalid_request_error",
      },
    },
    { tokens: 122_942, limit: 131_072 },
  ],
  [
    "together",
    400,
    {
      error: {
        message:
          "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 80125 `inputs` tokens and 4096 `max_new_tokens`",
        type: "invalid_request_error",
        param: "max_tokens",
        code: null,
      },
    },
    { tokens: 80_125, limit: 4097 },
  ],
  [
    "together, newer",
    400,
    "The input (265330 tokens) is longer than the model's context length (262144 tokens).",
    { tokens: 265_330, limit: 262_144 },
  ],
  [
    "fireworks",
    400,
    {
      error: {
        object: "error",
        type: "invalid_request_error",
        message: "The prompt is too long: 203557, model maximum context length: 196607",
      },
    },
    { tokens: 203_557, limit: 196_607 },
  ],
  [
    "xai",
    400,
    "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
    { tokens: 136_973, limit: 131_072 },
  ],
  [
    "cohere",
    400,
    {
      message:
        "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt or a smaller max_tokens value.",
    },
    { tokens: 6354, limit: 2048 },
  ],
  ["bedrock", 400, { message: "Input is too long for requested model." }, {}],
  [
    "bedrock nova",
    400,
    "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
    {},
  ],
  [
    "ollama",
    400,
    { error: "The prompt is too long: 208863, model maximum context length: 202752" },
    { tokens: 208_863, limit: 202_752 },
  ],
  ["ollama, native", 400, { error: "prompt too long; exceeded max context length by 4096 tokens" }, {}],
  [
    "llama.cpp",
    400,
    {
      error: {
        code: 400,
        message:
          "the request exceeds the available context size. try increasing the context size or enable context shift",
        type: "exceed_context_size_error",
        n_prompt_tokens: 14_429,
        n_ctx: 8192,
      },
    },
    { tokens: 14_429, limit: 8192 },
  ],
  [
    "llama.cpp, as a 500",
    500,
    {
      error: {
        code: 500,
        message: "the request exceeds the available context size, try increasing it",
        type: "server_error",
      },
    },
    {},
  ],
  [
    "llama-cpp-python",
    500,
    "Requested tokens (2285) exceed context window of 2048",
    { tokens: 2285, limit: 2048 },
  ],
  [
    "vllm",
    400,
    {
      object: "error",
      message:
        "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    { tokens: 112_946, limit: 16_384 },
  ],
  [
    "vllm, input alone",
    400,
    "This model's maximum context length is 1000000 tokens. However, your request has 1000010 input tokens. Please reduce the length of the input messages. None",
    { tokens: 1_000_010, limit: 1_000_000 },
  ],
  [
    "vllm, newer",
    400,
    {
      error: {
        message:
          "You passed 98305 input tokens and requested 32768 output tokens. However, the model's context length is only 131072 tokens, resulting in a maximum input length of 98304 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=98305)",
        type: "BadRequestError",
        param: "input_tokens",
        code: 400,
      },
    },
    { tokens: 98_305, limit: 131_072 },
  ],
  [
    "vllm, with images",
    400,
    "The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.",
    { tokens: 25_938, limit: 4096 },
  ],
  [
    "lm studio",
    400,
    {
      error:
        "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.",
    },
    { tokens: 13_055, limit: 4096 },
  ],
  [
    "lm studio, older",
    400,
    {
      error:
        "Trying to keep the first 14538 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input",
    },
    { tokens: 14_538, limit: 2048 },
  ],
  ["lm studio, mlx", 500, { error: "Context size has been exceeded" }, {}],
  [
    "tgi",
    422,
    {
      error: "Input validation error: `inputs` must have less than 2048 tokens. Given: 2222",
      error_type: "validation",
    },
    { tokens: 2222, limit: 2048 },
  ],
  [
    "sglang",
    400,
    "Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 140000 tokens: 131808 tokens from the input messages and 8192 tokens for the completion.",
    { tokens: 131_808, limit: 131_072 },
  ],
  [
    "copilot",
    400,
    {
      error: {
        message: "prompt token count of 93854 exceeds the limit of 90000",
        param: "",
        code: "",
        type: "",
      },
    },
    { tokens: 93_854, limit: 90_000 },
  ],
  [
    "kimi",
    400,
    {
      error: {
        message: "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
        type: "invalid_request_error",
      },
    },
    { tokens: 269_030, limit: 262_144 },
  ],
  ["minimax", 400, "invalid params, context window exceeds limit (2013)", {}],
  [
    "dashscope",
    400,
    {
      error: {
        message: "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 258048]",
        code: "invalid_parameter_error",
      },
    },
    { limit: 258_048 },
  ],
  ["z.ai", 400, { error: { code: "1261", message: "Prompt exceeds max length" } }, {}],
  [
    "poolside",
    400,
    "Input length 265330 exceeds the maximum allowed input length of 262144 tokens.",
    { tokens: 265_330, limit: 262_144 },
  ],
  [
    "groq, one request above the limit per minute",
    413,
    {
      error: {
        message:
          "Request too large for model `llama-3.3-70b-versatile` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again.",
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    },
    { tokens: 14_137, limit: 12_000 },
  ],
  [
    "numbers with separators",
    400,
    "Prompt has 300,000 tokens, but the configured context size is 131,072 tokens",
    { tokens: 300_000, limit: 131_072 },
  ],
];

describe("recognises the provider's own words", () => {
  test.each(ANSWERS)("%s", (_, status, body, numbers) => {
    expect(overflowOf(status, body)).toEqual(numbers);
  });

  test.each(ANSWERS.filter(([, , body]) => typeof body !== "string"))(
    "%s, as text",
    (_, status, body, numbers) => {
      expect(overflowOf(status, JSON.stringify(body))).toEqual(numbers);
    },
  );
});

test.each([
  ["throttled", 400, "Throttling error: Too many tokens, please wait before trying again."],
  [
    "tokens per minute",
    429,
    {
      error: {
        message:
          "Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Used 28000, Requested 4000. Please try again in 4s.",
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    },
  ],
  ["429", 429, "This model's maximum context length is 8192 tokens"],
  ["quota", 429, { error: { code: "insufficient_quota", message: "You exceeded your current quota" } }],
  [
    "the answer's cap",
    400,
    "max_tokens is too large: 200000. This model supports at most 16384 completion tokens, whereas you provided 200000.",
  ],
  [
    "the answer's cap at Anthropic",
    400,
    "max_tokens: 300000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5",
  ],
  ["an orphan", 400, "No tool call found for function call output with call_id call_1."],
  ["a server's fault", 500, { error: { message: "The server had an error while processing your request" } }],
  ["nothing", 400, undefined],
  ["a page", 502, "<html><body>Bad gateway</body></html>"],
])("doesn't mistake %s for it", (_, status, body) => {
  expect(overflowOf(status, body)).toBeUndefined();
});

test("a hostile body costs no more than reading it", () => {
  const body = (size: number): string =>
    `maximum context length is ${"1".repeat(5_000)} tokens. `.repeat(size) + '{"a":'.repeat(100 * size);
  expect(growth((size) => overflowOf(400, body(size)), 50)).toBeLessThan(LINEAR);
});

test.each([
  [
    "SGLang",
    {
      message:
        "Input length (9000 tokens) exceeds the maximum allowed length (6000 tokens). Use a shorter input.",
    },
    { tokens: 9000, limit: 6000 },
  ],
  [
    "SiliconFlow",
    {
      code: 20015,
      message: "length of prompt_tokens (9000) must be less than max_seq_len (6000).",
      data: null,
    },
    { tokens: 9000, limit: 6000 },
  ],
  [
    "watsonx",
    {
      errors: [
        {
          message: "the number of input tokens 9000 cannot exceed the total tokens limit 6000 for this model",
        },
      ],
    },
    { tokens: 9000, limit: 6000 },
  ],
  [
    "Volcengine Ark",
    { error: { message: "Total tokens of image and text exceed max message tokens. Request id: 02171" } },
    {},
  ],
  [
    "LM Studio",
    {
      error:
        "Reached context length of 6000 tokens with model (arch: qwen2) that does not currently support it.",
    },
    { limit: 6000 },
  ],
  [
    "GitHub Models",
    {
      error: {
        code: "tokens_limit_reached",
        message: "Request body too large for gpt-4o model. Max size: 6000 tokens.",
      },
    },
    { limit: 6000 },
  ],
  [
    "Cloudflare",
    {
      errors: [
        {
          message:
            "AiError: The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (6000).",
          code: 5021,
        },
      ],
    },
    { tokens: 9000, limit: 6000 },
  ],
  [
    "text-generation-webui",
    {
      error: {
        message:
          "This model's maximum context length is 6000 tokens. However, your messages resulted in over 9000 tokens.",
      },
    },
    { tokens: 9000, limit: 6000 },
  ],
  [
    "TabbyAPI",
    { error: { message: "Prompt length 9000 is greater than max_seq_len 6000" } },
    { tokens: 9000, limit: 6000 },
  ],
  [
    "TensorRT-LLM",
    {
      message:
        "The sum of prompt length (9000.0) and query length (0.0) max_tokens (1000) should not exceed max_seq_len (6000)",
    },
    { tokens: 9000, limit: 6000 },
  ],
  [
    "a router that speaks of other limits beside it",
    "This model's maximum context length is 6000 tokens. However, your messages resulted in 9000 tokens. No rate limit or quota reached.",
    { tokens: 9000, limit: 6000 },
  ],
])("%s says it in its own words", (_, body, expected) => {
  expect(overflowOf(400, body)).toEqual(expected);
});
