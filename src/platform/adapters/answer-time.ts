/** Parts of an answer's time. */
const PARTS = 5;

/**
 * Waits for an answer from outside this process, at most so long, counted in parts each of which the process itself ran
 * through. Had it stood still meanwhile (a busy machine, a long collection, a stopped container), one timer over the whole
 * would end before an answer that lies ready is read, and blame who answered.
 * @param milliseconds of this process's own time
 * @throws Error when none came in time, or what the answer itself failed with
 */
export async function answerWithin<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    let partsLeft = PARTS;
    const wait = (): void => {
      if (partsLeft === 0) {
        reject(new Error(`no answer within ${milliseconds} ms`));
        return;
      }
      partsLeft -= 1;
      timer = setTimeout(wait, milliseconds / PARTS);
    };
    wait();
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
