import type { SearchHit } from "../../../src/gateway/api.ts";
import { aroundMatch } from "../state/around-match.ts";
import { grouped } from "../state/conversations.ts";
import type { Place } from "../state/router.ts";
import { strings } from "../strings.ts";
import { Button, IconButton } from "./controls.tsx";
import { ConversationItem } from "./conversation-item.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { PlaceLink } from "./place-link.tsx";
import { ScrollArea } from "./scroll-area.tsx";
import { useApp, useStore } from "./use-store.ts";

export function Sidebar({
  place,
  onChoose,
  onFile,
}: {
  place: Place;
  onChoose: () => void;
  onFile: () => void;
}) {
  const app = useApp();
  const state = useStore(app.conversations.store);
  const groups = grouped(state, Date.now());
  const words = strings.sidebar;
  return (
    <nav className="sidebar" aria-label={words.navLabel}>
      <header>
        <PlaceLink className="brand" to={{ page: "home" }} onChoose={onChoose}>
          <span className="logo" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          {strings.brand}
        </PlaceLink>
        <IconButton
          icon="plus"
          label={words.newChat}
          onClick={() => {
            void app.newChat();
            onChoose();
          }}
        />
      </header>
      <label className="search">
        <Icon name="search" size={16} />
        <input
          type="search"
          placeholder={words.search}
          aria-label={words.search}
          value={state.search}
          onChange={(event) => app.conversations.find(event.target.value)}
        />
      </label>
      <ScrollArea className="list" label={words.label}>
        {groups.map(({ name, conversations }) => (
          <section key={name}>
            <h2>{words.groups[name]}</h2>
            <ul>
              {conversations.map((conversation) => (
                <ConversationItem
                  key={conversation.id}
                  conversation={conversation}
                  isHere={place.page === "chat" && place.id === conversation.id}
                  onChoose={onChoose}
                />
              ))}
            </ul>
          </section>
        ))}
        {state.search === "" || state.hits.length === 0 ? null : (
          <section>
            <h2>{words.inMessages}</h2>
            <ul>
              {state.hits.map((hit) => (
                <Hit
                  key={`${hit.conversation} ${hit.index}`}
                  hit={hit}
                  search={state.search}
                  onChoose={onChoose}
                />
              ))}
            </ul>
          </section>
        )}
        {state.loaded && groups.length === 0 && (state.search === "" || state.hits.length === 0) ? (
          <p className="help">{state.search === "" ? words.empty : words.noneFound}</p>
        ) : null}
        {state.next === undefined ? null : (
          <Button look="link" onClick={() => app.attempt(() => app.conversations.more())}>
            {words.more}
          </Button>
        )}
        <Button
          look="link quiet"
          aria-pressed={state.showArchived}
          onClick={() => app.attempt(() => app.conversations.showArchived(!state.showArchived))}
        >
          {state.showArchived ? words.hideArchived : words.showArchived}
        </Button>
      </ScrollArea>
      <footer>
        <button type="button" className="nav-item" onClick={onFile}>
          <Icon name="file" /> {words.openFile}
        </button>
        <NavItem icon="compare" to={{ page: "compare", id: undefined }} place={place} onChoose={onChoose}>
          {words.compare}
        </NavItem>
        <NavItem icon="gateway" to={{ page: "gateway" }} place={place} onChoose={onChoose}>
          {words.gateway}
        </NavItem>
        <NavItem icon="settings" to={{ page: "settings" }} place={place} onChoose={onChoose}>
          {words.settings}
        </NavItem>
      </footer>
    </nav>
  );
}

/** Something that was said; opening it goes to the message. */
function Hit({ hit, search, onChoose }: { hit: SearchHit; search: string; onChoose: () => void }) {
  const { conversation: id, title, index, role, excerpt } = hit;
  const { before, found, after } = aroundMatch(excerpt, search);
  return (
    <li className="item">
      <PlaceLink to={{ page: "chat", id, tab: "chat", message: index }} onChoose={onChoose}>
        <span className="item-title">{title || strings.sidebar.untitled}</span>
        <span className="item-excerpt">
          {strings.roles[role]}: {before}
          {found === "" ? null : <mark>{found}</mark>}
          {after}
        </span>
      </PlaceLink>
    </li>
  );
}

function NavItem({
  icon,
  to,
  place,
  onChoose,
  children,
}: {
  icon: IconName;
  to: Place;
  place: Place;
  onChoose: () => void;
  children: React.ReactNode;
}) {
  return (
    <PlaceLink className="nav-item" to={to} isHere={place.page === to.page} onChoose={onChoose}>
      <Icon name={icon} /> {children}
    </PlaceLink>
  );
}
