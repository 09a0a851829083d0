#!/usr/bin/env node
import { CommanderError } from 'commander';
import { CliFailure, EXIT, tellFailure } from './cli/failure.js';
import { program } from './cli/program.js';
import { commandFailure } from './platform/run-command.js';

// The command line: `npx sello`, or `npm run cli --`, which builds only where nothing is built yet: a build changes what a running service runs.

// Whoever reads only the first lines closes the pipe; what cannot be written for another reason, such as a full disk, is lost.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.ok.code : report(error));
});

try {
  await program((text) => process.stdout.write(text)).parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  // Commander has said what is wrong, or shown its help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok.code : EXIT.usage.code;
  const failure = error instanceof CliFailure ? error : new CliFailure('refused', commandFailure(error) || String(error));
  tellFailure(failure);
  return EXIT[failure.exit].code;
}
