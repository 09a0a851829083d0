import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { fieldMessage, type Language } from '../../../platform/http/field-messages.js';
import { echo, ValidationFailure } from '../../../platform/http/validation-failure.js';
import { sameDecimal } from '../../../shared/decimal.js';
import { type Clock, CLOCK, type Ids, IDS, type Sleeper, SLEEPER } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { csvText } from '../csv/csv-table.js';
import { PRODUCT_DEFAULTS } from '../csv/product-cells.js';
import { type ProductFile, type ProductRow, readProductFile, type RowProblem, textOf } from '../csv/product-rows.js';
import { PRODUCT_FIELDS, type ProductField, type ProductValues } from '../domain/product.js';
import { productProblems } from '../domain/product-rules.js';
import { type ImportCounts, type OpenCatalogue, ProductsRepository, type StoredValues } from '../persistence/products.repository.js';
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

/** Rows that are judged and written in one go; other requests come in between. */
const ROWS_AT_A_TIME = 250;

interface Plan {
  readonly added: readonly StoredValues[];
  readonly changed: readonly StoredValues[];
  readonly unchanged: number;
  readonly problems: readonly RowProblem[];
}

type Outcome = ImportCounts & { readonly problems: readonly RowProblem[] };

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
    const allOrNone = !options.dry_run && !options.skip_faulty;
    // What comes to nothing locks no product.
    const outcome = options.dry_run || (allOrNone && read.problems.length > 0)
      ? await this.work(read, allOrNone, { find: (codes) => this.products.findCoded(tenant.tenantId, codes), write: () => Promise.resolve(new Set()) })
      : await this.products.import(tenant, this.clock.now(), (catalogue) => this.work(read, allOrNone, catalogue));
    const { problems, ...counts } = outcome;
    return {
      dry_run: options.dry_run,
      ...counts,
      faulty: new Set(problems.map(({ line }) => line)).size,
      errors: problems.slice(0, MAX_ERRORS).map(({ line, field, type, ctx, input }) => ({
        line, field, type, message: fieldMessage(type, ctx, language), input: input === null ? null : String(echo(input)),
      })),
    };
  }

  /**
   * Brings the rows into the catalogue, some at a time.
   * @param allOrNone a faulty row refuses the file
   * @throws ValidationFailure with every fault of it
   */
  private async work(file: ProductFile, allOrNone: boolean, catalogue: OpenCatalogue): Promise<Outcome> {
    const problems = [...file.problems];
    let [created, updated, unchanged] = [0, 0, 0];
    // In one order, so that two imports wait for each other instead of locking each other out.
    const rows = [...file.rows].sort((one, other) => (one.values.main_code < other.values.main_code ? -1 : 1));
    for (let next = 0; next < rows.length; next += ROWS_AT_A_TIME) {
      let batch = rows.slice(next, next + ROWS_AT_A_TIME);
      while (batch.length > 0) {
        const plan = this.plan(batch, await catalogue.find(batch.map(({ values }) => values.main_code)));
        problems.push(...plan.problems);
        // Read on for the faults of the rest.
        if (allOrNone && problems.length > 0) break;
        const taken = await catalogue.write(plan);
        created += plan.added.length - taken.size;
        updated += plan.changed.length;
        unchanged += plan.unchanged;
        batch = batch.filter(({ values }) => taken.has(values.main_code));
      }
      await this.sleeper.sleep(0);
    }
    if (allOrNone && problems.length > 0) throw failure(problems);
    return { created, updated, unchanged, problems: inOrder(problems) };
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
        else if (isSame(stored, values)) plan.unchanged += 1;
        else plan.changed.push({ ...merged, id: stored.id });
      }
    }
    return plan;
  }
}

const isWhole = (product: Partial<ProductValues>): product is ProductValues => PRODUCT_FIELDS.every((field) => product[field] !== undefined);

const missing = (product: Partial<ProductValues>): { field: ProductField; type: string; ctx: Readonly<Record<string, string>> }[] =>
  PRODUCT_FIELDS.filter((field) => product[field] === undefined).map((field) => ({ field, type: 'missing', ctx: {} }));

/** Equal in every field that is told; amounts by their value, for spreadsheets write `10.5` where `10.50` was. */
function isSame(stored: ProductValues, told: Readonly<Partial<ProductValues>>): boolean {
  return PRODUCT_FIELDS.every((field) => {
    if (told[field] === undefined) return true;
    if (field === 'unit_price' || field === 'default_discount') return sameDecimal(stored[field], told[field] ?? '');
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
