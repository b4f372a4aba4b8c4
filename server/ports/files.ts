/** What a form takes of files. */
export interface FileRule {
  /** Files of one submission. */
  max: number
  /** Largest file, in bytes. */
  maxBytes: number
  /** Media types such as `application/pdf`, or all of a kind: `image/*`. */
  types: readonly string[]
  /** Whether cards show small pictures, of which chat platforms keep copies. */
  show?: boolean
}

/** The input of a page for the files of a form. */
export interface FileInput {
  multiple: boolean
  /** Media types. */
  accept: string
}

/** A file that came with a form, and is kept as long as its data. Field and name are hostile until escaped. */
export interface StoredFile {
  field: string
  /** One line, without a path, with an extension of its type; text for people, and never where anything is kept. */
  name: string
  /** Media type, by its content. */
  type: string
  /** Bytes. */
  size: number
  /** Of its content, 64 hex digits. */
  sha256: string
  /** Its storage does not have it any more; never stored. */
  lost?: true
}

/** A file on its way in; whoever takes it reads all of it. */
export interface IncomingFile {
  field: string
  name: string
  content: AsyncIterable<Uint8Array>
}

/** Takes a file of a form in. @throws DomainError when it may not come in, or cannot be kept */
export type TakeFile = (file: IncomingFile) => Promise<void>

/** The storage answers that it does not have a file, or not all of it. */
export class FileMissing extends Error {}

/** Keeps the files of submissions, each by the id of its submission and its number there, from 0. */
export interface FileStore {
  /** Stores what comes, of which little is in memory at a time. Rejects when it is not all there. */
  write(id: string, index: number, content: AsyncIterable<Uint8Array>): Promise<void>
  /** Reads so many bytes as it has. Rejects, after the start too, with `FileMissing` when they are not all there. */
  read(id: string, index: number, size: number): AsyncIterable<Buffer>
  /** Deletes everything of a submission, also what was not written to its end. */
  erase(id: string): Promise<void>
  /** Submissions of which all that is there was written before then, epoch ms. */
  idsBefore(time: number): Promise<string[]>
  /** By the first bytes of a file; `text/plain` for text, null for what nobody knows. */
  kindOf(head: Uint8Array): Promise<FileKind | null>
  /** The name with an extension of this kind. */
  nameOf(name: string, kind: FileKind): Promise<string>
}

/** Kind of a file by its content. */
export interface FileKind {
  /** Media type. */
  type: string
  /** Without a dot. */
  extension: string
}

/** How many of the first bytes tell the type of a file. */
export const HEAD_BYTES = 4100
