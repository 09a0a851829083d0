import { type CallHandler, type ExecutionContext, HttpException, mixin, type NestInterceptor, type Type } from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import type { Observable } from 'rxjs';
import { DomainError } from '../../shared/domain-error.js';
import type { ServiceRequest } from './service-request.js';
import { echo } from './validation-failure.js';

/** How much a form may hold: the options of multer that bound it. */
export interface FormLimits {
  readonly fileSize: number;
  readonly files: number;
  readonly fields: number;
  readonly fieldSize?: number;
  readonly fieldNameSize: number;
  readonly parts: number;
  readonly headerPairs: number;
}

/**
 * Interceptor that reads a form with one file into memory within tight bounds, and says what is wrong with one that it
 * cannot read; does nothing for another body.
 *
 * @param part name of the part with the file
 * @param largerFile detail of the refusal of a file above its limit
 */
export function ReadFilePart(part: string, limits: FormLimits, largerFile: object = { max_bytes: limits.fileSize }): Type<NestInterceptor> {
  class FilePartInterceptor extends FileInterceptor(part, { limits }) {
    override async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
      try {
        return await super.intercept(context, next);
      } catch (error) {
        // Nest gives a status to what is the caller's fault, with multer's own error for its cause; but not to his going away.
        if (error instanceof HttpException) throw refusalOf(error.cause, part, limits, largerFile);
        throw context.switchToHttp().getRequest<ServiceRequest>().destroyed ? new DomainError('MALFORMED_REQUEST', { reason: 'cut_off' }) : error;
      }
    }
  }
  return mixin(FilePartInterceptor);
}

/** The refusal of a form that may hold a file alone, and holds none or what is none. */
export const partWithoutFilename = (expected: string): DomainError => new DomainError('MALFORMED_REQUEST', { reason: 'part_without_filename', expected });

function refusalOf(cause: unknown, expected: string, { fields }: FormLimits, largerFile: object): DomainError {
  const { code, field } = (cause ?? {}) as { readonly code?: unknown; readonly field?: unknown };
  switch (code) {
    case 'LIMIT_FILE_SIZE':
      return new DomainError('PAYLOAD_TOO_LARGE', largerFile);
    case 'LIMIT_UNEXPECTED_FILE':
      return new DomainError('MALFORMED_REQUEST', { reason: 'unexpected_part', part: echo(field), expected });
    case 'LIMIT_PART_COUNT':
    case 'LIMIT_FILE_COUNT':
    case 'LIMIT_FIELD_COUNT':
      // What has no filename is a field, whatever its name.
      return code === 'LIMIT_FIELD_COUNT' && fields === 0 ? partWithoutFilename(expected) : new DomainError('MALFORMED_REQUEST', { reason: 'too_many_parts', expected });
    case 'LIMIT_FIELD_VALUE':
      return new DomainError('MALFORMED_REQUEST', { reason: 'part_too_long', part: echo(field) });
    default:
      return new DomainError('MALFORMED_REQUEST', { reason: 'invalid_form' });
  }
}
