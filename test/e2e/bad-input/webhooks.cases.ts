import { refuses, type BadInput } from '../../support/bad-input.js';
import { Business } from '../../support/business.js';
import type { RunningStack } from '../../support/stack.js';

/** Where the service is found. */
export const OURS = { PUBLIC_URL: 'https://api.sello-itself.example/v1', PANEL_URL: 'https://panel.sello-itself.example:8443' } as const;

const INVALID = [422, 'VALIDATION_FAILED'] as const;

/** What no address of a receiver may be, with the type of the finding. */
const ADDRESSES: readonly (readonly [name: string, url: string, because: string])[] = [
  ['B101 http', 'http://example.com/', 'url_scheme'],
  ['B101 ftp', 'ftp://example.com/', 'url_scheme'],
  ['B101 file', 'file:///etc/passwd', 'url_scheme'],
  ['B101 gopher', 'gopher://example.com/', 'url_scheme'],
  ['B101 javascript', 'javascript:alert(1)', 'url_scheme'],
  ['B101 a user', 'https://user@example.com/', 'url_credentials'],
  ['B101 a password', 'https://user:word@example.com/', 'url_credentials'],
  ['B101 port 22', 'https://example.com:22/', 'url_port'],
  ['B101 port 25', 'https://example.com:25/', 'url_port'],
  ['B101 port 6379', 'https://example.com:6379/', 'url_port'],
  ['B101 a fragment', 'https://example.com/#x', 'url_fragment'],
  ['B101 no address', 'example.com', 'url_parsing'],
  ['B101 no host', 'https://', 'url_parsing'],
  ...[
    '127.0.0.1', 'localhost', 'sub.localhost', 'LOCALHOST', 'localhost.', '[::1]', '0.0.0.0', '[::]', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '[::ffff:169.254.169.254]', '[::ffff:a00:1]', '169.254.169.254', '10.0.0.1',
    '172.16.0.1', '192.168.1.1', '100.64.0.1', '198.18.0.1', '192.0.2.1', '224.0.0.1', '255.255.255.255', '[fe80::1]', '[fc00::1]', '[fd00:ec2::254]', '[ff02::1]', '[64:ff9b::a00:1]', '[2002:a00:1::]', '[2001:db8::1]', '１２７.０.０.１',
    'metadata.google.internal', 'printer.local', 'intranet',
  ].map((host) => [`B102 ${host}`, `https://${host}/`, 'url_address'] as const),
  ...['https://api.sello-itself.example/v1/documents', 'https://API.sello-itself.example.:443/', 'https://panel.sello-itself.example:8443/x'].map((own) => [`B102 our own address ${own}`, own, 'url_address'] as const),
];

