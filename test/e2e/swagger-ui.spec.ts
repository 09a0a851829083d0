import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { BROWSER, FLAGS, PATIENCE_MS } from '../support/browser.js';
import { Business } from '../support/business.js';
import { describeWhere } from '../support/describe-where.js';
import { type Stack, startStack } from '../support/stack.js';

describeWhere(BROWSER === undefined ? 'no Chromium on this machine; install the package chromium' : null, 'Swagger UI in a browser', () => {
  let stack: Stack;
  let business: Business;
  let browser: BrowserContext;
  const folder = mkdtempSync(join(tmpdir(), 'sello-swagger-'));

  beforeAll(async () => {
    // As `npm start` does: the file is written once there is something to name.
    const idsFile = join(folder, 'example-ids.json');
    stack = await startStack({ env: { EXAMPLE_IDS_FILE: idsFile } });
    business = await Business.open(stack);
    writeFileSync(idsFile, JSON.stringify({ issuer_id: business.issuerId, establishment_id: business.establishmentId, emission_point_id: business.emissionPointId }));
    browser = await chromium.launchPersistentContext(join(folder, 'profile'), { executablePath: BROWSER ?? '', headless: true, args: FLAGS, timeout: PATIENCE_MS, viewport: { width: 1280, height: 1600 } });
    browser.setDefaultTimeout(PATIENCE_MS);
  });
  afterAll(async () => {
    await browser.close();
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens the call in its group. */
  async function openCall(page: Page, tag: string, operationId: string) {
    const group = page.locator(`#operations-tag-${tag}`);
    if ((await group.getAttribute('data-is-open')) !== 'true') await group.click();
    const call = page.locator(`#operations-${tag}-${operationId}`);
    await call.locator('.opblock-summary-control').click();
    return call;
  }

  it('issues the invoice of the example as it stands, with the key that it is given and keeps', async () => {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    await page.goto(`${stack.apiUrl}/docs`);
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    const key = page.locator('.auth-container').filter({ hasText: 'X-API-Key' });
    await key.locator('input').fill(business.apiKey);
    await key.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).last().click();

    const call = await openCall(page, 'documents', 'issueDocument');
    const body = call.locator('textarea.body-param__text');
    expect(JSON.parse(await body.inputValue())).toMatchObject({ document_type: '01', issuer_id: business.issuerId, emission_point_id: business.emissionPointId });
    const answered = page.waitForResponse((response) => response.url().endsWith('/documents') && response.request().method() === 'POST');
    await call.getByRole('button', { name: 'Execute' }).click();
    const answer = await answered;
    expect([answer.status(), await answer.text()]).toEqual([202, expect.stringContaining('"document_id"')]);
    await call.locator('.live-responses-table .response').first().waitFor();
    expect(await call.locator('.live-responses-table .response-col_status').last().innerText()).toContain('202');

    await page.reload();
    const again = await openCall(page, 'documents', 'listDocuments');
    const listed = page.waitForResponse((response) => new URL(response.url()).pathname === '/documents');
    await again.getByRole('button', { name: 'Execute' }).click();
    expect((await listed).status()).toBe(200);
    expect((await (await listed).json()) as object).toMatchObject({ total: 1 });
    expect(faults).toEqual([]);
    await page.close();
  });
});
