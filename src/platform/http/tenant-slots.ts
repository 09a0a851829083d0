/** Slots of each tenant on this process, for calls that are much work: so many may be under way at once. */
export class TenantSlots {
  private readonly taken = new Map<string, number>();

  constructor(private readonly limit: number) {}

  /**
   * Takes a slot; null when the tenant has taken all of its slots.
   * @returns gives it back; to be called once
   */
  take(tenantId: string): (() => void) | null {
    const taken = this.taken.get(tenantId) ?? 0;
    if (taken >= this.limit) return null;
    this.taken.set(tenantId, taken + 1);
    return () => {
      const left = (this.taken.get(tenantId) ?? 0) - 1;
      if (left > 0) this.taken.set(tenantId, left);
      else this.taken.delete(tenantId);
    };
  }
}
