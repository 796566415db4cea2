import { formatCount as count, formatDollars as dollars } from "../core/words.ts";
import type { Receipt, Receipts } from "./receipts.ts";

/** Names that are listed before the rest is left out. */
const MAX_LISTED = 5;
const shortList = (names: readonly string[]): string =>
  names.slice(0, MAX_LISTED).join(", ") + (names.length > MAX_LISTED ? " …" : "");

/** A receipt as people read it, on the page and in a terminal. */
export function receiptWords(receipt: Receipt): readonly string[] {
  const { requests, tokens, saved, summaries, rewritten, quotations, net, paidAfter, unpriced, repeated } =
    receipt;
  const { used, missed, added } = receipt.summaryCheck ?? { used: 0, missed: [], added: [] };
  const many = (n: number, name: string) => `${count(n)} ${name}${n === 1 ? "" : "s"}`;
  const costs = [
    [summaries, "for summaries"],
    [rewritten, "for the cache written anew"],
    [quotations, "for what was quoted or looked up"],
  ] as const;
  const paid = costs.flatMap(([cost, what]) => (cost > 0 ? [`${dollars(cost)} ${what}`] : []));
  const isPriced = unpriced < requests;
  const worth = isPriced
    ? `, worth ${dollars(saved)}${unpriced === 0 ? "" : ` without ${many(unpriced, "request")} of unknown price`}`
    : ", at unknown prices";
  return [
    `Tokens saved over ${many(requests, "request")}: ${count(tokens)}${worth}.`,
    ...(paid.length > 0 ? [`Cost ${paid.join(", ")}.`] : []),
    ...(!isPriced
      ? []
      : paidAfter === undefined
        ? [`It hasn't paid for itself yet: ${dollars(-net)} to go.`]
        : [`It had paid for itself after ${many(paidAfter, "request")}; ${savedWords(net)} so far.`]),
    ...(missed.length > 0
      ? [
          `Of ${many(used, "name")} that came up next, its summary missed ${count(missed.length)}: ${shortList(missed)}.${added.length > 0 ? ` Code added a line for ${count(added.length)} of them.` : ""}`,
        ]
      : []),
    ...(repeated.length > 0 ? [`Asked for again because of it: ${repeated.join("; ")}.`] : []),
  ];
}

const savedWords = (net: number): string => (net < 0 ? `${dollars(-net)} lost` : `${dollars(net)} saved`);

/** "precis saved $1.20 of $4.00, net." `spend` is what was paid. */
export const netWords = ({ spend, net }: Pick<Receipts, "spend" | "net">): string =>
  `precis ${net < 0 ? "cost" : "saved"} ${dollars(Math.abs(net))} of ${dollars(spend + net)}, net.`;
