import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { answered } from '../../platform/http/answered.js';
import { bodyBytes, hasBody } from '../../platform/http/body-bytes.js';
import { BodyRoom, type IncomingBody } from '../../platform/http/body-room.js';
import { partWithoutFilename, ReadFilePart } from '../../platform/http/file-part.js';
import { charsetOf, mediaType } from '../../platform/http/json-body.js';
import type { ServiceRequest } from '../../platform/http/service-request.js';
import { DomainError } from '../../shared/domain-error.js';
import type { UploadedCsv } from './csv/csv-table.js';
import { CHARSETS } from './products.dto.js';

/** The part of a form that has the file. */
const PART = 'file';
/** Largest CSV file, in bytes. */
const MAX_CSV_BYTES = 5_242_880;

export const ReadMultipartCsv = ReadFilePart(PART, { fileSize: MAX_CSV_BYTES, files: 1, fields: 0, fieldNameSize: 64, parts: 1, headerPairs: 16 });

/** Takes room for a form with a CSV file before it comes: multer keeps all of it in memory. */
@Injectable()
export class FormRoom implements NestInterceptor {
  constructor(private readonly room: BodyRoom) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<ServiceRequest>();
    if (mediaType(request) === 'multipart/form-data') {
      const { take, leave } = roomOf(this.room, request);
      void answered(context.switchToHttp().getResponse<Response>()).then(leave);
      const refusal = take(Math.min(Number(request.headers['content-length'] ?? Infinity), MAX_CSV_BYTES));
      if (refusal !== null) throw refusal;
    }
    return next.handle();
  }
}

function roomOf(room: BodyRoom, { tenant }: ServiceRequest): IncomingBody {
  if (tenant === undefined) throw new Error('files are of a tenant');
  return room.enter(tenant.tenantId);
}

/** Makes the CSV file the body (`UploadedCsv`), whether it came by itself or in a form. */
@Injectable()
export class CsvBody implements NestInterceptor {
  constructor(private readonly room: BodyRoom) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<ServiceRequest & { file?: { buffer: Buffer } }>();
    const inForm = request.file === undefined ? null : { bytes: request.file.buffer, charset: null };
    request.body = inForm ?? (await this.read(request, context.switchToHttp().getResponse<Response>()));
    return next.handle();
  }

  private async read(request: ServiceRequest, response: Response): Promise<UploadedCsv> {
    const type = mediaType(request);
    if (!hasBody(request)) throw new DomainError('MALFORMED_REQUEST', { reason: 'empty_body' });
    if (type === 'multipart/form-data') throw partWithoutFilename(PART);
    if (type !== 'text/csv') throw new DomainError('UNSUPPORTED_MEDIA_TYPE', { reason: 'content_type' });
    const named = charsetOf(request);
    const charset = CHARSETS.find((known) => known === named) ?? null;
    if (charset !== named) throw new DomainError('UNSUPPORTED_MEDIA_TYPE', { reason: 'file_charset', expected: CHARSETS });
    const { take, leave } = roomOf(this.room, request);
    // The bytes are kept until all of their rows are read.
    void answered(response).then(leave);
    return { bytes: await bodyBytes(request, response, MAX_CSV_BYTES, take), charset };
  }
}
