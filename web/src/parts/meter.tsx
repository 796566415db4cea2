import { useEffect, useId, useRef, useState } from "react";
import type { ApiPressure } from "../../../src/gateway/api.ts";
import { count, percent, short } from "../state/format.ts";
import { strings } from "../strings.ts";

const KINDS = ["system", "summary", "user", "assistant", "tool", "image"] as const;

/** `Tokens: x / y (z %)`, and on hover, focus or tap what fills it. */
export function Meter({ pressure, isBusy, auto }: { pressure: ApiPressure; isBusy: boolean; auto: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const { tokens, budget, level, isOpen: isWithoutWindow } = pressure;
  useEffect(() => {
    if (!isOpen) return;
    const away = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [isOpen]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only shows early what the button shows
    <div
      ref={box}
      className={`meter ${isBusy ? "busy" : level}`}
      onMouseEnter={() => setOpen(true)}
      onMouseLeave={() => setOpen(false)}
      onKeyDown={(event) => {
        if (event.key === "Escape") setOpen(false);
      }}
    >
      <button
        type="button"
        className="meter-line"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(true)}
      >
        <span className="meter-text">
          {isBusy ? `${strings.meter.busy} ` : ""}
          <span className="wide">
            <span>{strings.meter.word}</span>{" "}
            <span>
              {isWithoutWindow
                ? count(tokens)
                : strings.meter.figures(tokens, budget.budget, pressure.pressure)}
            </span>
          </span>
          <span className="narrow" aria-hidden="true">
            {isWithoutWindow ? short(tokens) : strings.meter.short(tokens, budget.budget)}
          </span>
        </span>
        {isWithoutWindow ? null : (
          <span className="meter-bar" aria-hidden="true">
            <span className="meter-fill" style={{ width: `${Math.min(100, pressure.pressure * 100)}%` }} />
            <span className="meter-start" style={{ left: `${Math.min(100, pressure.startsAt * 100)}%` }} />
          </span>
        )}
      </button>
      <section id={id} className="meter-card" hidden={!isOpen} aria-label={strings.meter.label}>
        <Filling pressure={pressure} />
        <p>{whenText(pressure, auto)}</p>
        {pressure.window === undefined ? null : (
          <p className="help">
            {strings.meter.budget(pressure.window, budget.reserve, budget.tools, budget.safety)}
            {pressure.model === undefined ? "" : ` · ${pressure.model}`}
          </p>
        )}
      </section>
    </div>
  );
}

/** What fills the budget, by kind, as a bar and in numbers. */
function Filling({ pressure: { tokens, budget, fill, isOpen } }: { pressure: ApiPressure }) {
  // A view that doesn't fit yet is more than the budget.
  const whole = isOpen ? tokens : Math.max(budget.budget, tokens);
  const parts = [
    ...KINDS.map((kind) => ({ kind, label: strings.meter.fill[kind], size: fill[kind] })),
    { kind: "free", label: strings.meter.free, size: whole - tokens },
  ];
  return (
    <>
      <div className="stack" aria-hidden="true">
        {parts.map(({ kind, size }) => (
          <span key={kind} style={{ flexGrow: size, background: `var(--fill-${kind})` }} />
        ))}
      </div>
      <dl>
        {parts
          .filter(({ size }) => size > 0)
          .map(({ kind, label, size }) => (
            <div key={kind}>
              <dt>
                <i style={{ background: `var(--fill-${kind})` }} /> {label}
              </dt>
              <dd>
                {count(size)} <small>{percent(size / whole)}</small>
              </dd>
            </div>
          ))}
        {budget.tools > 0 ? (
          <div className="tools-bar">
            <dt>
              {strings.meter.tools} <small>{strings.meter.toolsHelp}</small>
            </dt>
            <dd>{count(budget.tools)}</dd>
          </div>
        ) : null}
      </dl>
    </>
  );
}

function whenText(
  { tokens, budget, startsAt: start, next = "compaction", isAllPinned, isOpen }: ApiPressure,
  auto: boolean,
): string {
  // Rounded down, as the setting says it: what is counted in whole tokens starts a little later.
  const startsAt = Math.floor(start * 100) / 100;
  if (isOpen) return strings.meter.noWindow;
  if (next === "impossible") return strings.meter.next.impossible();
  if (!auto) return strings.meter.off;
  if (isAllPinned) return strings.meter.allPinned(startsAt);
  const left = start * budget.budget - tokens;
  return left > 0 ? strings.meter.startsIn(left, startsAt) : strings.meter.next[next](startsAt);
}
