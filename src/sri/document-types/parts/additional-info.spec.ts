import { preflight } from '../../preflight.js';
import { documentTypes } from '../registry.js';

const RESOLUTION = 'NAC-GCFOIOC21-00000001';
const LEGEND = `<campoAdicional nombre="Gran Contribuyente">${RESOLUTION}</campoAdicional>`;

it.each([
  ['01', true],
  ['03', true],
  ['04', true],
  ['05', true],
  ['06', false],
  ['07', false],
])('a large taxpayer is named in type %s: %s, and takes a field only there', (code, isNamed) => {
  const type = documentTypes.find((one) => one.code === code)!;
  const example = type.examples.find(({ name }) => name === 'full')!;
  const issuer = { ...example.issuer, largeTaxpayer: RESOLUTION, providerRuc: '0990012348001' };
  const told = (fields: number) => {
    const additionalInfo = Array.from({ length: fields }, (_, at) => ({ name: `Nota ${at}`, value: 'x' }));
    return preflight({ ...example.content, additionalInfo }, issuer, { today: example.content.issueDate, maxIssueDateAgeDays: 90 });
  };
  const most = isNamed ? 13 : 14;
  expect(type.buildXml(told(most).content, issuer, example.numbering).includes(LEGEND)).toBe(isNamed);
  expect([most, most + 1].map((fields) => told(fields).findings.map(({ rule }) => rule))).toEqual([[], ['additional_info.count']]);
});
