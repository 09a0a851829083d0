import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SchemaSource, SchemaText } from './brain/xml/schemas.js';

const ROOT_ELEMENTS = [
  'factura',
  'liquidacionCompra',
  'notaCredito',
  'notaDebito',
  'guiaRemision',
  'comprobanteRetencion',
];
const SIGNATURE_SCHEMA = 'xmldsig-core-schema.xsd';
const NARROW_RIMPE = 'value="CONTRIBUYENTE RÉGIMEN RIMPE"';
const WIDE_RIMPE = 'value="CONTRIBUYENTE (NEGOCIO POPULAR - )?RÉGIMEN RIMPE"';

/**
 * Schemas from folders of `.xsd` files, read when they are first asked for. A
 * file's root element is found in its text, its version in its name.
 *
 * @param folders looked through in order, with their subfolders; the first match wins
 */
export function schemaFiles(folders: readonly string[]): SchemaSource {
  const found = new Map<string, string>();
  for (const path of folders.flatMap(schemaPaths)) {
    const version = /(\d{1,3}\.\d{1,3}\.\d{1,3})\.xsd$/.exec(path)?.[1];
    if (version === undefined) continue;
    const text = readFileSync(path, 'utf8');
    const root = ROOT_ELEMENTS.find((name) => new RegExp(`<\\w+:element\\s+name="${name}"`).test(text));
    const name = `${root ?? ''} ${version}`;
    if (root !== undefined && !found.has(name)) found.set(name, path);
  }
  return (rootElement, version) => {
    const path = found.get(`${rootElement} ${version}`);
    return path === undefined ? null : readSchema(path);
  };
}

/**
 * Where schemas lie: the official ones when a reference folder is given, and the
 * project's own, which the build copies beside the compiled files.
 */
export function schemaFolders(referenceFolder: string | undefined): readonly string[] {
  const own = join(import.meta.dirname, '..', 'sri', 'document-types');
  return referenceFolder === undefined || referenceFolder === '' ? [own] : [join(referenceFolder, 'xsd'), own];
}

function schemaPaths(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? schemaPaths(path) : path.endsWith('.xsd') ? [path] : []));
}

function readSchema(path: string): SchemaText {
  const text = readFileSync(path, 'utf8')
    .replace(/^<\?xml[^>]*\?>/, '')
    .replaceAll(NARROW_RIMPE, WIDE_RIMPE);
  const signatureSchema = join(path, '..', SIGNATURE_SCHEMA);
  const imports = new Map<string, string>();
  if (text.includes(SIGNATURE_SCHEMA) && existsSync(signatureSchema)) {
    imports.set(
      SIGNATURE_SCHEMA,
      readFileSync(signatureSchema, 'utf8').replace(/<!DOCTYPE[^[>]*(?:\[[^\]]*\]\s*)?>/, ''),
    );
  }
  return { text: text.trimStart(), imports };
}
