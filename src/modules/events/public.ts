export { type EventCard, eventPayload } from './event-payload.js';
