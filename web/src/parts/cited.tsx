import {
  createContext,
  type KeyboardEvent,
  use,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useState,
} from "react";
import { type ApiCitations, type ApiSource, routes } from "../../../src/gateway/api.ts";
import type { Chat } from "../state/chat.ts";
import { type CitedPiece, sourceOf, splitCitations } from "../state/citations.ts";
import { strings } from "../strings.ts";
import { useLoaded } from "./use-loaded.ts";
import { usePopover } from "./use-popover.ts";
import { useApp, usePiece } from "./use-store.ts";

interface Sources {
  readonly citations: ApiCitations | undefined;
  /** A text with numbers is shown: from now on their sources are read. */
  readonly want: () => void;
}

export const SourcesContext = createContext<Sources>({ citations: undefined, want: () => {} });

/** What the numbers of a chat mean, read whenever it changes, and only if one of them is shown. */
export function useSources(chat: Chat): Sources {
  const { api } = useApp();
  const version = usePiece(chat.store, (state) => state.version);
  const [isWanted, setWanted] = useState(false);
  // Without an answer numbers stay text; that the server is away is said elsewhere.
  const { value: citations } = useLoaded(
    () => (isWanted ? api.call(routes.citations, { params: { id: chat.id } }) : undefined),
    [api, chat, isWanted, version],
  );
  return useMemo(() => ({ citations, want: () => setWanted(true) }), [citations]);
}

/** A text whose numbers `[3]` open their sources: in a message, or in what precis writes. */
export function Cited({ text, message }: { text: string; message?: number }) {
  const { citations, want } = use(SourcesContext);
  const pieces = useMemo(() => splitCitations(text), [text]);
  const isCiting = pieces.some(({ type }) => type === "number");
  useEffect(() => {
    if (isCiting) want();
  }, [isCiting, want]);
  return pieces.map((piece, n) => {
    const source =
      piece.type === "number" && citations ? sourceOf(citations, piece.number, message) : undefined;
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no other name
    return source === undefined ? piece.text : <SourceButton key={n} piece={piece} source={source} />;
  });
}

function SourceButton(props: { piece: CitedPiece; source: ApiSource }) {
  const {
    piece,
    source: { source, title, passage },
  } = props;
  const { isOpen, setOpen, at, button, panel } = usePopover<HTMLSpanElement>("left");
  const id = useId();
  const label = strings.chat.source(piece.text.replace(/\D/g, ""), title ?? source);
  // Only once it has its place: what is still hidden can't take the focus.
  useLayoutEffect(() => {
    if (isOpen && at) panel.current?.focus();
  }, [isOpen, at, panel]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="pointer"
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {piece.text}
      </button>
      {isOpen ? (
        // Spans: it stands inside of a paragraph.
        <span
          ref={panel}
          id={id}
          popover="manual"
          role="dialog"
          aria-label={label}
          className="source"
          tabIndex={-1}
          style={at ?? { visibility: "hidden" }}
          onKeyDown={onKeyDown}
        >
          <strong>{title ?? source}</strong>
          {/^https?:/i.test(source) ? (
            <a href={source} target="_blank" rel="noreferrer noopener">
              {source}
            </a>
          ) : title === undefined ? null : (
            <span>{source}</span>
          )}
          {passage === "" ? null : <span className="passage">{passage}</span>}
        </span>
      ) : null}
    </>
  );
}
