import type { Token, Tokens } from "marked";
import { memo, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Piece } from "../state/highlight.ts";
import { type Formula, parseMarkdown } from "../state/parse-markdown.ts";
import { strings } from "../strings.ts";
import { Cited } from "./cited.tsx";
import { CopyButton } from "./copy-button.tsx";
import { useModule } from "./use-module.ts";

/**
 * Markdown as React elements. No HTML is ever made from text, so nothing that a model writes can run or load anything:
 * HTML is shown as the text that it is, and an image becomes a link. A text that would take long to parse is shown as it
 * was written. In a message of a chat, the numbers of sources can be opened.
 */
export const Markdown = memo(function Markdown({ text, message }: { text: string; message?: number }) {
  const tokens = useMemo(() => parseMarkdown(text), [text]);
  if (tokens === undefined) return <div className="markdown as-written">{text}</div>;
  return <div className="markdown">{tokens.map((token, n) => blockOf(token, n, message))}</div>;
});

/** Links leave the page only for the web and for mail. */
const SAFE_LINK = /^(https?:|mailto:)/i;

function blockOf(token: Token, key: number, message: number | undefined): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading;
      const Tag = `h${Math.max(3, depth)}` as "h3";
      return <Tag key={key}>{inlines(tokens, message)}</Tag>;
    }
    case "paragraph":
      return <p key={key}>{inlines((token as Tokens.Paragraph).tokens, message)}</p>;
    case "code":
      return <Code key={key} text={(token as Tokens.Code).text} lang={(token as Tokens.Code).lang} />;
    case "blockquote":
      return (
        <blockquote key={key}>
          {(token as Tokens.Blockquote).tokens.map((inner, n) => blockOf(inner, n, message))}
        </blockquote>
      );
    case "list": {
      const { ordered, start, items } = token as Tokens.List;
      const lines = items.map((item, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text have no other name
        <li key={n} className={item.task ? "task" : undefined}>
          {item.tokens.map((inner, m) => blockOf(inner, m, message))}
        </li>
      ));
      return ordered ? (
        <ol key={key} start={start === "" ? 1 : start}>
          {lines}
        </ol>
      ) : (
        <ul key={key}>{lines}</ul>
      );
    }
    case "table":
      return <Table key={key} table={token as Tokens.Table} message={message} />;
    case "formula":
    case "checkbox":
      return inlines([token], message)[0];
    case "hr":
      return <hr key={key} />;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return <span key={key}>{tokens ? inlines(tokens, message) : words(text, message)}</span>;
    }
    default:
      return <p key={key}>{token.raw}</p>;
  }
}

function inlines(tokens: readonly Token[], message: number | undefined): ReactNode[] {
  return tokens.map((token, key) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: pieces of a text have no other name
    switch (token.type) {
      case "strong":
        return <strong key={key}>{inlines((token as Tokens.Strong).tokens, message)}</strong>;
      case "em":
        return <em key={key}>{inlines((token as Tokens.Em).tokens, message)}</em>;
      case "del":
        return <del key={key}>{inlines((token as Tokens.Del).tokens, message)}</del>;
      case "codespan":
        return <code key={key}>{(token as Tokens.Codespan).text}</code>;
      case "checkbox": {
        const isDone = token["checked"] === true;
        const label = isDone ? strings.chat.done : strings.chat.open;
        return <input key={key} type="checkbox" checked={isDone} disabled aria-label={label} />;
      }
      case "formula":
        return <FormulaView key={key} formula={token as Formula} />;
      case "br":
        return <br key={key} />;
      case "link": {
        const { href, tokens: inner } = token as Tokens.Link;
        return SAFE_LINK.test(href) ? (
          <a key={key} href={href} target="_blank" rel="noreferrer noopener">
            {inlines(inner, undefined)}
          </a>
        ) : (
          <span key={key}>{inlines(inner, message)}</span>
        );
      }
      case "image": {
        const { href, text } = token as Tokens.Image;
        return SAFE_LINK.test(href) ? (
          <a key={key} className="remote-image" href={href} target="_blank" rel="noreferrer noopener">
            {strings.chat.image}: {text || href}
          </a>
        ) : (
          <span key={key}>{text}</span>
        );
      }
      case "escape":
        return <span key={key}>{(token as Tokens.Escape).text}</span>;
      case "text": {
        const { tokens: inner, text } = token as Tokens.Text;
        return <span key={key}>{inner ? inlines(inner, message) : words(text, message)}</span>;
      }
      default:
        return <span key={key}>{token.raw}</span>;
    }
    // biome-ignore-end lint/suspicious/noArrayIndexKey: pieces of a text have no other name
  });
}

/** Text whose numbers of sources can be opened. */
const words = (text: string, message: number | undefined): ReactNode =>
  message === undefined ? text : <Cited text={text} message={message} />;

function Table({ table, message }: { table: Tokens.Table; message: number | undefined }) {
  const align = (n: number) => ({ textAlign: table.align[n] ?? ("left" as const) });
  // biome-ignore-start lint/suspicious/noArrayIndexKey: cells of a table have no other name
  return (
    // biome-ignore lint/a11y/useSemanticElements: it groups cells, not fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must be scrollable by keyboard
    <div className="table-scroll" role="group" aria-label={strings.chat.table} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {table.header.map((cell, n) => (
              <th key={n} style={align(n)}>
                {inlines(cell.tokens, message)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, n) => (
            <tr key={n}>
              {row.map((cell, m) => (
                <td key={m} style={align(m)}>
                  {inlines(cell.tokens, message)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
  // biome-ignore-end lint/suspicious/noArrayIndexKey: cells of a table have no other name
}

const loadHighlight = () => import("../state/highlight.ts");

function Code({ text, lang }: { text: string; lang: string | undefined }) {
  // ```ts title="a.ts": the first word is the language, and a title says more.
  const language = /^[\w+#.-]+/.exec(lang ?? "")?.[0].toLowerCase() ?? "";
  const module = useModule(loadHighlight, language !== "");
  const pieces = useMemo(() => module?.highlight(text, language), [module, text, language]);
  return (
    <figure className="code">
      <figcaption>
        <span>{/\btitle="([^"]+)"/.exec(lang ?? "")?.[1] ?? (language || "text")}</span>
        <CopyButton text={() => text} label={strings.chat.copyCode} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines must be scrollable by keyboard */}
      <pre tabIndex={0}>
        <code>{pieces?.map(coloured) ?? text}</code>
      </pre>
    </figure>
  );
}

/** A piece of code, in the colour that styles give what it is. */
function coloured(piece: Piece, key: number): ReactNode {
  if (piece.type === "text") return piece.value;
  if (piece.type !== "element") return null;
  const classes = piece.properties["className"];
  return (
    <span key={key} className={Array.isArray(classes) ? classes.join(" ") : undefined}>
      {piece.children.map(coloured)}
    </span>
  );
}

const loadFormulas = () => import("../state/set-formula.ts");

/** A formula; until it can be set, and where it can't, as it was written. */
function FormulaView({ formula: { text, raw, isBlock } }: { formula: Formula }) {
  const module = useModule(loadFormulas);
  const place = useRef<HTMLSpanElement>(null);
  const [isSet, setSet] = useState(false);
  useLayoutEffect(() => {
    if (module && place.current) setSet(module.setFormula(place.current, text, isBlock));
  }, [module, text, isBlock]);
  return (
    <span className={isBlock ? "formula block" : "formula"}>
      {/* What stands in it is set without React. */}
      <span ref={place} />
      {isSet ? null : <code>{raw.trim()}</code>}
    </span>
  );
}
