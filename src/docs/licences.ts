import { readFileSync } from 'node:fs';
import { generatedFrom, table } from './markdown.js';

/** The parts of a package in package-lock.json that are read here and for the bill of materials. */
export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  /** Needed by development, and in production by what is optional alone. */
  readonly devOptional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The packages of package-lock.json by their folders; '' is the project itself. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface Licensed {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

/** Licences that let a closed program be run and handed on; whatever else asks first. */
const ALLOWED: readonly string[] = ['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'Python-2.0', 'BlueOak-1.0.0', 'CC0-1.0', 'Unlicense', 'Bitstream-Vera'];

/** Packages that name none in a form that a program reads: what their licence text, or their readme, says. */
export const READ_BY_HAND: Readonly<Record<string, string>> = {
  busboy: 'MIT',
  'dejavu-fonts-ttf': 'Bitstream-Vera',
  'passport-strategy': 'MIT',
  pause: 'MIT',
  'png-js': 'MIT',
  streamsearch: 'MIT',
};

/** A package in production whose licence is not among those that need no asking. */
export class LicenceError extends Error {}

/** Every package that is installed in production, by its folder: the optional ones too, of whichever platform. */
export function productionPackages(lock: LockFile): Map<string, LockedPackage> {
  return new Map(Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true));
}

/** The name of the package that is installed in a folder. */
export function nameAt(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** The licence that a package names, or that was read by hand. */
export function licenceOf(name: string, { license }: LockedPackage): string {
  return READ_BY_HAND[name] ?? license ?? 'none named';
}

/** Every package that is installed in production, with its licence. */
export function licencesOf(lock: LockFile): Licensed[] {
  return [...productionPackages(lock)]
    .map(([path, locked]) => {
      const name = nameAt(path);
      return { name, version: locked.version ?? '', licence: licenceOf(name, locked) };
    })
    .sort((one, other) => (one.name + one.version < other.name + other.version ? -1 : 1));
}

/** True when the licence, or one of those to choose from, is allowed. */
function isAllowed(licence: string): boolean {
  return licence.replace(/[()]/g, '').split(' OR ').some((one) => one.split(' AND ').every((part) => ALLOWED.includes(part)));
}

/**
 * `docs/licences.md`: what is handed on with the service, by licence.
 * @throws LicenceError naming every package whose licence must be looked at first
 */
export function licencesPage(lock: LockFile): string {
  const all = licencesOf(lock);
  const refused = all.filter(({ licence }) => !isAllowed(licence));
  if (refused.length > 0) throw new LicenceError(refused.map(({ name, version, licence }) => `${name}@${version}: ${licence} is not allowed`).join('\n'));
  const groups = byLicence(all);
  const rows = [...groups].sort(([, one], [, other]) => other.length - one.length).map(([licence, packages]) => [licence, String(packages.length), packages.map(({ name }) => name).join(', ')]);
  return [
    generatedFrom('Licences of what runs in production', '`package-lock.json`'),
    `${all.length} packages. All licences let a closed program be run and handed on; a package under another one stops \`npm run docs\` and \`npm run audit:licences\`.`,
    '',
    table(['Licence', 'Packages', 'Which'], rows),
    '',
  ].join('\n');
}

function byLicence(all: readonly Licensed[]): Map<string, Licensed[]> {
  const groups = new Map<string, Licensed[]>();
  for (const one of all) groups.set(one.licence, [...(groups.get(one.licence) ?? []), one]);
  return groups;
}

/** The project's lock file. */
export function readLockFile(): LockFile {
  return JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile;
}
