import { LicenceError, licencesPage, readLockFile } from './docs/licences.js';

try {
  process.stdout.write(licencesPage(readLockFile()));
} catch (error) {
  if (!(error instanceof LicenceError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
