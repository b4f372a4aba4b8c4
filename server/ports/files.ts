/** Rule for the files that a form accepts. */
export interface FileRule {
  /** Maximum number of files per submission. */
  max: number
  /** Maximum size of a file, bytes. */
  maxBytes: number
  /** Accepted media types, such as `application/pdf` or `image/*`. */
  types: readonly string[]
  /** True if cards show small pictures of the files. Chat platforms keep copies of the pictures. */
  show?: boolean
}

/** File input on the page of a form. */
export interface FileInput {
  multiple: boolean
  /** Accepted media types. */
  accept: string
}

/** A file that was sent with a form, kept as long as its data. Escape `field` and `name`: they may be hostile. */
export interface StoredFile {
  field: string
  /**
   * File name for people: one line, without a path, with an extension that fits the type. Never used as a storage path.
   */
  name: string
  /** Media type, detected from the content. */
  type: string
  /** Bytes. */
  size: number
  /** Digest of the content, 64 hex digits. */
  sha256: string
  /** True if the storage no longer has the file; never stored. */
  lost?: true
}

/** A file that is being uploaded; the receiver must read it to the end. */
export interface IncomingFile {
  field: string
  name: string
  content: AsyncIterable<Uint8Array>
}

/** URLs of files, by submission id and index. Anybody who has the URL can open the file. */
export interface FileAddresses {
  path(id: string, index: number): string
  /** Null if the address of this service is unknown. */
  url(id: string, index: number): string | null
}

/** Takes in a file of a form. @throws DomainError if it is not allowed, or cannot be stored */
export type TakeFile = (file: IncomingFile) => Promise<void>

/** Error if the storage lacks a file or a part of it. */
export class FileMissing extends Error {}

/** Stores the files of submissions by submission id and index, from 0. */
export interface FileStore {
  /** Streams the content to storage, with little in memory at a time. Rejects unless everything was stored. */
  write(id: string, index: number, content: AsyncIterable<Uint8Array>): Promise<void>
  /** Streams a file of `size` bytes. Rejects with `FileMissing` if bytes are missing, maybe after some were read. */
  read(id: string, index: number, size: number): AsyncIterable<Buffer>
  /** Deletes all files of a submission, incomplete ones included. */
  erase(id: string): Promise<void>
  /** Ids of submissions whose files were all written before this time, epoch ms. */
  idsBefore(time: number): Promise<string[]>
  /** Detects the kind from the first bytes of a file; `text/plain` for text, null if unknown. */
  kindOf(head: Uint8Array): Promise<FileKind | null>
  /** Returns the name with an extension of this kind. */
  nameOf(name: string, kind: FileKind): Promise<string>
}

/** Kind of a file, detected from its content. */
export interface FileKind {
  /** Media type. */
  type: string
  /** Without a dot. */
  extension: string
}

/** Number of first bytes that are needed to detect the kind of a file. */
export const HEAD_BYTES = 4100
