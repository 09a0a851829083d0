import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

const INCLUDE = /<!-- include (\S+) -->\n[\s\S]*?<!-- \/include -->/g;

const LANGUAGE: Readonly<Record<string, string>> = { '.ts': 'ts', '.js': 'js', '.sh': 'sh', '.json': 'json' };

/** A hand-written page with its included files as they are now: examples that are run by tests stand in pages once. */
export function pageWithIncludes(path: string): string {
  return readFileSync(path, 'utf8').replace(INCLUDE, (_all, file: string) =>
    [`<!-- include ${file} -->`, `\`\`\`${LANGUAGE[extname(file)] ?? ''}`, readFileSync(file, 'utf8').trimEnd(), '```', '<!-- /include -->'].join('\n'),
  );
}
