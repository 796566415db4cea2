import { cutTo, firstCharacters } from "../../core/first-characters.ts";
import { saidText } from "../../core/message-text.ts";
import { inOneLine } from "../../stores/shared/texts.ts";
import { onBehalfOf } from "../compaction/on-behalf.ts";
import { summarizerByName, summarizerFor } from "../compaction/summarizer.ts";
import { readGlobalSettings } from "../conversation/chat-settings.ts";
import { load } from "../conversation/loaded.ts";
import { titleOfChat } from "../conversation/store-messages.ts";
import { toldModel } from "../requests/requests.ts";
import { upstreamOf } from "../upstream/upstream.ts";
import { wireOfDialect } from "../wires/index.ts";
import { announced } from "./announce.ts";
import type { ApiContext } from "./context.ts";

/** So much of what was asked, and of its answer, is enough to name it (characters). */
const MATERIAL_CHARS = 1_500;
const TITLE_CHARS = 80;
/** A title takes ten tokens; models that think before take more. */
const CAP = 300;
const ASKED = "Write a title for the conversation below: three to six words in its language, nothing else.";

/** Has a chat's model write its title after the first answer, where the setting says so and nobody has named the chat. */
export async function titleByModel(context: ApiContext, id: string): Promise<void> {
  const { gateway, tenant, headers, client } = context;
  if (!(await readGlobalSettings(gateway, tenant)).modelTitles) return;
  const loaded = await load(gateway, tenant, id);
  const [asked, answer, ...later] = loaded.messages.slice(loaded.lead.length);
  const { title } = loaded.conversation;
  if (!asked || !answer || later.length > 0 || title !== titleOfChat(gateway, loaded)) return;
  const { upstreams, windows } = gateway;
  const upstream = upstreamOf(upstreams, loaded.model);
  const config = summarizerByName(upstreams, loaded.model);
  const { window } = windows.of(upstream, loaded.model, tenant);
  const wire = wireOfDialect(upstream?.dialects[0]);
  const model =
    upstream && config && summarizerFor({ config, upstreams, upstream, wire, model: loaded.model, window });
  if (!model) return;
  const text = [asked, answer].map((one) => firstCharacters(saidText(one), MATERIAL_CHARS)).join("\n\n");
  const messages = [{ role: "user" as const, text: `${ASKED}\n\n${text}` }];
  const told = toldModel(model, { requests: gateway.requests, tenant, upstream });
  const sent = { headers, keyIsOurs: client.keyIsOurs, upstream };
  const reply = await onBehalfOf({ sent, conversation: () => id }, () =>
    told.complete({ name: "title", messages, cap: CAP }),
  );
  const written = cutTo(inOneLine(reply.text).replace(/^["“„'*#\s]+|["”“'*.\s]+$/g, ""), TITLE_CHARS);
  if (written === "") return;
  const updated = await gateway.store.conversations.update(tenant, id, (current) =>
    current.title === title ? { title: written } : {},
  );
  announced(context, updated, "changed");
}
