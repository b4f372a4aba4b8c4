import { Assignments, type AssignmentsPorts } from '../domain/conversation/assignments'
import { ChatCommands, type ChatCommandsPorts } from '../domain/conversation/commands'
import { Home, type HomePorts } from '../domain/conversation/home'
import { RoomInstallations, type RoomInstallationsPorts } from '../domain/operations/room-installations'
import { DeletedCards, type DeletedCardsPorts } from '../domain/submission/deleted-cards'

/** What people say and do in chat, but for the buttons of the cards. */
export interface ChatServices {
  commands: ChatCommands
  /** Null where people take nothing. */
  assignments: Assignments | null
  deletedCards: DeletedCards
  home: Home
  roomInstallations: RoomInstallations
}

export function createChatServices(
  ports: ChatCommandsPorts & AssignmentsPorts & DeletedCardsPorts & HomePorts & RoomInstallationsPorts,
  { takes }: { takes: boolean },
): ChatServices {
  return {
    commands: new ChatCommands(ports), assignments: takes ? new Assignments(ports) : null,
    deletedCards: new DeletedCards(ports), home: new Home(ports),
    roomInstallations: new RoomInstallations(ports),
  }
}
