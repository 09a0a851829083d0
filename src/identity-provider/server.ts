import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Grants, type Request } from './grants.js';
import { IdTokens, type Spoiled } from './id-tokens.js';
import { refusalPage, signInPage } from './page.js';

export interface ProviderSettings {
  readonly host: string;
  readonly port: number;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly now: () => number;
}

export interface RunningProvider {
  readonly url: string;
  stop(): Promise<void>;
}

const MAX_BODY = 65_536;
const CODES_FORMAT = 'base64url';

/** A small OpenID provider: discovery, sign-in page, token endpoint, keys. For development and tests. */
export async function serveProvider(settings: ProviderSettings): Promise<RunningProvider> {
  const provider = new Provider(settings);
  const server = createServer((request, response) => {
    provider.answer(request, response).catch((error: unknown) => {
      console.error(error);
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.port, settings.host, resolve);
  });
  provider.url = `http://${settings.host}:${(server.address() as AddressInfo).port}`;
  return {
    url: provider.url,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class Provider {
  url = '';
  private readonly tokens = new IdTokens();
  private readonly grants: Grants;
  private spoiled: Spoiled = {};

  constructor(private readonly settings: ProviderSettings) {
    this.grants = new Grants(settings.now, () => randomBytes(32).toString(CODES_FORMAT));
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    switch (`${request.method ?? ''} ${pathname}`) {
      case 'GET /.well-known/openid-configuration':
        json(response, 200, this.discovery());
        return;
      case 'GET /jwks':
        json(response, 200, this.tokens.jwks);
        return;
      case 'GET /authorize':
        this.showForm(response, searchParams);
        return;
      case 'POST /authorize':
        this.signIn(response, new URLSearchParams(await readBody(request)));
        return;
      case 'POST /token':
        this.exchange(response, new URLSearchParams(await readBody(request)));
        return;
      case 'POST /control/next-id-token':
        this.spoiled = JSON.parse(await readBody(request)) as Spoiled;
        json(response, 200, {});
        return;
      default:
        html(response, 404, refusalPage('There is nothing here'));
    }
  }

  private discovery(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
    };
  }

  private showForm(response: ServerResponse, query: URLSearchParams): void {
    const asked = this.read(query);
    if (asked === null) html(response, 400, refusalPage('The application asked for something that cannot be'));
    else html(response, 200, signInPage(Object.fromEntries(query)));
  }

  private signIn(response: ServerResponse, form: URLSearchParams): void {
    const asked = this.read(form);
    if (asked === null) {
      html(response, 400, refusalPage('The application asked for something that cannot be'));
      return;
    }
    const back = new URL(asked.redirectUri);
    back.searchParams.set('state', asked.state);
    back.searchParams.set('iss', this.url);
    if (form.get('action') === 'cancel') {
      back.searchParams.set('error', 'access_denied');
    } else {
      const email = form.get('email') ?? '';
      const subject = form.get('subject') ?? createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 21);
      const visitor = { subject, email, emailVerified: form.get('email_verified') === 'true', name: form.get('name') ?? '' };
      back.searchParams.set('code', this.grants.give(asked, visitor));
    }
    response.writeHead(303, { Location: back.href }).end();
  }

  /** The request of an application that is known here, with all that a safe sign-in needs; else null. */
  private read(given: URLSearchParams): Request | null {
    const text = (name: string): string => given.get(name) ?? '';
    const redirectUri = text('redirect_uri');
    const isOurs = text('client_id') === this.settings.clientId && URL.canParse(redirectUri) && new URL(redirectUri).pathname.endsWith('/auth/google/callback');
    const isSafe = text('response_type') === 'code' && text('code_challenge_method') === 'S256' && text('scope').split(' ').includes('openid');
    const request = { clientId: text('client_id'), redirectUri, state: text('state'), nonce: text('nonce'), challenge: text('code_challenge') };
    return isOurs && isSafe && Object.values(request).every((value) => value !== '') ? request : null;
  }

  private exchange(response: ServerResponse, form: URLSearchParams): void {
    const text = (name: string): string => form.get(name) ?? '';
    if (text('client_id') !== this.settings.clientId || text('client_secret') !== this.settings.clientSecret) {
      json(response, 401, { error: 'invalid_client' });
      return;
    }
    const grant = this.grants.redeem(text('code'), { clientId: text('client_id'), redirectUri: text('redirect_uri'), verifier: text('code_verifier') });
    if (grant === null || text('grant_type') !== 'authorization_code') {
      json(response, 400, { error: 'invalid_grant' });
      return;
    }
    const idToken = this.tokens.issue(this.url, grant, Math.floor(this.settings.now() / 1_000), this.spoiled);
    this.spoiled = {};
    json(response, 200, { access_token: randomBytes(16).toString('hex'), token_type: 'Bearer', expires_in: 3_600, id_token: idToken });
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(JSON.stringify(body));
}

function html(response: ServerResponse, status: number, body: string): void {
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'", 'Cache-Control': 'no-store' };
  response.writeHead(status, headers).end(body);
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > MAX_BODY) throw new Error('a body that is too large');
  }
  return text;
}
