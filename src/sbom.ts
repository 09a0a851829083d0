import { readFileSync } from 'node:fs';
import { billOfMaterials, type Manifest } from './docs/bill-of-materials.js';
import { readLockFile } from './docs/licences.js';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
process.stdout.write(`${JSON.stringify(billOfMaterials(manifest, readLockFile()), null, 2)}\n`);
