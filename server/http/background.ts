import { waitUntil } from '@vercel/functions'

const running = new Set<Promise<unknown>>()

/** Lets work go on after the answer, and remembers it until it ends. */
export function background(task: Promise<unknown>): void {
  const tracked: Promise<unknown> = task.catch(() => {}).finally(() => running.delete(tracked))
  running.add(tracked)
  // On Vercel only this keeps the function alive after the answer: nitro's own event.waitUntil never gets there.
  waitUntil(tracked)
}

/** Keeps the function instance alive for something that ends by itself or on a signal; nobody drains it. */
export function keepAlive(task: Promise<unknown>): void {
  waitUntil(task.catch(() => {}))
}

/** Resolves when nothing runs in the background any more, or after `ms`. */
export async function drain(ms: number): Promise<void> {
  const deadline = new Promise<'late'>(resolve => setTimeout(resolve, ms, 'late').unref())
  while (running.size > 0) {
    if (await Promise.race([Promise.all(running), deadline]) === 'late') return
  }
}
