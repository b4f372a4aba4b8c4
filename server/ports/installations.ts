/** Where an app is installed, which says where its cards go. */
export interface Installation {
  /** The channel, as the configuration would name it. */
  channel: string
  /** What the app was added to as a whole, such as a team of many channels. */
  within: string
}

/**
 * Keeps where each app is installed, shared by all replicas. Every method rejects when the store cannot be reached, in
 * less than 2 s.
 */
export interface Installations {
  /** Null while it is installed nowhere. */
  find(app: string): Promise<Installation | null>
  /**
   * Takes in an installation; resolves with the one that stands. One `within` the same replaces it; any other is taken
   * once that one is forgotten: whoever adds the app somewhere else as well does not get the cards.
   */
  learn(app: string, installation: Installation): Promise<Installation>
  /** Forgets the installation `within` this; false where there is none. */
  forget(app: string, within: string): Promise<boolean>
}
