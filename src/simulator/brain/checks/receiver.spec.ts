import { receiverWarnings } from './receiver.js';

const warned = (idType: string, id: string): string[] => receiverWarnings({ idType, id }, []).map(({ identifier }) => identifier);

it.each([
  ['05', '1710034065'],
  ['05', '1760000008'],
  ['05', '1770000006'],
  ['05', '1780000004'],
  ['04', '1770000006001'],
  ['04', '1780000004003'],
  ['04', '1790012346001'],
  ['04', '1760000009001'],
])('knows %s %s as well formed', (idType, id) => expect(warned(idType, id)).toEqual([]));

it.each([
  ['05', '1770000007'],
  ['05', '2570000006'],
  ['04', '1770000007001'],
  ['04', '1770000006000'],
])('warns of %s %s', (idType, id) => expect(warned(idType, id)).toEqual(['62']));
