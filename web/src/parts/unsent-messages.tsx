import type { Chat } from "../state/chat-state.ts";
import { type Obstacle, obstacleAt } from "../state/outbox.ts";
import { strings } from "../strings.ts";
import { Icon } from "./icon.tsx";
import { Picture } from "./picture.tsx";
import { useStore } from "./use-store.ts";

/** What was typed and hasn't reached the server, with why. It is never thrown away. */
export function UnsentMessages({ chat }: { chat: Chat }) {
  const { items } = useStore(chat.outbox.store);
  return items.map((item, nth) => {
    const why = obstacleAt(items, nth);
    return (
      <article key={item.id} className="message user speaks unsent" aria-label={strings.outbox.label}>
        <header>
          <span className="who">{strings.roles.user}</span>
          <span className="tag unfinished">{strings.outbox.label}</span>
        </header>
        <div className="parts">
          <p className="plain">{item.text}</p>
          {item.images?.map((source, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same picture may be attached twice
            <Picture key={n} source={source} />
          ))}
        </div>
        <p className="unsent-why" role="status">
          {wordsOf(why)}
        </p>
        {why === undefined ? null : (
          <div className="row">
            {why.type === "busy" || why.type === "behind" ? null : (
              <button type="button" className="button" onClick={() => void chat.sendUnsent()}>
                <Icon name="send" size={16} /> {strings.outbox.sendNow}
              </button>
            )}
            <button type="button" className="button" onClick={() => chat.takeBack(item.id)}>
              <Icon name="edit" size={16} /> {strings.outbox.takeBack}
            </button>
          </div>
        )}
      </article>
    );
  });
}

function wordsOf(why: Obstacle | undefined): string {
  if (why === undefined) return strings.outbox.sending;
  if (why.type !== "refused") return strings.outbox[why.type];
  return why.fix === undefined ? why.message : `${why.message} ${why.fix}`;
}
