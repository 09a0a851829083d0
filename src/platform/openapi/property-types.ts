/** What response shapes are made of, for `@ApiProperty`. */
export const uuid = { type: String, format: 'uuid' } as const;
export const instant = { type: String, format: 'date-time' } as const;
export const text = { type: String } as const;
export const flag = { type: Boolean } as const;
export const count = { type: 'integer' } as const;
/** Beside one of the others. */
export const orNull = { nullable: true } as const;
