import { createHmac, timingSafeEqual } from 'node:crypto';

const NAMED = /^(?<base>[^+]+)\+(?<id>[0-9a-f]{32})\.(?<proof>[0-9a-f]{16})@(?<domain>[^@]+)$/;

/**
 * Addresses for mails that come back because they could not be delivered after they had been taken: each names its mail, with a
 * proof, so that nobody can say of a mail that it bounced who never saw it.
 */
export class BounceAddress {
  constructor(
    private readonly address: string,
    private readonly secret: string,
  ) {}

  /** The envelope's sender of a mail. */
  of(mailId: string): string {
    const [base = '', domain = ''] = this.address.split('@');
    const id = mailId.replaceAll('-', '');
    return `${base}+${id}.${this.proof(id)}@${domain}`;
  }

  /** The mail that came back to a recipient; null when that names none of ours. Servers may change its case. */
  mailOf(recipient: string): string | null {
    const { base, id = '', proof = '', domain } = NAMED.exec(recipient.trim().replace(/^<|>$/g, '').toLowerCase())?.groups ?? {};
    if (`${base}@${domain}` !== this.address.toLowerCase()) return null;
    if (!timingSafeEqual(Buffer.from(proof), Buffer.from(this.proof(id)))) return null;
    return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  private proof(id: string): string {
    return createHmac('sha256', this.secret).update(`bounce:${id}`).digest('hex').slice(0, 16);
  }
}
