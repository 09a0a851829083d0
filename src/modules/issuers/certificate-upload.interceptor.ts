import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { catchError, type Observable } from 'rxjs';
import { ReadFilePart } from '../../platform/http/file-part.js';
import { CERTIFICATE_TOO_LARGE, mediaType } from '../../platform/http/json-body.js';
import type { ServiceRequest } from '../../platform/http/service-request.js';
import { type FieldFinding, ValidationFailure } from '../../platform/http/validation-failure.js';
import { DomainError } from '../../shared/domain-error.js';
import { isObject } from '../../shared/is-object.js';
import { MAX_PKCS12_BYTES } from '../../sri/signing/pkcs12-size.js';

const FILE_PART = 'file';
/** The field of the JSON body that holds what a form has in its file. */
const FILE_FIELD = 'file_base64';

export const ReadMultipart = ReadFilePart(
  FILE_PART,
  { fileSize: MAX_PKCS12_BYTES, files: 1, fields: 4, fieldSize: 8_192, fieldNameSize: 64, parts: 5, headerPairs: 16 },
  CERTIFICATE_TOO_LARGE,
);

/** Refuses a larger file in JSON as one in a form is, before its field is judged: the remedy is the same. */
@Injectable()
export class BoundJsonFile implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const body: unknown = context.switchToHttp().getRequest<ServiceRequest>().body;
    const file = isObject(body) ? body[FILE_FIELD] : undefined;
    if (typeof file === 'string' && Buffer.byteLength(file, 'base64') > MAX_PKCS12_BYTES) throw new DomainError('PAYLOAD_TOO_LARGE', CERTIFICATE_TOO_LARGE);
    return next.handle();
  }
}

/** Gives a multipart upload the form of the JSON body, so that one set of rules judges both; their findings name the parts. */
@Injectable()
export class MultipartAsJson implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<ServiceRequest & { file?: { buffer: Buffer } }>();
    if (mediaType(request) !== 'multipart/form-data') return next.handle();
    // A page sends an empty file where none was chosen.
    if (request.file !== undefined && request.file.buffer.length > 0) {
      const fields = request.body as Record<string, unknown>;
      request.body = { ...fields, [FILE_FIELD]: request.file.buffer.toString('base64') };
    }
    return next.handle().pipe(
      catchError((error: unknown) => {
        throw error instanceof ValidationFailure ? new ValidationFailure(error.findings.map(ofPart)) : error;
      }),
    );
  }
}

/** The finding as the sender of a form knows it. */
function ofPart(finding: FieldFinding): FieldFinding {
  const [source = 'body', name, ...rest] = finding.loc;
  if (name === FILE_FIELD) return { ...finding, loc: [source, FILE_PART, ...rest] };
  // A text where the file belongs is as secret as the file.
  return name === FILE_PART ? { ...finding, type: 'file_type', input: null } : finding;
}
