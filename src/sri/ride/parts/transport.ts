import type { Carrier, SubstituteGuide } from '../../document-types/content.js';
import { heading, stack } from '../page/block.js';
import { type Field, field } from '../page/field-grid.js';
import type { Flow } from '../page/flow.js';
import { TEXT } from '../page/style.js';
import { type Column, flowTable } from '../page/table.js';
import { day } from '../figures.js';
import { when } from './goods-table.js';
import { fieldPanel } from './receiver.js';

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

/** An invoice's stand-in for a delivery guide: the trip, then where it leads. */
export function substituteGuidePart(flow: Flow, guide: SubstituteGuide, gap: number): void {
  const fields = [...tripFields(guide), ...field('Dirección de destino', guide.destinationAddress, 12)];
  flow.place(stack([heading(flow.pen, 'Sustituye a la guía de remisión'), fieldPanel(flow.pen, fields, flow.width)]), gap);
  flowTable(flow, destinationColumns(guide.destinations), guide.destinations, { title: 'Destinos' });
  flow.advance(gap);
}

type GuideDestination = SubstituteGuide['destinations'][number];

/** A row holds what belongs together, and there may be more rows than a page holds. */
function destinationColumns(destinations: readonly GuideDestination[]): readonly Column<GuideDestination>[] {
  const some = (name: keyof GuideDestination): boolean => destinations.some((destination) => destination[name] !== null);
  return [
    { title: 'Motivo del traslado', width: 'rest', text: ({ reason }) => reason },
    ...when<GuideDestination>(some('route'), { title: 'Ruta', width: 'rest', text: ({ route }) => route ?? '' }),
    ...when<GuideDestination>(some('customsDocument'), {
      title: 'Documento aduanero único',
      width: 120,
      text: ({ customsDocument }) => customsDocument ?? '',
    }),
    ...when<GuideDestination>(some('establishment'), {
      title: 'Cód. establecimiento destino',
      width: 'figures',
      text: ({ establishment }) => establishment ?? '',
    }),
  ];
}
