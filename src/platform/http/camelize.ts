type CamelKey<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : S;

/** The shape of a wire DTO with its names in camelCase, at every depth. */
export type Camelized<T> = T extends readonly (infer Item)[]
  ? readonly Camelized<Item>[]
  : T extends object
    ? { readonly [Key in keyof T & string as CamelKey<Key>]: Camelized<T[Key]> }
    : T;

/** Turns a validated DTO into a plain object with camelCase names; absent fields stay absent. */
export function camelize<T>(dto: T): Camelized<T> {
  return convert(dto) as Camelized<T>;
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== 'object' || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (inner !== undefined) result[camelName(name)] = convert(inner);
  }
  return result;
}

const known = new Map<string, string>();

/** Each name is converted once, a document of 2,000 lines has 20,000; they are names of declared fields only. */
function camelName(name: string): string {
  const found = known.get(name);
  if (found !== undefined) return found;
  const camel = name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
  known.set(name, camel);
  return camel;
}
