import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CertificatesController } from './certificates.controller.js';
import { EstablishmentsController } from './establishments.controller.js';
import { IssuersController } from './issuers.controller.js';
import { CertificatesRepository } from './persistence/certificates.repository.js';
import { EmissionPointsRepository } from './persistence/emission-points.repository.js';
import { SequencesRepository } from './persistence/sequences.repository.js';
import { SequencesController } from './sequences.controller.js';
import { EstablishmentsRepository } from './persistence/establishments.repository.js';
import { IssuersRepository } from './persistence/issuers.repository.js';
import { ActivateCertificateHandler } from './use-cases/activate-certificate.js';
import { CheckCertificateHandler } from './use-cases/check-certificate.js';
import { CreateEmissionPointHandler } from './use-cases/create-emission-point.js';
import { CreateEstablishmentHandler } from './use-cases/create-establishment.js';
import { CreateIssuerHandler } from './use-cases/create-issuer.js';
import { GetCertificateHandler } from './use-cases/get-certificate.js';
import { GetEmissionPointHandler } from './use-cases/get-emission-point.js';
import { GetEstablishmentHandler } from './use-cases/get-establishment.js';
import { GetIssuerLogoHandler } from './use-cases/get-issuer-logo.js';
import { GetIssuerHandler } from './use-cases/get-issuer.js';
import { ListCertificatesHandler } from './use-cases/list-certificates.js';
import { ListEmissionPointsHandler } from './use-cases/list-emission-points.js';
import { ListEstablishmentsHandler } from './use-cases/list-establishments.js';
import { ListIssuersHandler } from './use-cases/list-issuers.js';
import { ListSequenceGapsHandler } from './use-cases/list-sequence-gaps.js';
import { ListSequencesHandler } from './use-cases/list-sequences.js';
import { RaiseSequenceHandler } from './use-cases/raise-sequence.js';
import { RevokeCertificateHandler } from './use-cases/revoke-certificate.js';
import { UpdateEstablishmentHandler } from './use-cases/update-establishment.js';
import { DeleteEstablishmentHandler } from './use-cases/delete-establishment.js';
import { UpdateEmissionPointHandler } from './use-cases/update-emission-point.js';
import { DeleteEmissionPointHandler } from './use-cases/delete-emission-point.js';
import { DeleteIssuerHandler } from './use-cases/delete-issuer.js';
import { UpdateIssuerHandler } from './use-cases/update-issuer.js';
import { UploadCertificateHandler } from './use-cases/upload-certificate.js';

const HANDLERS = [
  CreateIssuerHandler,
  UpdateIssuerHandler,
  GetIssuerHandler,
  GetIssuerLogoHandler,
  ListIssuersHandler,
  CreateEstablishmentHandler,
  GetEstablishmentHandler,
  ListEstablishmentsHandler,
  CreateEmissionPointHandler,
  GetEmissionPointHandler,
  ListEmissionPointsHandler,
  ListSequencesHandler,
  RaiseSequenceHandler,
  ListSequenceGapsHandler,
  UploadCertificateHandler,
  CheckCertificateHandler,
  ListCertificatesHandler,
  GetCertificateHandler,
  ActivateCertificateHandler,
  RevokeCertificateHandler,
  UpdateEstablishmentHandler,
  DeleteEstablishmentHandler,
  UpdateEmissionPointHandler,
  DeleteEmissionPointHandler,
  DeleteIssuerHandler,
];

/** Issuers with establishments, emission points and certificates, for the API process. */
@Module({
  imports: [CqrsModule],
  controllers: [IssuersController, EstablishmentsController, SequencesController, CertificatesController],
  providers: [IssuersRepository, EstablishmentsRepository, EmissionPointsRepository, SequencesRepository, CertificatesRepository, ...HANDLERS],
})
export class IssuersModule {}
