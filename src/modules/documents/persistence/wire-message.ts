import type { SriMessage } from '../../../sri/soap/message.js';

/** SRIMessage as the interface specification names its fields (section 2.7). */
export interface WireMessage {
  readonly identifier: string | null;
  readonly message: string;
  readonly additional_info: string | null;
  readonly message_type: string;
}

export const fromWireMessage = (wire: WireMessage): SriMessage => ({
  identifier: wire.identifier,
  message: wire.message,
  additionalInfo: wire.additional_info,
  messageType: wire.message_type,
});

export const toWireMessage = (message: SriMessage): WireMessage => ({
  identifier: message.identifier,
  message: message.message,
  additional_info: message.additionalInfo,
  message_type: message.messageType,
});
