/**
 * The greatest `total` of a list that grows for ever and whose end nobody reads, so that counting costs the same however
 * much there is. Pages beyond it can be read.
 */
export const MOST_COUNTED = 10_000;
