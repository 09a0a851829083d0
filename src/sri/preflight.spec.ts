import { documentTypes } from './document-types/registry.js';
import { preflight } from './preflight.js';

describe.each(documentTypes.map((type) => [type.code, type] as const))('preflight of type %s', (_code, type) => {
  it.each(type.examples.map((example) => [example.name, example] as const))('passes the example %s', (_name, example) => {
    const context = { today: example.content.issueDate, maxIssueDateAgeDays: 90 };
    const { content, findings, xmlBytes } = preflight(example.content, example.issuer, context);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const real = type.buildXml(content, example.issuer, example.numbering);
    expect(Buffer.byteLength(real)).toBe(xmlBytes);
    expect(preflight(content, example.issuer, context)).toEqual({
      content,
      findings: findings.filter(({ rule }) => rule !== 'payments.defaulted'),
      xmlBytes,
    });
  });
});
