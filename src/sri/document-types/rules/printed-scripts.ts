/**
 * A letter or digit of a script that the fonts of printed documents do not have (`fonts.spec.ts` holds them against it):
 * Chinese, Japanese and Korean above all. Signs and emoji are not looked at; without some of them a text says the same.
 */
const NOT_PRINTED =
  /(?=[\p{L}\p{N}])[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Lao}\p{Script=Lisu}\p{Script=Nko}\p{Script=Tifinagh}\p{Script=Canadian_Aboriginal}\p{Script=Coptic}\p{Script=Ogham}\p{Script=Old_Italic}\p{Script=Common}\p{Script=Inherited}]/u;

/** Whether anything lies beyond Latin, Greek and Cyrillic: hardly ever, and found out in no time. */
const FAR = /[^\u0000-\u052f]/u;

/** The first letter of the text that a printed document shows as a box; null where all are printed. */
export function firstNotPrinted(text: string): string | null {
  return FAR.test(text) ? (NOT_PRINTED.exec(text)?.[0] ?? null) : null;
}
