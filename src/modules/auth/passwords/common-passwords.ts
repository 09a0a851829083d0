import { createRequire } from 'node:module';
import type { CommonPasswords } from '../domain/password-rules.js';

const require = createRequire(import.meta.url);

/** Of the list, so many of the most used stand for words that people decorate with digits and signs. */
const MOST_USED = 3_000;

let known: CommonPasswords | null = null;

/** What is tried first: the most used passwords of published leaks, and what is near at hand in Ecuador. Read when first asked for: unpacking the list takes a twentieth of a second. */
export function commonPasswords(): CommonPasswords {
  if (known === null) {
    const { dictionary } = require('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common');
    const leaked = dictionary['passwords-common'] as readonly string[];
    known = { whole: new Set([...leaked, ...NEAR_AT_HAND]), words: new Set([...leaked.slice(0, MOST_USED), ...NEAR_AT_HAND]) };
  }
  return known;
}

const NEAR_AT_HAND: ReadonlySet<string> = new Set(
  `
    password passw0rd contraseña contrasena clave miclave clavesecreta secreto secreta qwerty qwertyuiop asdfghjkl
    zxcvbnm iloveyou teamo teamomucho tequiero princesa princess bonita hermosa preciosa estrella estrellita
    mariposa corazon amorcito miamor amor chocolate futbol football baseball basketball soccer superman batman
    spiderman pokemon dragon dragonball monkey shadow master michael jennifer jordan hunter buster tigger charlie
    andrew robert thomas daniel george computer computadora internet samsung google facebook whatsapp instagram
    youtube microsoft windows apple android letmein welcome bienvenido bienvenida admin administrador administrator
    root usuario user guest invitado test testing prueba pruebas default changeme cambiame temporal temporary
    sunshine whatever trustno starwars freedom libertad familia family alejandro alejandra andrea carlos cristian
    cristina daniela david diego eduardo fernando fernanda francisco gabriel gabriela guadalupe javier jessica jorge
    juan karina laura leonardo lorena luis manuel marcos maria mariana mario martin mauricio miguel monica natalia
    nicolas nicole pablo paola patricia pedro ricardo roberto rodrigo rosa sandra santiago sebastian sergio sofia
    valentina vanessa veronica victor america barcelona realmadrid emelec barcelonasc ligadequito ligacampeon
    ecuador guayaquil quito cuenca ambato manabi latacabra mitad delmundo galapagos dios diosesamor jesus jesucristo
    jesusesamor cristo virgen angel angeles angelito diablo demonio santa navidad feliz felicidad primavera verano
    invierno otoño enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes
    martes miercoles jueves viernes sabado domingo factura facturas facturacion facturador sri sistema empresa
    negocio gerente contador contadora contabilidad oficina trabajo dinero banco pichincha qazwsx qazwsxedc asdfasdf
    qweqwe qwerasdf zaqwsx abcabc abcdef abcdefgh access accesos login ninja mustang harley ferrari porsche mercedes
    toyota pepper ginger cookie cheese banana orange purple yellow silver golden diamond crystal phoenix tiger eagle
    falcon panther lions dolphin butterfly matrix hello hola holahola mundo helloworld holamundo secret secrets
    private secure security seguridad killer hacker gamer player minecraft fortnite naruto goku vegeta sasuke
    pikachu zelda nintendo playstation xbox liverpool chelsea arsenal manchester juventus pass word passpass
    passwordpassword p@ssw0rd pa55word passw0rd1 password1 qwerty123 abc12345 12345678 123456789 1234567890 11111111
    00000000 87654321 1q2w3e4r 1q2w3e4r5t 1qaz2wsx q1w2e3r4 qwer1234 asdf1234 zaq12wsx a1b2c3d4 aa123456 a1234567
    abcd1234 abc123456 iloveyou1 sunshine1 princess1 football1 monkey123 letmein1 welcome1 admin123 admin1234
    root1234 test1234 user1234 guest1234 changeme1 12341234 123123123 123454321 121212121 13131313 14725836
    147258369 159357258 159753456 789456123 741852963 96321478 98765432 99999999 88888888 77777777 66666666 55555555
    12121212 10203040 11223344 1122334455 12344321 31415926 19871987 19901990 20002000 20202020 20222022 20232023
    20242024 20252025 20262026
  `.trim().split(/\s+/),
);
