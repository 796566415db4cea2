/** One of several, under its name. With `none`, also none of them. */
export function Choice<T extends string>(props: {
  label: string;
  values: readonly (readonly [value: T, text: string])[];
  chosen: T | undefined;
  none?: string;
  onChoose: (value: T | undefined) => void;
}) {
  const { label, values, chosen, none, onChoose } = props;
  return (
    <label>
      {label}
      <select
        value={chosen ?? ""}
        onChange={(event) => onChoose((event.target.value || undefined) as T | undefined)}
      >
        {none === undefined ? null : <option value="">{none}</option>}
        {values.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
