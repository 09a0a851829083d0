/** Values of a statement that is put together; `$1` is the tenant. */
export class Parameters {
  readonly values: unknown[];

  constructor(tenantId: string) {
    this.values = [tenantId];
  }

  /** Adds a value and answers its place. */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
