/** What the lines of a chart are. */
export function Legend(props: {
  items: readonly { readonly label: string; readonly color: string; readonly dashed?: boolean }[];
  marks?: string;
}) {
  const { items, marks } = props;
  return (
    <ul className="legend">
      {items.map(({ label, color, dashed }) => (
        <li key={label}>
          <i className={dashed ? "dashed" : undefined} style={{ borderColor: `var(--${color})` }} /> {label}
        </li>
      ))}
      {marks === undefined ? null : (
        <li>
          <i className="mark" /> {marks}
        </li>
      )}
    </ul>
  );
}
