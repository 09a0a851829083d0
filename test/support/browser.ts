import { existsSync } from 'node:fs';

/** Debian's name first; CI installs it. */
export const BROWSER = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));

/** Of a browser on a busy machine; shorter than a test may take, so that what was waited for is told. */
export const PATIENCE_MS = 100_000;

/** No window, no sandbox (it may run as root in a container), and nothing that looks for hosts of its own. */
export const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
