import type { StrategyName } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import { Button, CloseButton } from "./controls.tsx";
import { useApp, useStore } from "./use-store.ts";

const MOST_STRATEGIES = 3;

/** Up to three strategies that are compared. */
export function StrategyPicks(props: {
  chosen: readonly StrategyName[];
  onChange: (chosen: readonly StrategyName[]) => void;
}) {
  const { chosen, onChange } = props;
  const { settings } = useStore(useApp().store);
  const words = strings.compare;
  return (
    <fieldset>
      <legend>{words.strategies}</legend>
      {chosen.map((strategy, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place is what is chosen
        <span key={n} className="pick">
          <select
            aria-label={`${words.strategies} ${n + 1}`}
            value={strategy}
            onChange={(event) =>
              onChange(chosen.map((old, m) => (m === n ? (event.target.value as StrategyName) : old)))
            }
          >
            {settings?.strategies.map(({ name }) => (
              <option key={name} value={name}>
                {strings.strategies[name].label}
              </option>
            ))}
          </select>
          {chosen.length > 1 ? (
            <CloseButton
              label={words.remove(strings.strategies[strategy].label)}
              size={14}
              onClick={() => onChange(chosen.filter((_, m) => m !== n))}
            />
          ) : null}
        </span>
      ))}
      {chosen.length < MOST_STRATEGIES ? (
        <Button icon="plus" onClick={() => onChange([...chosen, "summarize-oldest"])}>
          {words.add}
        </Button>
      ) : null}
    </fieldset>
  );
}
