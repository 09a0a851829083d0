/**
 * Every kind of event that the service sends, once. Types, the OpenAPI enum,
 * validation and `docs/events.md` derive from this table; a kind never changes
 * its meaning.
 */
export interface EventEntry {
  /** The part of `data` that the event carries. */
  readonly about: 'document' | 'certificate' | 'pause' | 'sequence' | 'webhook';
  readonly en: string;
  readonly es: string;
}

const entry = (about: EventEntry['about'], en: string, es: string): EventEntry => ({ about, en, es });

export const EVENT_CATALOGUE = {
  'document.authorized': entry(
    'document',
    'The SRI authorized the document. Told again of the same document whenever it is valid once more: its cancellation was withdrawn, its cancellation lapsed because the SRI did not show it in time, or the credit note that voided it was annulled. What is done on authorization, such as shipping, is done once for each `document.id`',
    'El SRI autorizó el documento. Se avisa otra vez del mismo documento cuando vuelve a estar vigente: se retiró su anulación, su anulación caducó porque el SRI no la mostró a tiempo, o se anuló la nota de crédito que lo dejó sin efecto. Lo que se hace al autorizarse, como despachar, se hace una vez por cada `document.id`',
  ),
  'document.rejected': entry('document', 'The SRI refused the document for good; `sri_messages` say why. It may be corrected under its number', 'El SRI rechazó el documento; `sri_messages` dice por qué. Puede corregirse con su mismo número'),
  'document.manual_review_required': entry('document', 'The document does not go on by itself; `error` says what a person should do', 'El documento no continúa solo; `error` dice qué debe hacer una persona'),
  'document.failed': entry('document', 'The document was given up; its number stays explained', 'El documento se abandonó; su número queda explicado'),
  'document.cancellation_requested': entry('document', 'A cancellation is being watched until the SRI shows it', 'Se vigila una anulación hasta que el SRI la muestre'),
  'document.cancelled': entry('document', 'The SRI shows the document as annulled', 'El SRI muestra el documento como anulado'),
  'document.voided': entry('document', 'Credit notes reached the total of the invoice', 'Las notas de crédito alcanzaron el total de la factura'),
  'certificate.expiring': entry('certificate', 'A signing certificate ends soon', 'Un certificado de firma está por caducar'),
  'certificate.expired': entry('certificate', 'A signing certificate has ended: documents wait for another one', 'Un certificado de firma caducó: los documentos esperan otro'),
  'issuer.paused': entry('pause', 'The SRI blocked a taxpayer, an establishment, a type or numbers: what is in its scope waits until it is resumed', 'El SRI bloqueó un contribuyente, establecimiento, tipo o secuencial: lo que abarca espera hasta que se reanude'),
  'sequence.low': entry('sequence', 'A counter passed a threshold of remaining numbers; told once for each', 'Un secuencial pasó un umbral de números restantes; se avisa una vez por cada uno'),
  'webhook.disabled': entry('webhook', 'Events were not delivered for days, or the address answered 410: it is switched off', 'Los eventos no se entregaron por días o la dirección respondió 410: queda desactivada'),
  ping: entry('webhook', 'A test of one address; goes to no other', 'Prueba de una dirección; no va a ninguna otra'),
} as const satisfies Record<string, EventEntry>;

export type EventKind = keyof typeof EVENT_CATALOGUE;

export const EVENT_KINDS = Object.keys(EVENT_CATALOGUE) as [EventKind, ...EventKind[]];

/** What an address may listen to: a ping is sent on request only. */
export const SUBSCRIBABLE_KINDS = EVENT_KINDS.filter((kind) => kind !== 'ping');
