import type { ApiView } from "../../../src/gateway/api.ts";
import { count } from "../state/format.ts";
import { tally } from "../state/view.ts";
import { strings } from "../strings.ts";

const FATES = ["kept", "edited", "covered", "dropped"] as const;

/** How much of the transcript is kept, shortened, covered, left out: in tokens, as everything beside it. */
export function TallyBar({ view }: { view: Pick<ApiView, "entries"> }) {
  const counts = tally(view);
  return (
    <div className="tally">
      <div className="stack" aria-hidden="true">
        {FATES.map((fate) => (
          <span key={fate} style={{ flexGrow: counts[fate].tokens, background: `var(--fill-${fate})` }} />
        ))}
      </div>
      <ul>
        {FATES.filter((fate) => counts[fate].messages > 0).map((fate) => (
          <li
            key={fate}
            title={`${strings.inspect.runMessages(counts[fate].messages)}. ${strings.fates.help[fate]}`}
          >
            <i style={{ background: `var(--fill-${fate})` }} /> {strings.fates[fate]}{" "}
            <b>{count(counts[fate].tokens)}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}
