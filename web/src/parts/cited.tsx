import { createContext, use, useEffect, useMemo, useState } from "react";
import { type ApiCitations, type ApiSource, routes } from "../../../src/gateway/api.ts";
import type { Chat } from "../state/chat.ts";
import { type CitedPiece, sourceOf, splitCitations } from "../state/citations.ts";
import { strings } from "../strings.ts";
import { Popover } from "./popover.tsx";
import { useLoaded } from "./use-loaded.ts";
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
    [api, chat, isWanted],
    { news: version },
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

function SourceButton({ piece, source }: { piece: CitedPiece; source: ApiSource }) {
  const { source: place, title, passage } = source;
  const label = strings.chat.source(piece.text.replace(/\D/g, ""), title ?? place);
  return (
    <Popover role="dialog" label={label} classNames={["pointer", "source"]} face={piece.text}>
      {() => (
        // It has the focus: a long passage is scrolled by keyboard.
        // biome-ignore lint/a11y/noAutofocus: the person just opened it
        <span tabIndex={-1} autoFocus>
          <strong>{title ?? place}</strong>
          {/^https?:/i.test(place) ? (
            <a href={place} target="_blank" rel="noreferrer noopener">
              {place}
            </a>
          ) : title === undefined ? null : (
            <span>{place}</span>
          )}
          {passage === "" ? null : <span className="passage">{passage}</span>}
        </span>
      )}
    </Popover>
  );
}
