import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Button, Notice } from "../parts/controls.tsx";
import { Guard } from "../parts/guard.tsx";
import { Icon } from "../parts/icon.tsx";
import { lazyView } from "../parts/lazy-view.tsx";
import { PlaceLink } from "../parts/place-link.tsx";
import { Sidebar } from "../parts/sidebar.tsx";
import { useApp, usePiece, useStore } from "../parts/use-store.ts";
import type { App } from "../state/app.ts";
import { readFile } from "../state/read-file.ts";
import { type Place, pathOf } from "../state/router.ts";
import { strings } from "../strings.ts";
import { ChatView } from "./chat-view.tsx";
import { HomeView } from "./home-view.tsx";

const SettingsView = lazyView(() => import("./settings-view.tsx"));
const CompareView = lazyView(() => import("./compare-view.tsx"));
const StreamView = lazyView(() => import("./stream-view.tsx"));
const RequestView = lazyView(() => import("./request-view.tsx"));
const GatewayView = lazyView(() => import("./gateway-view.tsx"));

const NO_FILTERS = {};
/** Where the sidebar is a drawer over the page, as in styles/frame-narrow.css. */
const NARROW = "(width < 860px)";
/** Larger files are for the command line. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Sidebar, page, toasts; files dropped anywhere are opened. */
export function Frame() {
  const app = useApp();
  const place = usePiece(app.router.store, (state) => state.place);
  const theme = usePiece(app.store, (state) => state.settings?.settings.theme);
  const title = usePiece(app.conversations.store, ({ all }) =>
    place.page === "chat" ? all.find(({ id }) => id === place.id)?.title : undefined,
  );
  const [isOpen, setOpen] = useState(false);
  const [isDragging, setDragging] = useState(false);
  const main = useRef<HTMLElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const menu = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    document.documentElement.dataset["theme"] = theme ?? "system";
  }, [theme]);
  useEffect(() => {
    document.title = title ? `${title} – ${strings.brand}` : strings.brand;
  }, [title]);
  useShortcuts(app, setOpen);
  useEffect(() => {
    if (!isOpen) return;
    const sidebar = document.querySelector<HTMLElement>(".sidebar")!;
    sidebar.querySelector("a")?.focus();
    const narrow = matchMedia(NARROW);
    const onWide = () => setOpen(false);
    narrow.addEventListener("change", onWide);
    return () => {
      narrow.removeEventListener("change", onWide);
      const { activeElement } = document;
      if (activeElement === document.body || sidebar.contains(activeElement)) menu.current?.focus();
    };
  }, [isOpen]);

  const open = (files: readonly File[]) => {
    for (const file of files) {
      if (file.size > MOST_BYTES)
        app.tell({ kind: "error", message: strings.home.tooLarge(file.name), fix: strings.home.tooLargeFix });
      else void app.importFile(file.name, () => readFile(file, MOST_BYTES));
    }
  };
  const onFile = () => picker.current?.click();

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a place to drop files; the same is a button in the sidebar
    <div
      className={`frame ${isOpen ? "sidebar-open" : ""}`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setDragging(true);
      }}
      onDragLeave={(event) => {
        if (event.relatedTarget === null) setDragging(false);
      }}
      onDrop={(event) => {
        setDragging(false);
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        open([...event.dataTransfer.files]);
      }}
    >
      <button type="button" className="skip" inert={isOpen} onClick={() => main.current?.focus()}>
        {strings.skip}
      </button>
      <Sidebar place={place} onChoose={() => setOpen(false)} onFile={onFile} />
      <button
        type="button"
        className="scrim"
        aria-label={strings.sidebar.close}
        tabIndex={-1}
        onClick={() => setOpen(false)}
      />
      <button
        ref={menu}
        type="button"
        className="icon-button sidebar-button"
        aria-label={strings.sidebar.open}
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <Icon name="menu" />
      </button>
      <main id="main" ref={main} tabIndex={-1} inert={isOpen}>
        <Guard at={pathOf(place)} back={wayBack(app, place)}>
          {place.page === "chat" ? (
            <ChatView key={place.id} chat={app.chat(place.id, place.tab)} tab={place.tab} place={place} />
          ) : place.page === "settings" ? (
            <SettingsView />
          ) : place.page === "compare" ? (
            <CompareView id={place.id} />
          ) : place.page === "gateway" ? (
            <GatewayView filters={place.filters ?? NO_FILTERS} />
          ) : place.page === "request" ? (
            <RequestView id={place.id} />
          ) : place.page === "stream" ? (
            <StreamView />
          ) : place.page === "nowhere" ? (
            <div className="empty">
              <h1>{strings.errors.nowhere}</h1>
              <p>
                <PlaceLink to={{ page: "home" }}>{strings.errors.backToStart}</PlaceLink>
              </p>
            </div>
          ) : (
            <HomeView onFile={onFile} />
          )}
        </Guard>
      </main>
      <input
        ref={picker}
        type="file"
        hidden
        accept=".json,.jsonl,.ndjson,.txt,.log,.gz,application/json,application/gzip"
        aria-label={strings.home.choose}
        onChange={(event) => {
          open([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      {isDragging ? (
        <div className="drop-here" aria-hidden="true">
          <Icon name="file" size={32} />
          {strings.home.drop}
        </div>
      ) : null}
      <Toasts />
    </div>
  );
}

function useShortcuts(app: App, openSidebar: (isOpen: boolean) => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isCommand = event.metaKey || event.ctrlKey;
      const key = event.key.toLowerCase();
      if (isCommand && key === "k") {
        event.preventDefault();
        // At once: the next key is a letter of what is searched.
        flushSync(() => openSidebar(matchMedia(NARROW).matches));
        document.querySelector<HTMLInputElement>(".search input")?.focus();
      } else if (isCommand && event.shiftKey && key === "o") {
        event.preventDefault();
        void app.newChat();
      } else if (key === "escape") openSidebar(false);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [app, openSidebar]);
}

/** Where to go from a page that broke. */
function wayBack({ router }: App, place: Place): { label: string; go: () => void } | undefined {
  if (place.page === "home") return undefined;
  if (place.page === "compare" && place.id !== undefined) {
    const { id } = place;
    return { label: strings.errors.backToChat, go: () => router.go({ page: "chat", id, tab: "chat" }) };
  }
  return { label: strings.errors.backToStart, go: () => router.go({ page: "home" }) };
}

/** How long a deletion can be taken back here; the server may allow longer. */
const UNDO_SHOWN_MS = 12_000;

function Toasts() {
  const app = useApp();
  const { toast, opening } = useStore(app.store);
  const { deleted } = useStore(app.conversations.store);
  const { connection } = useStore(app.live.store);
  const wanted = usePiece(app.clientKey.store, (state) => state.wanted);
  // A chat says it beside its message box, where it lies over nothing.
  const isTalk = usePiece(app.router.store, ({ place }) => place.page === "chat" && place.tab === "chat");
  useEffect(() => {
    if (deleted === undefined) return;
    const timer = setTimeout(() => app.conversations.store.set({ deleted: undefined }), UNDO_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [app, deleted]);
  return (
    <div className="toasts">
      {connection === "lost" && !wanted && !isTalk ? (
        <Notice kind="" title={strings.connection.lost} role="status" />
      ) : null}
      {opening === undefined ? null : <Notice kind="" title={strings.home.opening(opening)} role="status" />}
      {deleted === undefined ? null : (
        <Notice
          kind=""
          icon="trash"
          title={strings.sidebar.removed(deleted.conversation.title || strings.sidebar.untitled)}
          role="status"
        >
          <Button
            onClick={() =>
              app.attempt(async () => {
                const back = await app.conversations.undelete();
                if (back) app.router.go({ page: "chat", id: back.id, tab: "chat" });
              })
            }
          >
            {strings.undo}
          </Button>
        </Notice>
      )}
      {toast === undefined ? null : (
        <Notice
          kind={toast.kind}
          icon={toast.kind === "error" ? "warn" : "check"}
          title={toast.message}
          help={toast.fix}
          role={toast.kind === "error" ? "alert" : "status"}
          onClose={() => app.tell(undefined)}
        />
      )}
    </div>
  );
}
