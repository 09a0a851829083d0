/** Cars `ABC1234` or `ABC123`, motorcycles `AB123C`, with or without hyphen. */
const PLATE = /^([A-Z]{3}-?[0-9]{3,4}|[A-Z]{2}-?[0-9]{3}[A-Z])$/;

/** Whether a text looks like an Ecuadorian plate. A vehicle may have another, so this only ever informs. */
export const isUsualPlate = (text: string): boolean => PLATE.test(text);

/** What a usual one looks like. */
export const USUAL_PLATE = 'ABC1234';
