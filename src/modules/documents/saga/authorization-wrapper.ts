import type { AuthorizationEntry } from '../../../sri/soap/authorization.js';
import { escapeText } from '../../../sri/xml/canonical.js';

/** A CDATA section cannot hold its own end: it is split there. */
const cdata = (text: string): string => `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
const element = (name: string, text: string | null): string => (text === null ? '' : `<${name}>${escapeText(text)}</${name}>`);

/**
 * The `autorizacion` element that is handed to the receiver of a document: the
 * signed XML untouched inside CDATA, with the authorization's data around it.
 */
export function authorizationWrapper(entry: AuthorizationEntry, accessKey: string): string {
  const messages = entry.messages
    .map(
      (message) =>
        `<mensaje>${element('identificador', message.identifier)}${element('mensaje', message.message)}` +
        `${element('informacionAdicional', message.additionalInfo)}${element('tipo', message.messageType)}</mensaje>`,
    )
    .join('');
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<autorizacion>' +
    element('estado', entry.estado) +
    element('numeroAutorizacion', entry.numeroAutorizacion ?? accessKey) +
    element('fechaAutorizacion', entry.fechaAutorizacion) +
    element('ambiente', entry.ambiente) +
    `<comprobante>${cdata(entry.comprobante ?? '')}</comprobante>` +
    `<mensajes>${messages}</mensajes></autorizacion>`
  );
}
