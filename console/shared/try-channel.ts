// Between the page that tries a sign-in and the page to which the provider returns. Only pages of this origin hear it.
const WAIT_MS = 3_000;

const channelOf = (attempt: string): BroadcastChannel => new BroadcastChannel(`gatehouse-try-${attempt}`);

/** Receives the answer to an attempt, once. Returns what ends the waiting. */
export function awaitAnswer<Answer>(attempt: string, receive: (answer: Answer) => void): () => void {
  const channel = channelOf(attempt);
  channel.onmessage = ({ data }: MessageEvent<Answer>) => {
    channel.postMessage('received');
    channel.close();
    receive(data);
  };
  return () => channel.close();
}

/** Gives the answer in the address of this page to the page that waits. Returns whether there was one. */
export async function passAnswer(attempt: string, answer: unknown): Promise<boolean> {
  const channel = channelOf(attempt);
  const received = new Promise<boolean>((resolve) => {
    channel.onmessage = () => resolve(true);
    setTimeout(() => resolve(false), WAIT_MS);
  });
  channel.postMessage(answer);
  // The code in it works once, and only for who began. It need not stay in the address nevertheless.
  history.replaceState(null, '', window.location.pathname);
  const isReceived = await received;
  channel.close();
  return isReceived;
}
