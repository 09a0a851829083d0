/**
 * Where the `total` of a list ends that grows for ever and of which nobody reads the end: counting costs the same however
 * much there is. Pages behind it can be read.
 */
export const MOST_COUNTED = 10_000;
