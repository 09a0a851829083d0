/** States in which the SRI stands by a document, so that it may be mailed. */
export const MAILABLE = ['AUTHORIZED', 'CANCELLATION_REQUESTED', 'VOIDED_BY_NC'] as const;

export const isMailable = (status: string): boolean => MAILABLE.some((state) => state === status);
