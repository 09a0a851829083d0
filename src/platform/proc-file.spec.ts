import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readProcFile } from './proc-file.js';

const onLinux = existsSync('/proc/self/status') ? it : it.skip;

describe('readProcFile', () => {
  onLinux('tells what a running process was started with', () => {
    expect(readProcFile(process.pid, 'cmdline')).toContain('node');
    expect(readProcFile(process.pid, 'status')).toContain(`PPid:\t${process.ppid}`);
  });

  it('is null for a process that ended', async () => {
    const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(child, 'close');
    expect(readProcFile(child.pid!, 'cmdline')).toBeNull();
    expect(readProcFile(child.pid!, 'status')).toBeNull();
  });
});
