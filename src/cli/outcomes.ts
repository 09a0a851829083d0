/** Outcomes by name: the magic value that brings each about, and what is seen. All values: docs/simulator.md. */
export const OUTCOMES = {
  authorized: { value: null, meaning: 'authorized at once' },
  rejected: { value: '52', meaning: 'refused for its content' },
  'bad-signature': { value: '39', meaning: 'refused for its signature; `retry` signs anew' },
  'blocked-taxpayer': { value: '37', meaning: 'refused, and the issuer waits until it is resumed' },
  busy: { value: '50x2', meaning: 'the SRI is busy twice, then authorizes' },
  'lost-answer': { value: 'timeout-after', meaning: 'the answer is lost; sent only once all the same' },
  'slow-decision': { value: 'in-process:10', meaning: 'in process for ten seconds' },
  'tampered-answer': { value: 'tampered', meaning: 'the SRI returns another document; a person must look' },
} as const;
