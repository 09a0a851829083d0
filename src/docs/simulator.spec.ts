import { readDirectives } from '../simulator/brain/magic/directives.js';
import { MAGIC_VALUES } from '../simulator/brain/magic/values.js';
import { parseFaultRules } from '../simulator/brain/fault-rules.js';
import { simulatorPage } from './simulator.js';

describe('the page on the simulator', () => {
  const page = simulatorPage();

  it('lists every magic value with what comes of it', () => {
    for (const { name, leadsTo } of MAGIC_VALUES) {
      expect(page.split('\n').filter((line) => line.startsWith(`| \`${name}`) && line.includes(leadsTo))).not.toEqual([]);
    }
  });

  it('shows a field and a rule that the simulator takes', () => {
    const field = /"value": "([^"]+)"/.exec(page)?.[1] ?? '';
    expect(readDirectives(field)).toHaveLength(2);
    const rule = /faults -d '(.+)'/.exec(page)?.[1] ?? '';
    expect(parseFaultRules(JSON.parse(rule))).toHaveLength(1);
  });
});
