/** A read-only element: all that the checks need of a parsed document. */
export interface Element {
  /** Local name. */
  readonly name: string;
  readonly namespace: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Element[];
  /** Direct text, concatenated. */
  readonly text: string;
}

/** The first child with a local name. */
export function child(element: Element | null | undefined, name: string): Element | null {
  return element?.children.find((candidate) => candidate.name === name) ?? null;
}

/** Every child with a local name. */
export function children(element: Element | null | undefined, name: string): readonly Element[] {
  return element?.children.filter((candidate) => candidate.name === name) ?? [];
}

/** The element at the end of a path of local names, each the first of its name. */
export function descend(element: Element | null, ...names: readonly string[]): Element | null {
  return names.reduce<Element | null>((at, name) => child(at, name), element);
}

/** Text of the element at the end of a path, or null when it is missing. */
export function textAt(element: Element | null, ...names: readonly string[]): string | null {
  return descend(element, ...names)?.text ?? null;
}
