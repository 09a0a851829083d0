import type { Response } from 'express';

/** Resolves when the answer was sent or its reader has gone. For an answer that waits for others on its connection, only the connection shows that. */
export async function answered(response: Response): Promise<void> {
  const { socket } = response.req;
  if (response.closed || socket.destroyed) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      response.off('close', end);
      socket.off('close', end);
      resolve();
    };
    response.once('close', end);
    socket.once('close', end);
  });
}
