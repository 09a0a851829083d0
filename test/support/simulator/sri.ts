import { join } from 'node:path';
import type { Clock } from '../../../src/shared/ports.js';
import { SriBrain } from '../../../src/simulator/brain/brain.js';
import { defaultSettings, type SimulatorSettings } from '../../../src/simulator/brain/settings.js';
import { schemaFiles } from '../../../src/simulator/schema-files.js';
import { type Invoice, type InvoiceOptions, makeInvoice } from './invoice.js';
import { makeIdentity, signDocument, type SigningOptions } from './signing.js';

export class ManualClock implements Clock {
  constructor(private instant: Date) {}

  now(): Date {
    return new Date(this.instant);
  }

  advance(milliseconds: number): void {
    this.instant = new Date(this.instant.getTime() + milliseconds);
  }
}

/** The afternoon on which the specs' invoices are issued: 25 August 2026, 15:00 in Guayaquil. */
export const AFTERNOON = new Date('2026-08-25T20:00:00Z');

export const schemas = schemaFiles([join(import.meta.dirname, '..', '..', '..', 'src', 'sri', 'document-types')]);

export interface TestSri {
  readonly brain: SriBrain;
  readonly clock: ManualClock;
}

/** An SRI with immediate decisions unless told otherwise. */
export function startSri(changes: Partial<SimulatorSettings> = {}, now = AFTERNOON): TestSri {
  const clock = new ManualClock(now);
  const brain = new SriBrain(clock, { ...defaultSettings(schemas), processingMs: { min: 0, max: 0 }, ...changes });
  return { brain, clock };
}

export const identity = makeIdentity();

export function signedInvoice(
  options: InvoiceOptions = {},
  signing: SigningOptions = {},
): Invoice & { readonly bytes: Buffer } {
  const invoice = makeInvoice(options);
  return { ...invoice, bytes: signDocument(invoice.xml, identity, signing) };
}
