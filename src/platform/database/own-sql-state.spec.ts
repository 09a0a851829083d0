import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationsFolder } from './migrations.js';
import { OWN_SQL_STATE } from './own-sql-state.js';

/** The functions that raise each code, as the migrations write them. */
function raisers(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const file of readdirSync(migrationsFolder()).filter((name) => name.endsWith('.sql') && !name.endsWith('.down.sql'))) {
    let within = '';
    for (const [, name, code] of readFileSync(join(migrationsFolder(), file), 'utf8').matchAll(/create (?:or replace )?function (\w+)|errcode = '(SE\d+)'/g)) {
      if (name !== undefined) within = name;
      if (code !== undefined) found.set(code, (found.get(code) ?? new Set()).add(within));
    }
  }
  return found;
}

describe('the SQLSTATEs of our own', () => {
  const raised = raisers();

  it('are those that the migrations raise', () => {
    expect(Object.values(OWN_SQL_STATE)).toEqual([...raised.keys()].sort());
  });

  it('name the functions that raise them', () => {
    const source = readFileSync(join(import.meta.dirname, 'own-sql-state.ts'), 'utf8');
    const named = [...source.matchAll(/\(([^()]+)\)\. \*\/\n {2}\w+: '(SE\d+)'/g)].map(([, functions = '', code = '']) => [code, [...functions.matchAll(/`(\w+)`/g)].map(([, name]) => name)]);
    expect(named).toEqual([...raised].sort().map(([code, functions]) => [code, [...functions].sort()]));
  });
});
