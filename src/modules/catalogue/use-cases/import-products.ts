import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { fieldMessage, type Language } from '../../../platform/http/field-messages.js';
import { echo, ValidationFailure } from '../../../platform/http/validation-failure.js';
import { sameDecimal } from '../../../shared/decimal.js';
import { type Clock, CLOCK, type Ids, IDS, type Sleeper, SLEEPER } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { csvText } from '../csv/csv-table.js';
import { PRODUCT_DEFAULTS } from '../csv/product-cells.js';
import { type ProductRow, readProductFile, type RowProblem } from '../csv/product-rows.js';
import { PRODUCT_FIELDS, type ProductField, type ProductValues } from '../domain/product.js';
import { productProblems } from '../domain/product-rules.js';
import { ProductsRepository, type StoredValues } from '../persistence/products.repository.js';
import type { ProductImportQuery } from '../products.dto.js';
import type { ProductImportResult, ProductRecord } from '../products.responses.js';

/** Adds and changes the products of a CSV file by their main codes: all of them, or, where a row is faulty, none. */
export class ImportProducts extends Command<ProductImportResult> {
  constructor(
    readonly tenant: TenantContext,
    readonly file: Buffer,
    readonly options: ProductImportQuery,
    readonly language: Language,
  ) {
    super();
  }
}

/** An answer lists at most so many errors; a file with more is not a typo. */
const MAX_ERRORS = 500;

interface Plan {
  readonly added: readonly StoredValues[];
  readonly changed: readonly StoredValues[];
  readonly unchanged: number;
  readonly problems: readonly RowProblem[];
}

@CommandHandler(ImportProducts)
export class ImportProductsHandler implements ICommandHandler<ImportProducts> {
  constructor(
    private readonly products: ProductsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
  ) {}

  async execute({ tenant, file, options, language }: ImportProducts): Promise<ProductImportResult> {
    const read = await readProductFile(csvText(file, options.charset), this.sleeper);
    if (read.headerProblems.length > 0) throw failure(read.headerProblems);
    let plan: Plan = { added: [], changed: [], unchanged: 0, problems: [] };
    const decide = (existing: readonly ProductRecord[]): Pick<Plan, 'added' | 'changed'> => {
      plan = this.plan(read.rows, existing);
      const problems = [...read.problems, ...plan.problems];
      if (problems.length > 0 && !options.dry_run && !options.skip_faulty) throw failure(problems);
      return options.dry_run ? { added: [], changed: [] } : plan;
    };
    await this.products.upsert(tenant.tenantId, read.rows.map(({ values }) => values.main_code), decide, this.clock.now());
    const problems = inOrder([...read.problems, ...plan.problems]);
    return {
      dry_run: options.dry_run,
      created: plan.added.length,
      updated: plan.changed.length,
      unchanged: plan.unchanged,
      faulty: new Set(problems.map(({ line }) => line)).size,
      errors: problems.slice(0, MAX_ERRORS).map(({ line, field, type, ctx, input }) => ({
        line, field, type, message: fieldMessage(type, ctx, language), input: input === null ? null : String(echo(input)),
      })),
    };
  }

  /** What becomes of each row, given the products that there are. */
  private plan(rows: readonly ProductRow[], existing: readonly ProductRecord[]): Plan {
    const byCode = new Map(existing.map((product) => [product.main_code, product]));
    const plan = { added: [] as StoredValues[], changed: [] as StoredValues[], unchanged: 0, problems: [] as RowProblem[] };
    for (const { line, values } of rows) {
      const stored = byCode.get(values.main_code);
      const merged = { ...(stored ?? PRODUCT_DEFAULTS), ...values };
      const problems = isWhole(merged) ? productProblems(merged) : missing(merged);
      if (problems.length > 0) {
        plan.problems.push(...problems.map(({ field, type, ctx }) => ({ line, field, type, ctx, input: type === 'missing' ? null : textOf(merged[field]) })));
      } else if (isWhole(merged)) {
        if (stored === undefined) plan.added.push({ ...merged, id: this.ids.uuid() });
        else if (isSame(stored, merged)) plan.unchanged += 1;
        else plan.changed.push({ ...merged, id: stored.id });
      }
    }
    return plan;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const isWhole = (product: Partial<ProductValues>): product is ProductValues => PRODUCT_FIELDS.every((field) => product[field] !== undefined);

const missing = (product: Partial<ProductValues>): { field: ProductField; type: string; ctx: Readonly<Record<string, string>> }[] =>
  PRODUCT_FIELDS.filter((field) => product[field] === undefined).map((field) => ({ field, type: 'missing', ctx: {} }));

/** Equal in every field; amounts by their value, for spreadsheets write `10.5` where `10.50` was. */
function isSame(stored: ProductValues, told: ProductValues): boolean {
  return PRODUCT_FIELDS.every((field) => {
    if (field === 'unit_price' || field === 'default_discount') return sameDecimal(stored[field], told[field]);
    return field === 'additional_fields' ? canonical(stored[field]) === canonical(told[field]) : stored[field] === told[field];
  });
}

/** The same text for equal JSON, whatever the order of its names. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)) : inner,
  );

const inOrder = (problems: readonly RowProblem[]): RowProblem[] => [...problems].sort((one, other) => one.line - other.line);

function failure(problems: readonly RowProblem[]): ValidationFailure {
  const findings = inOrder(problems).map(({ line, field, type, ctx, input }) => ({
    loc: ['body', String(line), ...(field === null ? [] : [String(echo(field))])], type, input: echo(input), ctx: { ...ctx, at_line: line },
  }));
  if (findings.length <= MAX_ERRORS) return new ValidationFailure(findings);
  return new ValidationFailure([...findings.slice(0, MAX_ERRORS), { loc: ['body'], type: 'too_many_findings', input: null, ctx: {} }]);
}
