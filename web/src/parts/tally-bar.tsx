import type { ApiView } from "../../../src/gateway/api.ts";
import { count } from "../state/format.ts";
import { tally } from "../state/view.ts";
import { strings } from "../strings.ts";

const FATES = ["kept", "edited", "covered", "dropped"] as const;

/** How many messages are kept, shortened, covered, left out. */
export function TallyBar({ view }: { view: Pick<ApiView, "entries"> }) {
  const counts = tally(view);
  return (
    <div className="tally">
      <div className="stack" aria-hidden="true">
        {FATES.map((fate) => (
          <span key={fate} className={`fate-bar ${fate}`} style={{ flexGrow: counts[fate] }} />
        ))}
      </div>
      <ul>
        {FATES.filter((fate) => counts[fate] > 0).map((fate) => (
          <li key={fate} title={strings.fates.help[fate]}>
            <i className={`fate-bar ${fate}`} /> {strings.fates[fate]} <b>{count(counts[fate])}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}
