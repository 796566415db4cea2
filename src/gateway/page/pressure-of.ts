import { countAhead } from "../conversation/count-ahead.ts";
import { load } from "../conversation/loaded.ts";
import { fitInput } from "../conversation/view-of.ts";
import type { ApiContext } from "./context.ts";

/** How full a conversation is, as the meter shows it. */
export async function pressureOf({ gateway, tenant }: ApiContext, id: string) {
  const loaded = await load(gateway, tenant, id);
  await countAhead(gateway, loaded);
  const report = await gateway.compactors.of(loaded.choice).pressure(loaded.transcript, fitInput(loaded));
  return { ...report, model: loaded.model === "" ? undefined : loaded.model, window: report.budget.window };
}
