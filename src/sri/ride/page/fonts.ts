import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export type FontName = 'regular' | 'bold';

const FILES: Readonly<Record<FontName, string>> = {
  regular: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf',
  bold: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf',
};

const locate = createRequire(import.meta.url);
const loaded = new Map<FontName, Buffer>();

/** The font file's bytes, read once per process. Each document embeds only the glyphs that it uses. */
export function fontBytes(name: FontName): Buffer {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const bytes = readFileSync(locate.resolve(FILES[name]));
  loaded.set(name, bytes);
  return bytes;
}
