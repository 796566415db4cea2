import type { IncomingMessage, ServerResponse } from "node:http";
import type { Json } from "../../apis/shared/fields.ts";
import type { Announcement } from "../../apis/shared/native.ts";
import type { RequestOptions } from "../compaction/request-options.ts";
import type { GoesOnFrom } from "../conversation/previous-response.ts";
import type { Opening, Recording } from "../conversation/recording.ts";
import type { HostedTurn, ToolsOff } from "../turn/hosted-turn.ts";
import type { Turn } from "../turn/turn.ts";

/** One request of a client on its way through the gateway. */
export interface Exchange extends Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly options: RequestOptions;
  readonly recording: Recording | undefined;
  /** What a recording begins with; undefined where nothing is to be recorded. */
  readonly opening: Opening | undefined;
  /** Something was set for the conversation on the page, or it was compacted there. */
  readonly hasSettings: boolean;
  /** What the request goes on from, where it only names it. */
  readonly goesOnFrom?: GoesOnFrom | undefined;
  /** Forwarded as it is: the upstream has the provider's own compaction, or something that we don't have. */
  readonly isUntouched?: boolean;
  /** The tools of precis's own that the model was offered, and what came of them. */
  readonly hosted?: HostedTurn;
  /** Why the model wasn't offered the tools that were asked for. */
  readonly toolsOff?: ToolsOff;
  /** Edits of the provider's API that precis carried out, to be told with the answer. */
  readonly appliedEdits?: readonly Json[];
  /** A compaction that the client asked the provider for and precis made, to stand first in the answer. */
  readonly announcement?: Announcement;
}
