import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { type Answer, call, type Json } from './http.js';

export const PASSWORD = 'cuatro palabras al azar';

export interface Owner {
  readonly email: string;
  readonly token: string;
  readonly refreshToken: string;
  readonly userId: string;
  readonly tenantId: string;
  readonly memberId: string;
}

export const newAddress = (): string => `persona-${randomBytes(6).toString('hex')}@example.com`;

/** A person with a tenant of their own, signed up through the API. */
export async function signUp(apiUrl: string, email = newAddress(), password = PASSWORD): Promise<Owner> {
  const signed = await call(apiUrl, 'POST', '/auth/signup', { body: { email, password, name: 'Ana Ruiz', tenant_name: 'Comercial Andina' } });
  if (signed.status !== 201) throw new Error(`sign-up answered ${signed.status}: ${signed.text}`);
  const token = signed.body.access_token as string;
  const me = await call(apiUrl, 'GET', '/auth/me', { token });
  const [membership] = me.body.memberships;
  return { email, token, refreshToken: signed.body.refresh_token, userId: me.body.user_id, tenantId: membership.tenant_id, memberId: membership.member_id };
}

export const logIn = (apiUrl: string, email: string, password = PASSWORD, extra: object = {}): Promise<Answer<Json>> =>
  call(apiUrl, 'POST', '/auth/login', { body: { email, password, ...extra } });

/** `name=value` pairs of the cookies that an answer sets, for the next call. */
export const cookiesOf = (answer: Answer<unknown>): string =>
  answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '').join('; ');

/** Sends headers as they are written, also twice; answers the status. */
export async function rawStatus(apiUrl: string, lines: readonly string[]): Promise<number> {
  const { hostname, port } = new URL(apiUrl);
  const socket: Socket = connect(Number(port), hostname);
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => resolve(text)).on('error', reject);
    socket.write([...lines, `Host: ${hostname}:${port}`, 'Connection: close', '', ''].join('\r\n'));
  });
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
}
