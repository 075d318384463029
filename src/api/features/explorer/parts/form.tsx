export type Options = readonly (readonly [value: string, label: string])[];

type SelectProps = { name: string; label: string; options: Options; value: string | undefined };

/** A choice in a form; the first option is the usual one. */
export const Select = ({ name, label, options, value }: SelectProps) => (
  <div class="field">
    <label for={`field-${name}`}>{label}</label>
    <select id={`field-${name}`} name={name}>
      {options.map(([key, words]) => (
        <option value={key} {...(key === value && { selected: true })}>
          {words}
        </option>
      ))}
    </select>
  </div>
);

type ChainProps = { chains: readonly string[]; value: string | undefined };

/** A choice among the indexed chains. A list of several, from an address, stays a choice of its own. */
export const ChainSelect = ({ chains, value }: ChainProps) => {
  const others = value === undefined || chains.includes(value) ? [] : [value];
  const options = [["", "All"], ...[...chains, ...others].map((chain) => [chain, chain])];
  return <Select name="chain" label="Chain" options={options as unknown as Options} value={value} />;
};

type FieldProps = {
  name: string;
  label: string;
  value: string | undefined;
  type?: "text" | "number" | "date";
  hint?: string;
  maxlength?: number;
};

/** A field in a form. */
export const Field = ({ name, label, value, type = "text", hint, maxlength }: FieldProps) => (
  <div class="field">
    <label for={`field-${name}`}>{label}</label>
    <input
      id={`field-${name}`}
      name={name}
      type={type}
      value={value ?? ""}
      autocomplete="off"
      spellcheck={false}
      {...(hint !== undefined && { placeholder: hint })}
      {...(maxlength !== undefined && { maxlength })}
      {...(type === "number" && { min: 0 })}
    />
  </div>
);
