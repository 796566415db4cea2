/**
 * A small judge of JSON by an OpenAPI document: as much of JSON Schema as the providers' documents use. Of a union the
 * member is asked that comes nearest, so that a fault is named where it is.
 */
export interface Schemas {
  /** What is wrong with the value, as `path: fault`. `closed`: fields that the schema doesn't name are faults, too. */
  check(name: string, value: unknown, options?: { readonly closed?: boolean }): string[];
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

type Fields = Readonly<Record<string, unknown>>;

export function createSchemas(document: { readonly components: { readonly schemas: object } }): Schemas {
  const named = document.components.schemas as Readonly<Record<string, Schema>>;

  const resolve = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema;
    const name = schema.$ref.split("/").at(-1)!;
    const found = named[name];
    if (found === undefined) throw new Error(`The document has no schema "${name}".`);
    return resolve(found);
  };
  /** Fields that the schema or a part of it names; undefined if it doesn't say. */
  const fieldsOf = (given: Schema): ReadonlySet<string> | undefined => {
    const schema = resolve(given);
    if (!fields.has(schema)) fields.set(schema, readFields(schema));
    return fields.get(schema);
  };
  const fields = new Map<Schema, ReadonlySet<string> | undefined>();
  const readFields = (schema: Schema): ReadonlySet<string> | undefined => {
    const { properties, allOf, anyOf, oneOf, additionalProperties } = schema;
    if (additionalProperties !== undefined && additionalProperties !== false) return undefined;
    const parts = [...(allOf ?? []), ...(anyOf ?? []), ...(oneOf ?? [])].map(fieldsOf);
    if (properties === undefined && !parts.some((part) => part !== undefined)) return undefined;
    return new Set([...Object.keys(properties ?? {}), ...parts.flatMap((part) => [...(part ?? [])])]);
  };

  const check = (given: Schema, value: unknown, path: string, closed: boolean): string[] => {
    const schema = resolve(given);
    if (value === null && (schema.nullable || given.nullable)) return [];
    const faults = plainFaults(schema, value, path);
    for (const part of schema.allOf ?? []) faults.push(...check(part, value, path, false));
    const union = schema.anyOf ?? schema.oneOf;
    if (union !== undefined) faults.push(...nearest(union, value, path, closed));
    if (Array.isArray(value) && schema.items !== undefined)
      faults.push(...value.flatMap((item, at) => check(schema.items!, item, `${path}[${at}]`, closed)));
    if (isFields(value)) faults.push(...fieldFaults(schema, value, path, closed));
    return faults;
  };

  const nearest = (union: readonly Schema[], value: unknown, path: string, closed: boolean): string[] => {
    const tried = union.map((member) => check(member, value, path, closed));
    // The one whose type fits, and its fields `type` and `role`; among those the one with the fewest faults.
    const marks = [`${path}: not of type`, `${path}.type:`, `${path}.role:`];
    const kind = (faults: readonly string[]): number =>
      faults.filter((fault) => marks.some((mark) => fault.startsWith(mark))).length;
    return tried.reduce((best, next) =>
      kind(next) < kind(best) || (kind(next) === kind(best) && next.length < best.length) ? next : best,
    );
  };

  const fieldFaults = (schema: Schema, value: Fields, path: string, closed: boolean): string[] => {
    const faults = (schema.required ?? [])
      .filter((name) => !(name in value))
      .map((name) => `${path}.${name}: missing`);
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      if (value[name] !== undefined) faults.push(...check(property, value[name], `${path}.${name}`, closed));
    if (!closed && schema.additionalProperties !== false) return faults;
    const known = fieldsOf(schema);
    const unknown = known ? Object.keys(value).filter((name) => !known.has(name)) : [];
    return [...faults, ...unknown.map((name) => `${path}.${name}: not in the schema`)];
  };

  return {
    check(name, value, { closed = false } = {}) {
      return check({ $ref: `#/components/schemas/${name}` }, value, name, closed);
    },
  };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function plainFaults(schema: Schema, value: unknown, path: string): string[] {
  const faults: string[] = [];
  const { type, minLength = 0, maxLength, minItems = 0, maxItems, minimum, maximum } = schema;
  if (type !== undefined && ![type].flat().some((name) => isOfType(name, value)))
    faults.push(`${path}: not of type ${[type].flat().join("/")}`);
  if (schema.enum !== undefined && !schema.enum.includes(value))
    faults.push(`${path}: not one of the values`);
  if (schema.const !== undefined && schema.const !== value) faults.push(`${path}: not ${schema.const}`);
  if (typeof value === "string" && (value.length < minLength || value.length > (maxLength ?? Infinity)))
    faults.push(`${path}: too short or too long`);
  if (Array.isArray(value) && (value.length < minItems || value.length > (maxItems ?? Infinity)))
    faults.push(`${path}: too few or too many`);
  if (typeof value === "number" && (value < (minimum ?? -Infinity) || value > (maximum ?? Infinity)))
    faults.push(`${path}: out of range`);
  return faults;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isFields(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
