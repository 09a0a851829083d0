import { dayNumberOf, guayaquilDayNumber } from '../guayaquil-time.js';
import { type SriMessage, sriMessage } from '../messages.js';

/** Messages 67 and 65: the date must exist, not be after today in Guayaquil, and not be older than the window. */
export function issueDateProblem(issueDate: string, now: Date, windowDays: number): SriMessage | null {
  const day = dayNumberOf(issueDate);
  if (day === null) return sriMessage('67', `La fecha ${issueDate} no existe`);
  const today = guayaquilDayNumber(now);
  if (day > today) return sriMessage('65', 'La fecha de emisión es posterior a la fecha actual');
  if (today - day > windowDays) {
    return sriMessage('65', `La fecha de emisión supera el plazo de ${windowDays * 24 * 60} minutos`);
  }
  return null;
}

/** Message 82: a trip cannot end before it starts. */
export function tripProblem(start: string, end: string): SriMessage | null {
  const [from, to] = [dayNumberOf(start), dayNumberOf(end)];
  if (from === null || to === null) return sriMessage('67', 'Fecha de transporte inexistente');
  return to < from ? sriMessage('82', 'El transporte termina antes de empezar') : null;
}
