import { addressOf, plainAddress } from './caller-address.js';

describe('the address of a caller', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7', 'address:203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7', 'address:203.0.113.7'],
    // As Azure Application Gateway writes it.
    ['203.0.113.7:51234', '203.0.113.7', 'address:203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6', 'address:2001:db8:1:2'],
    ['[2001:db8:1:2::5]:443', '2001:db8:1:2::5', 'address:2001:db8:1:2'],
    ['[2001:db8::1]', '2001:db8::1', 'address:2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80::1', 'address:fe80:0:0:0'],
    ['unknown', null, 'address:unknown'],
    ['203.0.113.7.9:1', null, 'address:unknown'],
    ['_hidden', null, 'address:unknown'],
    [undefined, null, 'address:unknown'],
  ])('%s is told as %s and counted as %s', (ip, told, counted) => {
    expect([plainAddress(ip), addressOf({ ip })]).toEqual([told, counted]);
  });
});
