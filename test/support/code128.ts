/** Widths of bars and spaces of the values 0 to 105 of Code 128 (ISO/IEC 15417, table 1), and of the stop. */
const PATTERNS = (
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 ' +
  '123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 ' +
  '232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 ' +
  '313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 ' +
  '111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 ' +
  '111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 ' +
  '114311 411113 411311 113141 114131 311141 411131 211412 211214 211232'
).split(' ');
const STOP = '2331112';
const [CODE_C, CODE_B, CODE_A, START_B, START_C] = [99, 100, 101, 104, 105];

/** What a scanner reads from the widths, in modules, of bars and spaces in turn; null when it beeps not. */
export function readCode128(widths: readonly number[]): string | null {
  if (widths.length < 25 || (widths.length - STOP.length) % 6 !== 0) return null;
  if (widths.slice(-STOP.length).join('') !== STOP) return null;
  const values: number[] = [];
  for (let at = 0; at < widths.length - STOP.length; at += 6) values.push(PATTERNS.indexOf(widths.slice(at, at + 6).join('')));
  if (values.includes(-1)) return null;
  const check = values.pop();
  const [start = -1, ...data] = values;
  const sum = data.reduce((total, value, index) => total + value * (index + 1), start);
  return sum % 103 === check ? textOf(start, data) : null;
}

function textOf(start: number, data: readonly number[]): string | null {
  if (start !== START_B && start !== START_C) return null;
  let set = start === START_C ? 'C' : 'B';
  let text = '';
  for (const value of data) {
    if (set === 'C' && value < 100) text += String(value).padStart(2, '0');
    else if (set === 'C' && (value === CODE_B || value === CODE_A)) set = 'B';
    else if (set === 'B' && value === CODE_C) set = 'C';
    else if (set === 'B' && value < 96) text += String.fromCharCode(value + 32);
    else return null;
  }
  return text;
}
