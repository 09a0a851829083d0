/** How long to wait before a stream that was refused is asked for again, in milliseconds: at first, and at most. */
const WAIT_MS = { first: 2_000, most: 60_000 };

/**
 * Shows events for as long as the page is open. A browser goes on by itself after a connection that broke, but gives a stream up
 * for good once it is refused: while the database or a proxy is away, when too many pages are open, when the session has run out.
 *
 * @param {string} api where the API is
 * @param {string[]} types the kinds of events to hear of
 * @param {(event: object) => void} page.show takes each event, once
 * @param {() => void} page.reload reads anew what the page shows: called whenever events may have been missed
 * @param {() => Promise<boolean>} page.refresh gets the session going again, in one tab at a time; false: the person must sign in; rejects while nobody answers
 * @param {() => void} page.ended told of that: nothing more is heard
 * @returns {() => void} ends it
 */
export function followEvents(api, types, { show, reload, refresh, ended }) {
  let stream;
  let timer;
  let isStopped = false;
  let lastId = null;
  let waitMs = WAIT_MS.first;
  const place = () => (lastId === null ? '' : `cursor=${encodeURIComponent(lastId)}`);

  function open() {
    stream = new EventSource(`${api}/events/stream?${place()}`, { withCredentials: true });
    stream.addEventListener('open', () => {
      waitMs = WAIT_MS.first;
      if (lastId === null) reload();
    });
    // Each event has the name of its type: `onmessage` hears none.
    for (const type of types) {
      stream.addEventListener(type, ({ data, lastEventId }) => {
        lastId = lastEventId;
        show(JSON.parse(data));
      });
    }
    stream.addEventListener('error', () => {
      // In any other state the browser goes on by itself.
      if (stream.readyState === EventSource.CLOSED) again();
    });
  }

  function again() {
    clearTimeout(timer);
    // Not all pages at once: some come earlier.
    timer = setTimeout(async () => {
      const goesOn = await mend();
      if (isStopped) return;
      if (goesOn) open();
      else ended();
    }, waitMs * (0.5 + Math.random() / 2));
    waitMs = Math.min(2 * waitMs, WAIT_MS.most);
  }

  /** An EventSource does not tell why it was refused; a call of the list does. Answers whether there is a session to go on with. */
  async function mend() {
    try {
      const { status } = await fetch(`${api}/events?limit=1&${place()}`, { credentials: 'include' });
      // The service went on from a backup, and this place is no more.
      if (status === 422) lastId = null;
      return status !== 401 || isStopped || (await refresh());
    } catch {
      // Nobody answers: the stream will tell.
      return true;
    }
  }

  open();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    stream.close();
  };
}
