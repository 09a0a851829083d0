import { generatedFrom, table } from './markdown.js';

/** What this page needs to know about a rule. */
export interface RuleFacts {
  /** `group.name`, or one word for a group of one. */
  readonly id: string;
  readonly severity: string;
  readonly es: string;
  readonly en: string;
  readonly reference: string;
}

/** `docs/rules.md`: every rule that a document is held against, grouped by the first word of its id. */
export function rulesPage(rules: readonly RuleFacts[]): string {
  const groups = new Map<string, RuleFacts[]>();
  for (const rule of rules) {
    const group = rule.id.split('.')[0] ?? rule.id;
    groups.set(group, [...(groups.get(group) ?? []), rule]);
  }
  const sections = [...groups].flatMap(([group, members]) => [
    '',
    `## ${group}`,
    '',
    table(
      ['rule', 'severity', 'Spanish', 'English', 'reference'],
      members.map(({ id, severity, es, en, reference }) => [`\`${id}\``, severity, es, en, reference]),
    ),
  ]);
  return [
    generatedFrom('Rules', 'the `defineRules` sets of `src/sri` and `src/modules/documents`'),
    `${rules.length} rules, checked in one pass before a number is spent. Errors refuse the document with`,
    '`400 FISCAL_RULE_VIOLATED`; `error.detail` lists every finding with the JSON Pointer of its field. Warnings refuse nothing:',
    'they come back on `POST /documents/validate` and in `warnings` of the document. A dry run also lists the refusals of',
    '[errors.md](errors.md) that issuing would answer, as `issuing.<code>`. Ids never change their meaning.',
    ...sections,
    '',
  ].join('\n');
}
