import { createHash } from 'node:crypto';

/** Who signs in here, as the form was filled in. */
export interface Visitor {
  readonly subject: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
}

/** What the application asked for when it sent the browser here (OpenID Connect Core, 3.1.2.1). */
export interface Request {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** S256 challenge (RFC 7636). */
  readonly challenge: string;
}

export interface Grant {
  readonly request: Request;
  readonly visitor: Visitor;
  readonly expires: number;
}

const CODE_MS = 60_000;

/** Codes that were given out: each is good for one exchange, within a minute, by who asked for it. */
export class Grants {
  private readonly byCode = new Map<string, Grant>();

  constructor(
    private readonly now: () => number,
    private readonly draw: () => string,
  ) {}

  give(request: Request, visitor: Visitor): string {
    const code = this.draw();
    this.byCode.set(code, { request, visitor, expires: this.now() + CODE_MS });
    return code;
  }

  /** The grant of a code, used up by this; null when anything about the exchange is wrong. */
  redeem(code: string, by: { readonly clientId: string; readonly redirectUri: string; readonly verifier: string }): Grant | null {
    const grant = this.byCode.get(code);
    this.byCode.delete(code);
    if (grant === undefined || grant.expires < this.now()) return null;
    const challenge = createHash('sha256').update(by.verifier).digest('base64url');
    const { request } = grant;
    return request.clientId === by.clientId && request.redirectUri === by.redirectUri && request.challenge === challenge ? grant : null;
  }
}