export const webhookCases = (running: () => RunningStack): void => describe('webhooks', () => {
  let stack: RunningStack;
  beforeAll(() => {
    stack = running();
  });

  refuses('as addresses', () => stack, ADDRESSES.map(([name, url, because]): BadInput => ({ name, call: () => ({ method: 'POST', path: '/webhooks', body: { url } }), refused: INVALID, at: '/url', because })));

  refuses('as fields of webhooks and events', () => stack, [
    { name: 'B101 no address at all', call: () => ({ method: 'POST', path: '/webhooks', body: {} }), refused: [400, 'INVALID_PAYLOAD'], at: '/url', because: 'missing' },
    { name: 'B101 2,049 characters', call: () => ({ method: 'POST', path: '/webhooks', body: { url: `https://example.com/${'x'.repeat(2_029)}` } }), refused: INVALID, at: '/url', because: 'string_too_long' },
    { name: 'B101 longer than it looks', call: () => ({ method: 'POST', path: '/webhooks', body: { url: `https://example.com/${'ñ'.repeat(1_000)}` } }), refused: INVALID, at: '/url', because: 'string_too_long' },
    { name: 'B30 kinds that are none', call: () => ({ method: 'POST', path: '/webhooks', body: { url: 'https://example.com/', kinds: ['document.issued'] } }), refused: INVALID, at: '/kinds', because: 'enum_list' },
    { name: 'B30 ping, which goes to who asks', call: () => ({ method: 'POST', path: '/webhooks', body: { url: 'https://example.com/', kinds: ['ping'] } }), refused: INVALID, at: '/kinds', because: 'enum_list' },
    { name: 'B30 no kinds', call: () => ({ method: 'POST', path: '/webhooks', body: { url: 'https://example.com/', kinds: [] } }), refused: INVALID, at: '/kinds', because: 'too_short' },
    { name: 'B14 a secret of one’s own', call: () => ({ method: 'POST', path: '/webhooks', body: { url: 'https://example.com/', secret: 'whsec_x' } }), refused: INVALID, at: '/secret', because: 'extra_forbidden' },
    ...['', 'x', 'MA', 'LTEuMA', Buffer.from('18446744073709551616.1').toString('base64url')].map(
      (cursor): BadInput => ({ name: `B49 cursor ${JSON.stringify(cursor)}`, call: () => ({ method: 'GET', path: `/events?cursor=${cursor}` }), refused: INVALID, at: '/cursor', because: cursor === '' ? 'string_too_short' : 'cursor' }),
    ),
    ...['0', '101', '1.5', 'x'].map((limit): BadInput => ({ name: `B49 limit ${limit}`, call: () => ({ method: 'GET', path: `/events?limit=${limit}` }), refused: INVALID, at: '/limit' })),
    { name: 'B49 a stream from nowhere', call: () => ({ method: 'GET', path: '/events/stream', headers: { 'last-event-id': 'x' } }), refused: INVALID, at: '/Last-Event-ID', because: 'cursor' },
    { name: 'B130 a kind of events that is none', call: () => ({ method: 'GET', path: '/events?type=DOCUMENT.AUTHORIZED' }), refused: INVALID, at: '/type', because: 'enum' },
    ...(['from', 'to'] as const).flatMap((field) => ['2026-02-30T00:00:00Z', '2026-01-01', '2026-01-01T25:00:00Z', '2026-01-01T00:00:00', 1_767_225_600, 'today'].map((value): BadInput => ({
      name: `B74 ${field}: ${String(value)}`,
      call: async (business) => ({ method: 'POST', path: `/webhooks/${await webhookOf(business)}/replay`, body: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', [field]: value } }),
      refused: INVALID, at: `/${field}`, because: 'instant',
    }))),
    { name: 'B101 an address that is none, beside kinds that are none', call: () => ({ method: 'POST', path: '/webhooks', body: { url: 'http://x', kinds: [] } }), refused: INVALID, at: '/url', because: 'url_scheme' },
    {
      name: 'B74 an end that is the beginning, beside kinds that are none', refused: INVALID, at: '/to', because: 'range_order',
      call: async (business) => ({ method: 'POST', path: `/webhooks/${await webhookOf(business)}/replay`, body: { from: '2026-01-02T00:00:00Z', to: '2026-01-01T19:00:00-05:00', kinds: [] } }),
    },
    {
      name: 'B74 an end before the beginning', refused: INVALID, at: '/to', because: 'range_order',
      call: async (business) => ({ method: 'POST', path: `/webhooks/${await webhookOf(business)}/replay`, body: { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' } }),
    },
  ]);

  const webhookOf = async (business: Business): Promise<string> => (await business.call('POST', '/webhooks', { url: 'https://8.8.8.8/' })).body['id'] as string;

  it('B105 more webhooks than twenty', async () => {
    const business = await Business.open(stack, { certificate: null });
    const made = await Promise.all(Array.from({ length: 24 }, (_, i) => business.call('POST', '/webhooks', { url: `https://8.8.8.8/${i}` })));
    expect(made.map(({ status }) => status).sort()).toEqual([...Array<number>(20).fill(201), ...Array<number>(4).fill(422)]);
    expect(made.find(({ status }) => status === 422)?.body).toMatchObject({ detail: [{ type: 'too_many_webhooks', ctx: { max: 20 } }] });
    expect((await business.call('GET', '/webhooks')).body['total']).toBe(20);
  });
});
