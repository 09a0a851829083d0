import { readElement, withDocument } from '../xml/parse.js';
import { deliveryGuide } from './delivery-guide.js';

const XML =
  '<guiaRemision><infoGuiaRemision><fechaIniTransporte>15/09/2026</fechaIniTransporte></infoGuiaRemision><destinatarios>' +
  '<destinatario><identificacionDestinatario>0990012342001</identificacionDestinatario><codDocSustento>01</codDocSustento>' +
  '<numDocSustento>001-002-000000003</numDocSustento></destinatario>' +
  '<destinatario><identificacionDestinatario>9999999999999</identificacionDestinatario></destinatario>' +
  '</destinatarios></guiaRemision>';

it('reads the trip’s first day, every addressee and what they rest on; a guide has no amounts to judge', () => {
  const root = withDocument(Buffer.from(XML), (document) => readElement(document.root));
  expect(deliveryGuide.issueDate(root)).toBe('15/09/2026');
  expect(deliveryGuide.receivers(root).map(({ id }) => id)).toEqual(['0990012342001', '9999999999999']);
  expect(deliveryGuide.supports(root)).toEqual([{ issuer: null, documentType: '01', number: '001-002-000000003' }]);
  expect(deliveryGuide.differences(root)).toEqual([]);
});
