import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { googleSettings, startIdentityProvider } from '../../src/local/parts.js';
import type { ServiceProcess } from '../../src/local/service-process.js';
import { BROWSER, FLAGS, PATIENCE_MS } from '../support/browser.js';
import { newAddress } from '../support/callers.js';
import { describeWhere } from '../support/describe-where.js';
import { type Stack, startStack } from '../support/stack.js';

describeWhere(BROWSER === undefined ? 'no Chromium on this machine; install the package chromium' : null, 'a browser', () => {
  let stack: Stack;
  let provider: ServiceProcess;
  let browser: BrowserContext;
  const folder = mkdtempSync(join(tmpdir(), 'sello-browser-'));

  beforeAll(async () => {
    provider = await startIdentityProvider(0, folder);
    stack = await startStack({ workers: 0, simulator: false, env: googleSettings(provider.url ?? '') });
    browser = await chromium.launchPersistentContext(join(folder, 'profile'), { executablePath: BROWSER ?? '', headless: true, args: FLAGS, timeout: PATIENCE_MS });
    browser.setDefaultTimeout(PATIENCE_MS);
  });
  afterAll(async () => {
    await browser.close();
    await stack.stop();
    await provider.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => browser.clearCookies());

  it('signs in at Google, comes back with a cookie that no script can read, and is known', async () => {
    const page = await browser.newPage();
    const email = newAddress();
    await page.goto(`${stack.apiUrl}/auth/google?return_to=/auth/me`);
    expect(new URL(page.url()).origin).toBe(provider.url);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Name').fill('Rosa Calle');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${stack.apiUrl}/auth/me`);
    expect(JSON.parse(await page.locator('body').innerText())).toMatchObject({ email, name: 'Rosa Calle', email_verified: true, memberships: [{ role: 'tenant_owner' }] });

    const cookie = (await browser.cookies(stack.apiUrl)).find(({ name }) => name === 'service_access_token');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/', domain: new URL(stack.apiUrl).hostname });
    expect(await page.evaluate('document.cookie')).toBe('');
    expect((await browser.cookies(`${stack.apiUrl}/auth/google`)).filter(({ name }) => name.startsWith('sello_sign_in'))).toEqual([]);

    // From our own origin the cookie may change things; logging out ends it.
    const statusOf = (path: string, init: string) => page.evaluate(`fetch('${path}', ${init}).then((answer) => answer.status)`);
    expect(await statusOf('/issuers', `{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }`)).toBe(400);
    expect(await statusOf('/auth/logout', `{ method: 'POST' }`)).toBe(204);
    expect(await statusOf('/auth/me', '{}')).toBe(401);
    await page.close();
  });

  it('is signed in by no page of another origin, and posts nothing for it', async () => {
    const page = await browser.newPage();
    await page.goto(`${stack.apiUrl}/auth/google?return_to=/auth/me`);
    await page.getByLabel('E-mail').fill(newAddress());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${stack.apiUrl}/auth/me`);
    // The provider's page is another origin on the same site, so that even a Lax cookie travels with its forms.
    await page.goto(`${provider.url ?? ''}/.well-known/openid-configuration`);
    await page.setContent(`<form method="post" action="${stack.apiUrl}/auth/logout"><button>Go</button></form>`);
    const [answer] = await Promise.all([page.waitForResponse((response) => response.url().endsWith('/auth/logout')), page.getByRole('button').click()]);
    expect(answer.status()).toBe(403);
    await page.goto(`${stack.apiUrl}/auth/me`);
    expect(await page.locator('body').innerText()).toContain('memberships');
    await page.close();
  });

  it('that cancels at Google comes back as nobody', async () => {
    const page = await browser.newPage();
    await page.goto(`${stack.apiUrl}/auth/google?return_to=/auth/me`);
    const back = page.waitForResponse((response) => response.url().startsWith(`${stack.apiUrl}/auth/google/callback`));
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await back).status()).toBe(302);
    await page.waitForURL((url) => url.pathname === '/auth/me' && new URLSearchParams(url.hash.slice(1)).get('reason') === 'cancelled');
    expect(await page.locator('body').innerText()).toContain('UNAUTHENTICATED');
    expect(await browser.cookies(stack.apiUrl)).toEqual([]);
    await page.close();
  });
});
