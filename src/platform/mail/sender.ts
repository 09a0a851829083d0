/** Name and address of a mailbox such as `Sello <no-reply@sello.example>`, as the settings check it. */
export function mailboxOf(text: string): { readonly name: string; readonly address: string } {
  const [, name = '', bracketed] = /^([^<]*)<([^<>]+)>$/.exec(text) ?? [];
  return { name: name.trim(), address: (bracketed ?? text).trim() };
}

/** The part of an address after its @. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
