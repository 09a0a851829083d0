import { Module } from '@nestjs/common';
import { RidePrinter } from './ride-printer.js';

/** Printing of documents, off the thread that serves requests. */
@Module({ providers: [RidePrinter], exports: [RidePrinter] })
export class PrintingModule {}
