import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PAGES = ['README.md', 'CONTRIBUTING.md', ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md')).map((path) => join('docs', path))];

/** A heading as the fragment of an address. */
const fragment = (heading: string): string => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');

describe('pages', () => {
  it.each(PAGES)('%s links to what is there', (page) => {
    const text = readFileSync(page, 'utf8').replace(/```[\s\S]*?```/g, '');
    const broken = [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const file = path === '' ? page : join(dirname(page), path);
        if (!existsSync(file)) return true;
        if (anchor === undefined) return false;
        return ![...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].some(([, heading = '']) => fragment(heading) === anchor);
      });
    expect(broken).toEqual([]);
  });
});
