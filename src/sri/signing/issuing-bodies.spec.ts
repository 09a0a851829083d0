import { issuingBodyOf } from './issuing-bodies.js';

describe('the accredited bodies', () => {
  it.each([
    ['CN=AC BANCO CENTRAL DEL ECUADOR,L=QUITO,OU=ENTIDAD DE CERTIFICACION DE INFORMACION-ECIBCE,O=BANCO CENTRAL DEL ECUADOR,C=EC', 'Banco Central del Ecuador'],
    ['CN=ENTIDAD DE CERTIFICACION ICERT-EC,OU=SUBDIRECCION,O=CONSEJO DE LA JUDICATURA,C=EC', 'Consejo de la Judicatura'],
    ['CN=AUTORIDAD DE CERTIFICACION SUBCA-2 SECURITY DATA,O=SECURITY DATA S.A. 2,C=EC', 'Security Data'],
    ['CN=ANF High Assurance,O=ANFAC AUTORIDAD DE CERTIFICACION ECUADOR C.A.,C=EC', 'ANF AC'],
    ['CN=ANF,O=ANF Autoridad de Certificación,C=ES', 'ANF AC'],
    ['CN=UANATACA CA2 2016,O=UANATACA S.A.,C=ES', 'Uanataca'],
    ['CN=Datilmedia CA,O=Datilmedia S.A.,C=EC', 'Datil'],
    ['CN=ARGOSDATA CA 1,O=ARGOSDATA CA,C=EC', 'Argosdata'],
    ['CN=LAZZATE SUBCA,O=LAZZATE CIA. LTDA.,C=EC', 'Lazzate'],
    ['CN=FIRMASEGURA,O=FirmaSegura S.A.S.,C=EC', 'Firmasegura'],
  ])('names the one of %s', (issuer, body) => {
    expect(issuingBodyOf(issuer)).toBe(body);
  });

  it.each(['CN=CA FICTICIA,O=AUTORIDAD FICTICIA S.A.,C=EC', 'CN=CANFACE', 'CN=Databank', ''])('does not know %j', (issuer) => {
    expect(issuingBodyOf(issuer)).toBeNull();
  });
});
