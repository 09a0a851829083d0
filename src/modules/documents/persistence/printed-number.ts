/** The number of document `d` as `printedNumberOf` writes it, `001-002-000000003`; null for a draft. Wants `AT_ITS_PLACE`. */
export const PRINTED_NUMBER = `e.code || '-' || p.code || '-' || lpad(d.sequential::text, 9, '0')`;

/** Joins the establishment `e` and the emission point `p` of document `d`. */
export const AT_ITS_PLACE = `join establishments e on e.tenant_id = d.tenant_id and e.id = d.establishment_id
  join emission_points p on p.tenant_id = d.tenant_id and p.id = d.emission_point_id`;

/** The printed number of document `d` out of its access key; null before there is one. Needs no join. */
export const NUMBER_OF_KEY = `substr(d.access_key, 25, 3) || '-' || substr(d.access_key, 28, 3) || '-' || substr(d.access_key, 31, 9)`;
