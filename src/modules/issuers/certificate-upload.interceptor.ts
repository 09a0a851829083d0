import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import type { Observable } from 'rxjs';
import type { ServiceRequest } from '../../platform/http/service-request.js';
import { MAX_CERTIFICATE_BYTES } from './issuers.dto.js';

/** Reads a multipart upload into memory within tight bounds; does nothing for a JSON body. */
export const ReadMultipart = FileInterceptor('file', {
  limits: { fileSize: MAX_CERTIFICATE_BYTES, files: 1, fields: 4, fieldSize: 8_192, fieldNameSize: 64, parts: 5, headerPairs: 16 },
});

/** Gives a multipart upload the form of the JSON body, so that one set of rules judges both. */
@Injectable()
export class MultipartAsJson implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<ServiceRequest & { file?: { buffer: Buffer } }>();
    if (request.file !== undefined) {
      const fields = request.body as Record<string, unknown>;
      request.body = { ...fields, file_base64: request.file.buffer.toString('base64') };
    }
    return next.handle();
  }
}
