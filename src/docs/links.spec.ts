import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PAGES = ['README.md', 'CONTRIBUTING.md', ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md')).map((path) => join('docs', path))];

/** A heading as the fragment of an address. */
const fragment = (heading: string): string => heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');

const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { readonly paths: Record<string, Record<string, unknown>> };
const ROUTES = [
  ...Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)),
  // The page is generated from what the simulator serves.
  ...[...readFileSync('docs/simulator.md', 'utf8').matchAll(/^\| `([A-Z]+ \/control\/\S+)` \|/gm)].map(([, call = '']) => call),
];

/** Whether a call as a page writes it, with other names or values in its path or `*` for what follows, is one of the API's or the simulator's. */
const isRoute = (call: string): boolean =>
  ROUTES.some((route) => new RegExp(`^${route.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`).test(call) || (call.endsWith('/*') && route.startsWith(call.slice(0, -1))));

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

  it.each(PAGES)('%s names calls that there are', (page) => {
    const calls = [...readFileSync(page, 'utf8').matchAll(/`((?:GET|POST|PATCH|PUT|DELETE) \/[^\s`?]*)/g)].map(([, call = '']) => call);
    expect(calls.filter((call) => !isRoute(call))).toEqual([]);
  });
});
