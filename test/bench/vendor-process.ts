import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Instruction, Noted } from './vendors.ts'

export interface Vendors {
  url: string
  /** Changes the vendors' behaviour; resolves with everything recorded since the last call. */
  tell: (instruction: Instruction) => Promise<Noted>
  close: () => void
}

export async function startVendors(): Promise<Vendors> {
  const child = fork(resolve(import.meta.dirname, 'vendors.ts'))
  const [port] = await once(child, 'message') as [number]
  return {
    url: `http://127.0.0.1:${port}`,
    tell: async (instruction) => {
      const answered = once(child, 'message')
      child.send(instruction)
      return (await answered)[0] as Noted
    },
    close: () => child.disconnect(),
  }
}
