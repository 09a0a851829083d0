import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describeWhere } from '../../test/support/describe-where.js';
import { readProcFile } from './proc-file.js';

describe('readProcFile', () => {
  describeWhere(existsSync('/proc/self/status') ? null : 'the system has no /proc', 'of a running process', () => {
    it('tells what it was started with, and by whom', () => {
      expect(readProcFile(process.pid, 'cmdline')).toContain('node');
      expect(readProcFile(process.pid, 'status')).toContain(`PPid:\t${process.ppid}`);
    });
  });

  it('is null for a process that ended', async () => {
    const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(child, 'close');
    expect(readProcFile(child.pid!, 'cmdline')).toBeNull();
    expect(readProcFile(child.pid!, 'status')).toBeNull();
  });
});
