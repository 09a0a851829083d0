import type { DocumentService } from '../brain/fault-actions.js';

/** The simulated services at the paths of the real ones. */
export const SERVICES: Readonly<Record<string, DocumentService>> = {
  '/comprobantes-electronicos-ws/RecepcionComprobantesOffline': 'reception',
  '/comprobantes-electronicos-ws/AutorizacionComprobantesOffline': 'authorization',
  '/comprobantes-electronicos-ws/ConsultaComprobante': 'consultation',
};
