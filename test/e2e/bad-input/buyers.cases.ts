import { type BadInput, refuses } from '../../support/bad-input.js';
import type { RunningStack } from '../../support/stack.js';

const INVALID = [422, 'VALIDATION_FAILED'] as const;

const lookUp = (name: string, query: string, at: string, because: string, refused: BadInput['refused'] = INVALID): BadInput => ({
  name: `B132 ${name}`, call: () => ({ method: 'GET', path: `/buyers/lookup?${query}` }), refused, at, because,
});
const identified = (name: string, identifier: string, type: string, because: string): BadInput =>
  lookUp(name, `identifier=${encodeURIComponent(identifier)}&type=${type}`, '/identifier', because);

export const buyerCases = (running: () => RunningStack): void => describe('buyers', () => {
  refuses('looked up', running, [
    identified('10 digits as RUC', '1710034065', 'ruc', 'identification_ruc'),
    identified('13 digits as cedula', '1710034065001', 'cedula', 'identification_cedula'),
    identified('letters', 'A710034065001', 'ruc', 'identification_ruc'),
    identified('letters as cedula', 'ABCDEFGHIJ', 'cedula', 'identification_cedula'),
    identified('a wrong check digit of a person', '1710034066', 'cedula', 'identification_cedula'),
    identified('a province that is none', '9910034065001', 'ruc', 'identification_ruc'),
    identified('no establishment', '1790012345000', 'ruc', 'identification_ruc'),
    identified('dashes', '171003406-5', 'cedula', 'identification_cedula'),
    identified('wide digits', '１７１００３４０６５', 'cedula', 'identification_cedula'),
    identified('the final consumer', '9999999999999', 'ruc', 'identification_final_consumer'),
    identified('a path', '../../admin', 'ruc', 'identification_ruc'),
    identified('a further parameter', '1790012345001&x=1', 'ruc', 'identification_ruc'),
    identified('a line break', '1790012345001\n', 'ruc', 'string_line_break'),
    identified('NUL', '\u0000', 'ruc', 'string_control_character'),
    identified('nothing', '', 'ruc', 'string_too_short'),
    identified('far too long', '1'.repeat(4_000), 'ruc', 'string_too_long'),
    lookUp('another type', 'identifier=AB123&type=passport', '/type', 'enum'),
    lookUp('the type in capitals', 'identifier=1790012345001&type=RUC', '/type', 'enum'),
    lookUp('two identifiers', 'identifier=1790012345001&identifier=1710034065&type=ruc', '/identifier', 'repeated'),
    lookUp('an operator', 'identifier[$ne]=x&identifier=1790012345001&type=ruc', '/identifier[$ne]', 'extra_forbidden'),
    lookUp('a word for refresh', 'identifier=1790012345001&type=ruc&refresh=yes', '/refresh', 'bool_type'),
    lookUp('no identifier', 'type=ruc', '/identifier', 'missing', [400, 'INVALID_PAYLOAD']),
    lookUp('no type', 'identifier=1790012345001', '/type', 'missing', [400, 'INVALID_PAYLOAD']),
  ]);
});
