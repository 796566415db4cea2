import type { StreamStore } from "../../stores/server-store.ts";
import type { Authenticate, Client, LimitStreams } from "../http/admit.ts";
import type { Requests } from "../requests/requests.ts";
import type { TurnParts } from "../turn/turn.ts";
import type { LiveStream } from "./streams/live-stream.ts";

/** What requests of clients are served with. */
export interface V1Parts extends TurnParts {
  readonly requests: Pick<Requests, "begin">;
  readonly authenticate: Authenticate;
  readonly limitRate: (client: Client) => void;
  readonly limitStreams: LimitStreams;
  /** Streams that are open in this process, by their id. */
  readonly streams: Map<string, LiveStream>;
  /** Where streams are written down, if they are. */
  readonly streamLog: StreamStore | undefined;
}
