import type { OutgoingHttpHeaders } from "node:http";
import type { Exchange, Outgoing } from "./exchange.ts";

/** What precis did, for whoever wants to know: never inside the model's text. */
export function reportHeaders(exchange: Exchange, { action, report }: Outgoing): OutgoingHttpHeaders {
  const session = exchange.recording?.known.session;
  return {
    "x-precis-action": action,
    ...(session !== undefined && { "x-precis-session": session }),
    ...(report && {
      "x-precis-pressure": report.pressure.after.toFixed(3),
      "x-precis-tokens-before": String(report.tokens.transcript),
      "x-precis-tokens-after": String(report.tokens.after),
      "x-precis-rung": report.rungs.findLast(({ result }) => result === "used")?.rung ?? "nothing-due",
    }),
  };
}
