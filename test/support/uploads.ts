import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Server } from './server'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A picture that browsers show */
export const png = Buffer.from(PNG, 'base64')

/** Returns a PDF of this size without repeated parts. */
export function pdf(bytes: number): Buffer {
  const content = Buffer.alloc(bytes)
  for (let at = 0; at + 4 <= bytes; at += 4) content.writeUInt32LE((at * 2654435761) % 2 ** 32, at)
  content.write('%PDF-1.7\n')
  return content
}

interface Sent { field?: string, name: string, content: Buffer | string }

/** Sends a form with files as a browser or a script does. */
export function sendFiles(
  server: Server, path: string, fields: Record<string, string>, files: readonly Sent[],
  headers: Record<string, string> = {},
): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const { field = 'cv', name, content } of files) form.append(field, new Blob([content as never]), name)
  return fetch(`${server.url}${path}`, { method: 'POST', body: form, headers, redirect: 'manual' })
}

/** Returns the paths of all stored files in this folder, or of those of one submission. */
export async function kept(dataDir: string, id = ''): Promise<string[]> {
  const folder = join(dataDir, 'uploads/form-files', id)
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return found.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}
