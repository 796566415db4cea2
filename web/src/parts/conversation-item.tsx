import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { type ApiConversation, routes, urlOf } from "../../../src/gateway/api.ts";
import { ago } from "../state/format.ts";
import { strings } from "../strings.ts";
import { Form } from "./controls.tsx";
import { Icon } from "./icon.tsx";
import { Menu } from "./menu.tsx";
import { PlaceLink } from "./place-link.tsx";
import { useApp } from "./use-store.ts";

/** A conversation in the list, with what can be done with it. */
export function ConversationItem(props: {
  conversation: ApiConversation;
  /** How many forks lead to it from the conversation that it stands below. */
  depth: number;
  isHere: boolean;
  onChoose: () => void;
}) {
  const { conversation, depth, isHere, onChoose } = props;
  const app = useApp();
  const [title, setTitle] = useState<string>();
  const row = useRef<HTMLLIElement>(null);
  /** The box goes away with the focus in it, which goes on where it came from. */
  const endRename = () => {
    const hadFocus = row.current?.contains(document.activeElement) === true;
    flushSync(() => setTitle(undefined));
    if (hadFocus) row.current?.querySelector("button")?.focus();
  };
  const { id, pinned, archived, busy, client } = conversation;
  const words = strings.sidebar;
  const name = conversation.title || words.untitled;
  if (title !== undefined)
    return (
      <li className="item" ref={row}>
        <Form
          onSubmit={() => {
            endRename();
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
              if (event.key === "Escape") endRename();
            }}
          />
        </Form>
      </li>
    );
  const change = (changes: { pinned?: boolean; archived?: boolean }) => () =>
    void app.attempt(() => app.conversations.change(id, changes));
  return (
    <li
      ref={row}
      className={`item ${isHere ? "here" : ""}`}
      data-fork={depth === 0 ? undefined : Math.min(depth, 3)}
    >
      <PlaceLink to={{ page: "chat", id, tab: "chat" }} isHere={isHere} onChoose={onChoose}>
        <span className="item-title">{name}</span>
        <span className="item-facts">
          {busy === undefined ? null : <span className="live">{words.busy[busy]} · </span>}
          {client === undefined ? "" : `${[client, conversation.model].filter(Boolean).join(" · ")} · `}
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
            label: words.exportMarkdown,
            icon: "file",
            act: () =>
              void app.attempt(async () => {
                const { exportMarkdown } = await import("../state/export-markdown.ts");
                const text = await exportMarkdown(app.api, conversation);
                const url = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
                download(url, `${name.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60)}.md`);
                URL.revokeObjectURL(url);
              }),
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

function download(url: string, name = ""): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}
