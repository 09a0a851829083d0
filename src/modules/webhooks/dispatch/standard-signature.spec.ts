import { Webhook } from 'standardwebhooks';
import { SECRET_PREFIX, signedHeaders } from './standard-signature.js';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const verifier = (secret: Buffer): Webhook => new Webhook(`${SECRET_PREFIX}${secret.toString('base64')}`);

describe('signatures of messages', () => {
  // The library holds times against the system's own clock.
  const now = new Date();
  const body = '{"buyer_name":"Ñandú 😀"}';

  it('verify by the public library, with either secret while they change', () => {
    const headers = signedHeaders('msg_1', now, body, [first, second]);
    for (const secret of [first, second]) expect(verifier(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
  });

  it.each([
    ['another body', body.replace('Ñ', 'N'), {}],
    ['another id', body, { 'webhook-id': 'msg_2' }],
    ['another time', body, { 'webhook-timestamp': String(Math.floor(now.getTime() / 1_000) - 60) }],
  ])('do not verify with %s', (_name, changed, headers) => {
    expect(() => verifier(first).verify(changed, { ...signedHeaders('msg_1', now, body, [first]), ...headers })).toThrow();
  });

  it('do not verify with another secret, nor when they are old', () => {
    expect(() => verifier(second).verify(body, { ...signedHeaders('msg_1', now, body, [first]) })).toThrow();
    expect(() => verifier(first).verify(body, { ...signedHeaders('msg_1', new Date(now.getTime() - 301_000), body, [first]) })).toThrow();
  });
});
