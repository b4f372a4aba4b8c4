/**
 * What people say when they mean a tool. Keyword search knows no stems and no synonyms, so both are written out here,
 * at about the same length for every tool: a longer text is a weaker match. Models never see it.
 */
export const INDEX_TEXTS: Readonly<Record<string, string>> = {
  searchSubmissions: 'search find look up list show all everything pending open waiting undecided outstanding unhandled new newest recent latest forms form submissions submission entries requests enquiries inquiries leads inbox queue from somebody someone anybody anyone person who wrote asked asking sent about mentions containing received came in',
  getSubmission: 'show open read view display see full details detail detailed whole entire complete content fields field values one single submission form entry request enquiry inquiry lead what does it say ask want state status expires expire received got came text id',
  submissionStats: 'statistics stats count counts how many much number numbers total totals figures summary overview metrics backlog submissions forms forwarded spam expired pending left waiting open decided handled processed today yesterday week month so far share rate',
  forwardSubmission: 'forward forwarded forwarding fwd send sending pass on relay deliver dispatch route hand over email mail accept approve approved good legitimate real go ahead submission form entry enquiry inquiry lead request to the team sales colleagues recipient as is',
  editAndForwardSubmission: 'edit editing change changing correct correcting fix fixing update updating modify amend adjust replace typo wrong mistake misspelled spelling field value set name email phone number address before then and forward forwarding send sending submission form entry',
  markSubmissionAsSpam: 'mark flag spam spammy junk scam phishing bogus fake bot advert advertising ads nonsense garbage discard reject dismiss decline delete remove erase throw toss away get rid trash bin ignore submission submissions form entry request',
  fetchMessages: 'messages message thread conversation discussion chat read reread history earlier before previous last said say saying wrote above scroll back replies reply answered recap summarize summarise catch up talked discussed agreed decided here we',
  fetchChannelMessages: 'channel room messages message posts posted announcements recent latest history top level read going on happened happening said say elsewhere outside this thread in the whole channel today catch up summarize summarise',
  fetchThread: 'thread information info metadata about this thread conversation which channel belongs to does it belong public private visibility direct message dm where are we id',
  listThreads: 'threads list other discussions conversations topics active recent started in this channel room which what are there going on show overview',
  getThreadParticipants: 'participants participating people persons members who took part takes part taken part involved joined joining present replied in this thread conversation discussion everyone everybody names',
  getChannelInfo: 'channel room information info name called title members member count how many people in here private public visibility topic purpose about this channel',
  getUser: 'user users profile person people who is this look up somebody someone colleague full name email address avatar picture account bot human contact id',
  listFiles: 'list show browse files file folder folders directory directories saved stored kept uploaded documents document reports report exports attachments what which do we have exist exists there available storage store bucket archive under in find',
  getFileMetadata: 'file files metadata information info details size big large bytes kilobytes heavy type kind format mime when created last modified changed updated date uploaded etag of document report check',
  downloadFile: 'read open load download fetch get show view see print display content contents text inside in file files document report export csv json markdown notes what does it say summarize summarise quote saved',
  getFileUrl: 'link links url address share sharing shareable give send get somebody someone access open in the browser to file document report download public hyperlink',
  uploadFile: 'save saving store storing write writing upload uploading create make put add keep export exporting archive record file files as json csv text txt markdown under reports folder document report note notes list new submission submissions',
  deleteFile: 'delete deleting remove removing erase drop wipe clean up get rid throw away trash file files document report export old obsolete outdated storage folder from',
  copyFile: 'copy copying duplicate duplicating clone backup back up rename renaming move moving file files document report to another other folder name version keep under second original',
  signUploadUrl: 'upload uploading link url presigned signed temporary let allow somebody someone customer client colleague outside people upload hand in drop send submit large file photo video document directly themselves their own',
}
