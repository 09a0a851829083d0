import type { z } from 'zod';

export interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
}

export function ok(body: unknown, status = 200): ControlAnswer {
  return { status, body };
}

/** The request cannot be followed; says why. */
export function refused(problem: string | z.ZodError): ControlAnswer {
  return { status: 422, body: { error: typeof problem === 'string' ? problem : wordsOf(problem) } };
}

function wordsOf(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; ');
}
