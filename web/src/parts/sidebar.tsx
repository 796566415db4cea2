import { useState } from "react";
import { type ApiConversation, routes, type SearchHit, urlOf } from "../../../src/gateway/api.ts";
import { aroundMatch } from "../state/around-match.ts";
import { grouped } from "../state/conversations.ts";
import { ago } from "../state/format.ts";
import { type Place, pathOf } from "../state/router.ts";
import { strings } from "../strings.ts";
import { Icon, type IconName } from "./icon.tsx";
import { Menu } from "./menu.tsx";
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
        <button
          type="button"
          className="icon-button"
          aria-label={words.newChat}
          title={words.newChat}
          onClick={() => {
            void app.newChat();
            onChoose();
          }}
        >
          <Icon name="plus" />
        </button>
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
                <Item
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
          <button type="button" className="link" onClick={() => app.attempt(() => app.conversations.more())}>
            {words.more}
          </button>
        )}
        <button
          type="button"
          className="link quiet"
          aria-pressed={state.showArchived}
          onClick={() => app.attempt(() => app.conversations.showArchived(!state.showArchived))}
        >
          {state.showArchived ? words.hideArchived : words.showArchived}
        </button>
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

function Item({
  conversation,
  isHere,
  onChoose,
}: {
  conversation: ApiConversation;
  isHere: boolean;
  onChoose: () => void;
}) {
  const app = useApp();
  const [title, setTitle] = useState<string>();
  const { id, pinned, archived, busy } = conversation;
  const words = strings.sidebar;
  const name = conversation.title || words.untitled;
  if (title !== undefined)
    return (
      <li className="item">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setTitle(undefined);
            if (title.trim() !== "")
              void app.attempt(() => app.conversations.change(id, { title: title.trim() }));
          }}
        >
          <input
            // biome-ignore lint/a11y/noAutofocus: the person just asked to rename it
            autoFocus
            aria-label={words.renameLabel}
            value={title}
            onChange={(event) => setTitle(event.target.value)}
            onBlur={() => setTitle(undefined)}
            onKeyDown={(event) => {
              if (event.key === "Escape") setTitle(undefined);
            }}
          />
        </form>
      </li>
    );
  const change = (changes: { pinned?: boolean; archived?: boolean }) => () =>
    void app.attempt(() => app.conversations.change(id, changes));
  return (
    <li className={`item ${isHere ? "here" : ""}`}>
      <PlaceLink to={{ page: "chat", id, tab: "chat" }} isHere={isHere} onChoose={onChoose}>
        <span className="item-title">{name}</span>
        <span className="item-facts">
          {busy === undefined ? null : <span className="live">{words.busy[busy]} · </span>}
          {conversation.source === "gateway" ? `${words.viaGateway} · ` : ""}
          {conversation.fork === undefined ? "" : `${words.fork} · `}
          {words.messages(conversation.messages)} · {ago(conversation.updatedAt, Date.now())}
        </span>
      </PlaceLink>
      <Menu
        label={words.actions(name)}
        items={[
          { label: words.rename, icon: "edit", act: () => setTitle(conversation.title) },
          { label: pinned ? words.unpin : words.pin, icon: "pin", act: change({ pinned: !pinned }) },
          {
            label: archived ? words.unarchive : words.archive,
            icon: "archive",
            act: change({ archived: !archived }),
          },
          {
            label: words.export,
            icon: "download",
            act: () => download(urlOf(routes.exportConversation, { id })),
          },
          {
            label: words.remove,
            icon: "trash",
            danger: true,
            act: () => {
              void app.attempt(() => app.conversations.remove(id));
              if (isHere) app.router.go({ page: "home" });
            },
          },
        ]}
      >
        <Icon name="more" />
      </Menu>
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

/** A real link (new tab, copy address), that the page follows by itself. */
export function PlaceLink({
  to,
  isHere = false,
  className,
  onChoose,
  children,
}: {
  to: Place;
  isHere?: boolean;
  className?: string;
  onChoose?: () => void;
  children: React.ReactNode;
}) {
  const app = useApp();
  return (
    <a
      href={pathOf(to)}
      className={className}
      aria-current={isHere ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        app.router.go(to);
        onChoose?.();
      }}
    >
      {children}
    </a>
  );
}

function download(url: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = "";
  link.click();
}
