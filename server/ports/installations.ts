/** Place where an app is installed, for posting cards. */
export interface Installation {
  /** Channel, written as in the configuration. */
  channel: string
  /** Id of the unit to which the app was added, such as a team with many channels. */
  within: string
}

/**
 * Stores where each app is installed, shared by all replicas. Every method rejects when the store cannot be reached, in
 * less than 2 s.
 */
export interface Installations {
  /** Null while the app is not installed anywhere. */
  find(app: string): Promise<Installation | null>
  /**
   * Stores an installation; resolves with the valid installation. Replaces an earlier installation with the same
   * `within`. Ignores an installation with another `within` until the earlier one is forgotten, so that nobody can
   * redirect the cards by adding the app somewhere else.
   */
  learn(app: string, installation: Installation): Promise<Installation>
  /** Deletes the installation with this `within`; resolves with false if there is none. */
  forget(app: string, within: string): Promise<boolean>
}
