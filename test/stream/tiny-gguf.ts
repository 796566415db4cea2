import { writeFileSync } from "node:fs";

/**
 * Writes a tiny Llama model with random weights as a GGUF file: real enough for llama.cpp to load, tokenise, fill a KV
 * cache and generate (nonsense). Nothing is downloaded.
 */
export interface TinyModel {
  readonly layers?: number;
  readonly dim?: number;
  readonly heads?: number;
  /** Context size that it says it was trained for. */
  readonly window?: number;
  readonly seed?: number;
  /** It wants a token that begins every sequence. */
  readonly bos?: boolean;
  /** Words that are tokens of their own, beside the 256 bytes, the blank and the special tokens. */
  readonly words?: readonly string[];
  /**
   * Makes it say fixed things: after the token on the left comes the one on the right. The layers then add nothing, so
   * that only the newest token decides.
   */
  readonly successors?: readonly (readonly [from: string, to: string])[];
}

export const SPECIALS = ["<|im_start|>", "<|im_end|>", "<|frame|>", "<|sep|>"] as const;

const MAGIC = 0x46554747;
const VERSION = 3;
const ALIGNMENT = 32;
const F32 = 0;
/** Kinds of metadata values and of tokens, as GGUF numbers them. */
const KIND = { u32: 4, f32: 6, bool: 7, string: 8, array: 9, i32: 5 } as const;
const TOKEN = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;
const ROPE_BASE = 10_000;
const SPREAD = 0.08;
/** How much louder a fixed successor is than everything else. */
const LOUD = 40;

export function writeTinyGguf(path: string, model: TinyModel = {}): void {
  const { layers = 2, dim = 64, heads = 4, window = 8_192, words = [], successors } = model;
  const hidden = dim * 2;
  const vocabulary: [text: string, type: number][] = [
    ["<unk>", TOKEN.unknown],
    ["<s>", TOKEN.control],
    ["</s>", TOKEN.control],
    ...SPECIALS.map((text): [string, number] => [text, TOKEN.control]),
    ...Array.from({ length: 256 }, (_, byte): [string, number] => [
      `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
      TOKEN.byte,
    ]),
    ...[" ", ...words].map((text): [string, number] => [text.replaceAll(" ", "▁"), TOKEN.normal]),
  ];
  const idOf = (text: string): number => {
    const id = vocabulary.findIndex(([known]) => known === text.replaceAll(" ", "▁"));
    if (id < 0) throw new Error(`tiny GGUF: there is no token ${JSON.stringify(text)}`);
    return id;
  };
  const metadata: Buffer[] = [
    entry("general.architecture", string("llama")),
    entry("general.name", string("tiny")),
    entry("llama.context_length", u32(window)),
    entry("llama.embedding_length", u32(dim)),
    entry("llama.block_count", u32(layers)),
    entry("llama.feed_forward_length", u32(hidden)),
    entry("llama.attention.head_count", u32(heads)),
    entry("llama.attention.head_count_kv", u32(heads)),
    entry("llama.rope.dimension_count", u32(dim / heads)),
    entry("llama.rope.freq_base", f32(ROPE_BASE)),
    entry("llama.attention.layer_norm_rms_epsilon", f32(1e-5)),
    entry("tokenizer.ggml.model", string("llama")),
    entry(
      "tokenizer.ggml.tokens",
      array(
        KIND.string,
        vocabulary.map(([text]) => text8(text)),
      ),
    ),
    entry(
      "tokenizer.ggml.scores",
      array(
        KIND.f32,
        vocabulary.map((_, id) => float(-id)),
      ),
    ),
    entry(
      "tokenizer.ggml.token_type",
      array(
        KIND.i32,
        vocabulary.map(([, type]) => int(type)),
      ),
    ),
    entry("tokenizer.ggml.bos_token_id", u32(1)),
    entry("tokenizer.ggml.eos_token_id", u32(idOf("<|im_end|>"))),
    entry("tokenizer.ggml.unknown_token_id", u32(0)),
    entry("tokenizer.ggml.add_bos_token", bool(model.bos === true)),
    entry("tokenizer.ggml.add_space_prefix", bool(false)),
  ];

  const random = generator(model.seed ?? 1);
  const weights = (length: number, spread = SPREAD): Float32Array =>
    Float32Array.from({ length }, () => (random() * 2 - 1) * spread);
  const ones = (length: number): Float32Array => new Float32Array(length).fill(1);
  const quiet = successors === undefined ? SPREAD : 0;
  const embedding = weights(vocabulary.length * dim, 1);
  const output = weights(vocabulary.length * dim, successors === undefined ? 0.5 : 0);
  for (const [from, to] of successors ?? [])
    for (let i = 0; i < dim; i++)
      output[idOf(to) * dim + i]! += embedding[idOf(from) * dim + i]! * (LOUD / dim);
  const tensors: [name: string, shape: number[], data: Float32Array][] = [
    ["token_embd.weight", [dim, vocabulary.length], embedding],
    ["output_norm.weight", [dim], ones(dim)],
    ["output.weight", [dim, vocabulary.length], output],
  ];
  for (let layer = 0; layer < layers; layer++) {
    const add = (name: string, shape: number[], data: Float32Array): void => {
      tensors.push([`blk.${layer}.${name}.weight`, shape, data]);
    };
    add("attn_norm", [dim], ones(dim));
    for (const name of ["attn_q", "attn_k", "attn_v"]) add(name, [dim, dim], weights(dim * dim, 0.3));
    add("attn_output", [dim, dim], weights(dim * dim, quiet * 4));
    add("ffn_norm", [dim], ones(dim));
    for (const name of ["ffn_gate", "ffn_up"]) add(name, [dim, hidden], weights(dim * hidden));
    add("ffn_down", [hidden, dim], weights(dim * hidden, quiet));
  }

  let offset = 0;
  const infos = tensors.map(([name, shape, data]) => {
    const info = Buffer.concat([text8(name), int(shape.length), ...shape.map(long), int(F32), long(offset)]);
    offset += align(data.byteLength);
    return info;
  });
  const head = Buffer.concat([
    int(MAGIC),
    int(VERSION),
    long(tensors.length),
    long(metadata.length),
    ...metadata,
    ...infos,
  ]);
  writeFileSync(
    path,
    Buffer.concat([
      padded(head),
      ...tensors.map(([, , data]) => padded(Buffer.from(data.buffer, data.byteOffset, data.byteLength))),
    ]),
  );
}

const entry = (key: string, value: Buffer): Buffer => Buffer.concat([text8(key), value]);
const u32 = (value: number): Buffer => Buffer.concat([int(KIND.u32), int(value)]);
const f32 = (value: number): Buffer => Buffer.concat([int(KIND.f32), float(value)]);
const bool = (value: boolean): Buffer => Buffer.concat([int(KIND.bool), Buffer.from([value ? 1 : 0])]);
const string = (value: string): Buffer => Buffer.concat([int(KIND.string), text8(value)]);
const array = (kind: number, values: readonly Buffer[]): Buffer =>
  Buffer.concat([int(KIND.array), int(kind), long(values.length), ...values]);

function int(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}
function long(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}
function float(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeFloatLE(value);
  return buffer;
}
function text8(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([long(bytes.length), bytes]);
}
const align = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
const padded = (buffer: Buffer): Buffer =>
  Buffer.concat([buffer, Buffer.alloc(align(buffer.length) - buffer.length)]);

/** Numbers from 0 to 1, the same in every run. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
