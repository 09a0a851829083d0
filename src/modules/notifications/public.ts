export { BouncesStore } from './persistence/bounces.store.js';
