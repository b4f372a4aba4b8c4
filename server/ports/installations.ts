/** Place where an app is installed; cards go there. */
export interface Installation {
  /** Channel, written as in the configuration. */
  channel: string
  /** Larger unit to which the app was added, such as a team of many channels. */
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
   * Stores an installation; resolves with the valid one. It replaces an earlier one with the same `within`. One with
   * another `within` is ignored until the earlier one is forgotten, so that nobody gets the cards by adding the app
   * somewhere else.
   */
  learn(app: string, installation: Installation): Promise<Installation>
  /** Deletes the installation with this `within`; false if there is none. */
  forget(app: string, within: string): Promise<boolean>
}
