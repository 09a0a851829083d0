import { listenProblem } from './listen-problem.js';

const problem = (code: string): Error => Object.assign(new Error(`listen ${code}`), { code });

it.each([
  ['EADDRINUSE', /^PORT: 3000 of 127\.0\.0\.1 is taken.*METRICS_PORT/],
  ['EACCES', /^PORT: .*3000/],
  ['EADDRNOTAVAIL', /^HOST: 127\.0\.0\.1 is not an address/],
  ['ENOTFOUND', /^HOST: 127\.0\.0\.1 is not an address/],
  ['EMFILE', /^HOST, PORT: listen EMFILE/],
])('%s is told of by the setting to change', (code, told) => {
  expect(listenProblem(problem(code), '127.0.0.1', 3000).message).toMatch(told);
});

it('names the settings of the server for operators as they are called', () => {
  expect(listenProblem(problem('EADDRNOTAVAIL'), '1.2.3.4', 9464, 'METRICS_').message).toBe('METRICS_HOST: 1.2.3.4 is not an address of this machine');
  expect(listenProblem(problem('EMFILE'), '1.2.3.4', 9464, 'METRICS_').message).toBe('METRICS_HOST, METRICS_PORT: listen EMFILE');
});
