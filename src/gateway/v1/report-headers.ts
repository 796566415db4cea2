import type { OutgoingHttpHeaders } from "node:http";
import type { Report } from "../../core/types.ts";
import type { Action, Outgoing } from "../turn/turn.ts";
import type { Exchange } from "./exchange.ts";

/** What precis did, for whoever wants to know: never inside the model's text. */
export function reportHeaders(
  exchange: Exchange,
  { action, report }: Pick<Outgoing, "action" | "report">,
): OutgoingHttpHeaders {
  const session = nameOf(exchange.recording?.known.session);
  const { hosted, toolsOff } = exchange;
  return {
    ...(hosted && { "x-precis-tools": hosted.tools.join(",") }),
    ...(toolsOff !== undefined && { "x-precis-tools": `none; why=${toolsOff}` }),
    "x-precis-action": actionOf(exchange, action),
    ...(session !== undefined && { "x-precis-session": session }),
    ...(report && {
      "x-precis-pressure": report.pressure.after.toFixed(3),
      "x-precis-tokens-before": String(report.tokens.transcript),
      "x-precis-tokens-after": String(report.tokens.after),
      "x-precis-summarizer": summarizerIn(report),
    }),
  };
}

/** Who may be asked for summaries, and with whose key. */
function summarizerIn({ summarizer }: Pick<Report, "summarizer">): string {
  if (!summarizer) return "none";
  const { id, key } = summarizer;
  return `${nameOf(id) ?? "a model"}${key ? `; key=${key}` : ""}`;
}

/** A compaction that the client asked the provider for is one, though the view that it left was sent as it is. */
function actionOf({ announcement }: Pick<Exchange, "announcement">, action: Action): Action {
  return announcement ? "compacted" : action;
}

/** A name that came from a provider or from an import may hold what a header can't. */
function nameOf(session: string | undefined): string | undefined {
  return session !== undefined && /^[\x21-\x7e]+$/.test(session) ? session : undefined;
}
