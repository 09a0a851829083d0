import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guayaquilDay } from '../shared/guayaquil.js';
import { exampleInvoice } from '../modules/documents/public.js';
import { nextInvoiceCommand } from './demo-invoice.js';

const demo = {
  tenant_id: 'a',
  api_key: 'svc_test_x',
  ruc: '1790012344001',
  issuer_id: 'b',
  establishment_id: 'c',
  emission_point_id: 'd',
};

describe('command for the next invoice', () => {
  it("gives the shell the body of an invoice of today's date in Ecuador", () => {
    const folder = mkdtempSync(join(tmpdir(), 'sello-spec-'));
    // In the place of curl: what it is given, one argument a line.
    writeFileSync(join(folder, 'curl'), '#!/bin/sh\nfor a; do printf "%s\\n" "$a" >> "$OUT"; done\n', { mode: 0o755 });
    const out = join(folder, 'arguments');
    const before = guayaquilDay(new Date());
    execFileSync('/bin/sh', ['-c', nextInvoiceCommand('http://127.0.0.1:3000', demo)], {
      env: { PATH: `${folder}:/usr/bin:/bin`, OUT: out },
    });
    const given = readFileSync(out, 'utf8').trimEnd().split('\n');
    rmSync(folder, { recursive: true });

    expect(given.slice(0, -1)).toEqual([
      '-sS',
      'http://127.0.0.1:3000/documents',
      '-H',
      'X-API-Key: svc_test_x',
      '-H',
      'Content-Type: application/json',
      '-H',
      'Prefer: wait=10',
      '-d',
    ]);
    const body = JSON.parse(given.at(-1)!) as { issue_date: string };
    expect([before, guayaquilDay(new Date())]).toContain(body.issue_date);
    expect(body).toEqual(exampleInvoice(demo, body.issue_date, '12345678'));
  });
});
