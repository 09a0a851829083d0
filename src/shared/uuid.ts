/** A UUID as this service and PostgreSQL write it: lower case, with its dashes. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Names nothing, and stands before all others. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';
