/** Inverts one block of MurmurHash3 x86/128: how an attacker makes a second text with the hash of a first one. */

type Words = [number, number, number, number];

const C = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93] as const;
const ROUNDS = [
  { before: C[0], turn: 15, after: C[1], mix: 19, add: 0x561ccd1b },
  { before: C[1], turn: 16, after: C[2], mix: 17, add: 0x0bcaa747 },
  { before: C[2], turn: 17, after: C[3], mix: 15, add: 0x96cd1c35 },
  { before: C[3], turn: 18, after: C[0], mix: 13, add: 0x32ac3b17 },
] as const;
type Round = (typeof ROUNDS)[number];
const BLOCK = 8;

/** A text that says what `evil` says and has the hash of `good`, which is the longer one. */
export function twinOf(good: string, evil: string): string {
  const blocks = Math.ceil((evil.length + 6) / BLOCK);
  if ((blocks + 1) * BLOCK > good.length) throw new Error("the text to imitate is too short");
  const target = stateAfter(good, blocks + 1);
  for (let attempt = 0; ; attempt++) {
    const text = (evil + attempt.toString(36)).padEnd(blocks * BLOCK, ".");
    const units = solve(stateAfter(text, blocks), target).flatMap((word) => [
      word & 0xffff,
      (word >>> 16) & 0xffff,
    ]);
    if (units.every((unit) => unit > 0xff && unit < 0xfff0 && (unit < 0xd800 || unit > 0xdfff)))
      return text + String.fromCharCode(...units) + good.slice((blocks + 1) * BLOCK);
  }
}

function stateAfter(text: string, blocks: number): Words {
  let state: Words = [0, 0, 0, 0];
  for (let at = 0; at < blocks * BLOCK; at += BLOCK) {
    const word = (n: number) => text.charCodeAt(at + 2 * n) | (text.charCodeAt(at + 2 * n + 1) << 16);
    const [a, b, c, d] = state;
    const e = step(a, word(0), ROUNDS[0], b);
    const f = step(b, word(1), ROUNDS[1], c);
    const g = step(c, word(2), ROUNDS[2], d);
    state = [e, f, g, step(d, word(3), ROUNDS[3], e)];
  }
  return state;
}

function step(h: number, word: number, { before, turn, after, mix, add }: Round, next: number): number {
  const scrambled = Math.imul(rotate(Math.imul(word, before), turn), after);
  return (Math.imul((rotate(h ^ scrambled, mix) + next) | 0, 5) + add) | 0;
}

/** The block that leads from one state to another. */
function solve([a, b, c, d]: Words, [e, f, g, h]: Words): Words {
  return [
    wordFor(a, e, ROUNDS[0], b),
    wordFor(b, f, ROUNDS[1], c),
    wordFor(c, g, ROUNDS[2], d),
    wordFor(d, h, ROUNDS[3], e),
  ];
}

function wordFor(h: number, end: number, { before, turn, after, mix, add }: Round, next: number): number {
  const scrambled = rotate((Math.imul((end - add) | 0, inverse(5)) - next) | 0, 32 - mix) ^ h;
  return Math.imul(rotate(Math.imul(scrambled, inverse(after)), 32 - turn), inverse(before));
}

/** Modulo 2^32, by Newton's way. */
function inverse(odd: number): number {
  let x = odd;
  for (let i = 0; i < 5; i++) x = Math.imul(x, 2 - Math.imul(odd, x));
  return x | 0;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
