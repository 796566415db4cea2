import type { Lookup } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import { Icon } from "./icon.tsx";
import { useNumbers } from "./use-store.ts";

/** So many messages are named in a line; of more, their number says enough. */
const MAX_NAMED = 8;

/** What the model looked up in what its view hides, one quiet line each, with the way to what it found. */
export function Lookups(props: {
  lookups: readonly Lookup[];
  /** Left out where there is nowhere to go to yet. */
  onShow?: (index: number) => void;
}) {
  const { lookups, onShow } = props;
  const numbers = useNumbers();
  const words = strings.chat.lookups;
  return lookups.map(({ query, found }, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lookups only ever come one after the other
    <p key={n} className="lookup">
      <Icon name="search" size={13} /> {words.line(query, found.length)}{" "}
      {found.slice(0, MAX_NAMED).map((index) => (
        <button
          key={index}
          type="button"
          className="pointer"
          aria-label={words.show(numbers.one(index))}
          title={words.show(numbers.one(index))}
          disabled={onShow === undefined}
          onClick={() => onShow?.(index)}
        >
          {numbers.one(index)}
        </button>
      ))}
      {found.length > MAX_NAMED ? " …" : null}
    </p>
  ));
}
