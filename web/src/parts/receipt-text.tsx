import { type Receipt, receiptWords } from "../../../src/gateway/api.ts";

/** What a compaction saved and cost so far; nothing where no request stood on it yet. */
export function ReceiptText({ receipt }: { receipt: Receipt | undefined }) {
  if (receipt === undefined) return null;
  return <p className="help">{receiptWords(receipt).join(" ")}</p>;
}
