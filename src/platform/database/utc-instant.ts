/** SQL that writes a column of an instant as the API does: `2026-09-15T14:30:00.000Z`. */
export const utcInstant = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
