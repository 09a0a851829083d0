import type { Api } from '../api.js';
import { refuseLostKey, tellLostKey } from '../lost-key.js';
import { columns, type Output } from '../output.js';
import { everyOne } from '../pages.js';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

/** `sello keys list`. */
export async function listKeys(api: Api, output: Output): Promise<void> {
  const items = await everyOne<Key>(api, '/auth/api-keys');
  const rows = items.map(({ id, name, prefix, last_used_at, revoked_at }) => [id, `${prefix}…`, name, revoked_at === null ? `used ${last_used_at ?? 'never'}` : `revoked ${revoked_at}`]);
  output.tell({ items, total: items.length }, rows.length === 0 ? 'no keys' : columns(rows));
}

/** `sello keys create NAME`: shows the key this once. */
export async function createKey(api: Api, output: Output, name: string): Promise<void> {
  refuseLostKey();
  const key = await api.post<Key & { key: string }>('/auth/api-keys', { name });
  tellLostKey(`the key ${key.id} was made, but`);
  output.tell(key, [key.key, `  ${key.id}  ${key.name}: keep it now, it is not shown again`]);
}

/** `sello keys revoke ID`: at once, on every process. */
export async function revokeKey(api: Api, output: Output, id: string): Promise<void> {
  await api.remove(`/auth/api-keys/${id}`);
  output.tell({ id, revoked: true }, `${id} is revoked`);
}
