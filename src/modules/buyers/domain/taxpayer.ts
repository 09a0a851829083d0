/** What the SRI's public registry says of a taxpayer. */
export interface Taxpayer {
  readonly legalName: string;
  readonly tradeName: string | null;
  /** ACTIVO, SUSPENDIDO, PASIVO: as the registry writes it. */
  readonly status: string | null;
  /** PERSONA NATURAL, SOCIEDAD: as the registry writes it. */
  readonly type: string | null;
  /** Address of the head office. */
  readonly address: string | null;
}
