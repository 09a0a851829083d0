import type { Carrier, SubstituteGuide } from '../../document-types/document.js';
import { type Field, field } from '../page/field-grid.js';
import { TEXT } from '../page/style.js';
import { day } from '../figures.js';

interface Trip {
  readonly originAddress: string;
  readonly carrier: Carrier;
  readonly startDate: string;
  readonly endDate: string;
  readonly plate: string;
}

/** Who drives, from where and when. */
export function tripFields(trip: Trip): readonly Field[] {
  return [
    ...field('Razón social / Nombres y apellidos (transportista)', trip.carrier.name, 6, TEXT.strong),
    ...field('Identificación (transportista)', trip.carrier.id, 3),
    ...field('Placa', trip.plate, 3),
    ...field('Punto de partida', trip.originAddress, 6),
    ...field('Fecha inicio transporte', day(trip.startDate), 3),
    ...field('Fecha fin transporte', day(trip.endDate), 3),
  ];
}

/** An invoice's stand-in for a delivery guide. */
export function substituteGuideFields(guide: SubstituteGuide): readonly Field[] {
  return [
    ...tripFields(guide),
    ...field('Dirección de destino', guide.destinationAddress, 12),
    ...guide.destinations.flatMap((destination) => [
      ...field('Motivo del traslado', destination.reason, 3),
      ...field('Ruta', destination.route, 3),
      ...field('Documento aduanero único', destination.customsDocument, 3),
      ...field('Cód. establecimiento destino', destination.establishment, 3),
    ]),
  ];
}
