import type { SearchHit } from "../../../src/gateway/api.ts";
import { aroundMatch } from "../state/around-match.ts";
import { grouped } from "../state/conversations.ts";
import type { Place } from "../state/router.ts";
import { strings } from "../strings.ts";
import { Button, ScrollArea, Tabs } from "./controls.tsx";
import { ConversationItem } from "./conversation-item.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { moveFocus } from "./menu.tsx";
import { PlaceLink } from "./place-link.tsx";
import { useApp, useStore } from "./use-store.ts";

const words = strings.sidebar;

export function Sidebar(props: { place: Place; onChoose: () => void; onFile: () => void }) {
  const { place, onChoose, onFile } = props;
  const app = useApp();
  const { search, of } = useStore(app.conversations.store);
  return (
    <nav
      className="sidebar"
      aria-label={words.navLabel}
      onKeyDown={(event) => {
        const links = [...event.currentTarget.querySelectorAll<HTMLElement>(".search input, .item > a")];
        if (event.target === links[0] && event.key === "Enter") links[1]?.click();
        if (/^Arrow(Up|Down)$/.test(event.key)) moveFocus(event, links, "ArrowDown", "ArrowUp");
      }}
    >
      <header>
        <PlaceLink className="brand" to={{ page: "home" }} onChoose={onChoose}>
          <span className="logo" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          {strings.brand}
        </PlaceLink>
        <Button
          icon="plus"
          onClick={() => {
            void app.newChat();
            onChoose();
          }}
        >
          {words.newChat}
        </Button>
      </header>
      <label className="search">
        <Icon name="search" size={16} />
        <input
          type="search"
          placeholder={words.search}
          aria-label={words.search}
          value={search}
          onChange={(event) => app.conversations.find(event.target.value)}
        />
      </label>
      <Tabs
        legend={words.of}
        names={words.whose}
        chosen={of}
        onChoose={(one) => void app.attempt(() => app.conversations.show(one))}
      />
      <List place={place} onChoose={onChoose} />
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

/** The conversations, and in a search what was said in them. */
function List({ place, onChoose }: { place: Place; onChoose: () => void }) {
  const app = useApp();
  const state = useStore(app.conversations.store);
  const { search, loaded, next, showArchived, hasArchived } = state;
  const groups = grouped(state, Date.now());
  const chats = Map.groupBy(search === "" ? [] : state.hits, ({ conversation }) => conversation);
  const hits = [...chats.values()].flat();
  return (
    <ScrollArea className="list" label={words.label}>
      {groups.map(({ name, conversations }) => (
        <section key={name}>
          <h2>{words.groups[name]}</h2>
          <ul>
            {conversations.map(({ conversation, depth }) => (
              <ConversationItem
                key={conversation.id}
                conversation={conversation}
                depth={depth}
                isHere={place.page === "chat" && place.id === conversation.id}
                onChoose={onChoose}
              />
            ))}
          </ul>
        </section>
      ))}
      {hits.length === 0 ? null : (
        <section>
          <h2>{words.inMessages}</h2>
          <ul>
            {hits.map((hit, n) => (
              <Hit
                key={`${hit.conversation} ${hit.index}`}
                hit={hit}
                search={search}
                count={
                  hits[n - 1]?.conversation === hit.conversation ? 0 : chats.get(hit.conversation)!.length
                }
                onChoose={onChoose}
              />
            ))}
          </ul>
        </section>
      )}
      {loaded && groups.length + hits.length === 0 ? (
        <p className="help">{search === "" ? words.empty[state.of] : words.noneFound}</p>
      ) : null}
      {next === undefined || search !== "" ? null : (
        <Button look="link" onClick={() => app.attempt(() => app.conversations.more())}>
          {words.more}
        </Button>
      )}
      {hasArchived || showArchived ? (
        <Button
          look="link quiet"
          aria-pressed={showArchived}
          onClick={() => app.attempt(() => app.conversations.showArchived(!showArchived))}
        >
          {showArchived ? words.hideArchived : words.showArchived}
        </Button>
      ) : null}
    </ScrollArea>
  );
}

/** Something that was said; opening it goes to the message. The first one of a chat names it, with how many there are. */
function Hit(props: { hit: SearchHit; search: string; count: number; onChoose: () => void }) {
  const { hit, search, count, onChoose } = props;
  const { conversation: id, title, index, role, excerpt } = hit;
  const { before, found, after } = aroundMatch(excerpt, search);
  return (
    <li className="item">
      <PlaceLink to={{ page: "chat", id, tab: "chat", message: index }} onChoose={onChoose}>
        {count === 0 ? null : (
          <span className="item-title">
            {title || words.untitled}
            {count > 1 ? <small> · {count}</small> : null}
          </span>
        )}
        <span className="item-excerpt">
          {strings.roles[role]}: {before}
          {found === "" ? null : <mark>{found}</mark>}
          {after}
        </span>
      </PlaceLink>
    </li>
  );
}

function NavItem(props: {
  icon: IconName;
  to: Place;
  place: Place;
  onChoose: () => void;
  children: React.ReactNode;
}) {
  const { icon, to, place, onChoose, children } = props;
  return (
    <PlaceLink className="nav-item" to={to} isHere={place.page === to.page} onChoose={onChoose}>
      <Icon name={icon} /> {children}
    </PlaceLink>
  );
}
