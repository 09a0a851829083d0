import type { Api } from './api.js';

const PAGE_SIZE = 100;

/** All of a list, page by page; what is added meanwhile moves the others on. */
export async function everyOne<One extends { readonly id: string }>(api: Api, path: string): Promise<One[]> {
  const all = new Map<string, One>();
  for (let page = 1; ; page += 1) {
    const { items } = await api.get<{ items: One[] }>(`${path}?page=${page}&page_size=${PAGE_SIZE}`);
    for (const one of items) all.set(one.id, one);
    if (items.length < PAGE_SIZE) return [...all.values()];
  }
}
