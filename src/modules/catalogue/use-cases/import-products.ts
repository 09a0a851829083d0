import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { fieldMessage } from '../../../platform/http/field-messages.js';
import type { Language } from '../../../shared/language.js';
import { echo, ValidationFailure } from '../../../platform/http/validation-failure.js';
import { type Clock, CLOCK, type Ids, IDS, type Sleeper, SLEEPER } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { csvText, type UploadedCsv } from '../csv/csv-table.js';
import { PRODUCT_DEFAULTS } from '../csv/product-cells.js';
import { type ProductFile, readProductFile } from '../csv/product-rows.js';
import { inOrder, planImport, type RowProblem } from '../domain/product-import.js';
import { type ImportCounts, type OpenCatalogue, ProductsRepository } from '../persistence/products.repository.js';
import type { ProductImportQuery } from '../products.dto.js';
import type { ProductImportResult } from '../products.responses.js';

/** Adds and changes the products of a CSV file by their main codes: all of them, or, where a row is faulty, none. */
export class ImportProducts extends Command<ProductImportResult> {
  constructor(
    readonly tenant: TenantContext,
    readonly file: UploadedCsv,
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
    const read = await readProductFile(csvText(file, options.charset));
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
        const plan = planImport(batch, await catalogue.find(batch.map(({ values }) => values.main_code)), PRODUCT_DEFAULTS, () => this.ids.uuid());
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
}

function failure(problems: readonly RowProblem[]): ValidationFailure {
  const findings = inOrder(problems).slice(0, MAX_ERRORS + 1).map(({ line, field, type, ctx, input }) => ({
    loc: ['body', String(line), ...(field === null ? [] : [String(echo(field))])], type, input: echo(input), ctx: { ...ctx, at_line: line },
  }));
  if (findings.length <= MAX_ERRORS) return new ValidationFailure(findings);
  return new ValidationFailure([...findings.slice(0, MAX_ERRORS), { loc: ['body'], type: 'too_many_findings', input: null, ctx: {} }]);
}
