/**
 * Coined names that no file of a module declares (`test/language.test.ts`), by folder below `src/` or `src/services/`.
 * A name of `everywhere` counts for all modules.
 */
export const coinedNames: Readonly<Record<string, string>> = {
  everywhere: `
    around behind longest furthest far meaningOf patience prove steady breath tell told say together understand
    whereabouts
  `,
  account: "AccountUsers addressOf called changeAsked linkRefused stateOf stillNeeded",
  app: `
    About allowImports announce converse isWithin judgedFor keepHistory namesOf serverOf startsElsewhere told
    undoing workersOf
  `,
  cache: `
    ask Ask Attempt attemptOf cacheOn callOff callOffEnd Claim claim commandsOf Decision decisionOf endAt Entry
    exactAttemptOf expiresIn grace period wait findingsOf getOrSetOn lockPause operationsOn patience Place produce
    purgeEvery Quota Shelf tableOf take takeFrom takeOn whereOf
  `,
  cli: `
    addValue allowingOwn Application Arguments Asking behind breath briefly broken called choicesOf codeOf deepest
    distance domainKnowsNoWeb Ending fallbackOf finalStep firstDelay Flags FromChild gather Gathering Generated
    greeting handBack helpOf importsOf isAnotherThere isPartOfPage keepOrFail listOf lonePlaceholder longestDelay
    longestName misfit mostColumns mostFailures mostFields mostPerPage narrowest News noWayBack ofModel one many
    oneAfterTheOther ownFiles ownPaths Parcel passOn patience Preparation readText rejection replaceAll say
    sayAnswer searched settle settling shutdownTimeout spell standardTimeout Start startAsking steady targetsOf tell
    Turn unexplained Values Version waitFor watchEnding whyNoField whyNoModel whyNoName whyNoTable wiringIsLast
    wrongArguments
  `,
  config: `
    bare decisive derived Description findOutside findStored folderOf forgetFiles Found givenRoot judgeAppUrl
    keysInFiles setRoot usedRoot weakness
  `,
  core: `
    cleanFilename failureOf inOrder Measurement end onAsk onChange onEnd Running say State takeNumber tell
    thisWorker undo workerMessage workerVariable
  `,
  database: `
    acquireTimeout drainTimeout lockTimeout alarm ambient Answer answersRightly areFree around Batch Begin behind
    called canLend checkText clash Clash withClash ConnectionParts convertRows countRepeats Cursors deleteUntil
    OldRows endTimeout Found gather giveBack given giveUp guard guarded hasLarge hasParts inOrder isChecked isFixed
    isForScripts isShared isStable isStuck isTaken joining Known Lane lastPart leaveTimeout lend lengthCheck lent
    Library locked lockNumber makeQueryClass maxKnown maxValues nameFragment Opened Opening Operations Options Page
    Parts Place placed Pool Pools Prepared queryClassChooser recordReaderMaker retry Run Scope settle shapeOf Shared
    SharedLane Slot Tag take takeBack textFragment trackPatiently Turns Unanswered untyped Use Wait Waiter
    waitingSince withLengths Work Writer wrongValue
  `,
  email: `
    atOnce hasControl headerProblem inVain kept_at KeptMail lineProblem longestSubject mostBytes mostRecipients
    neededToSend oneLine plainText readHeaders readMailbox readSender safeSubject SentMail showMailbox Unsent usual
  `,
  "email-address": "addressProblem longestAddress longestLocal readAddress",
  html: `
    refused handleLater harmless isJson isLater Json Meaning meaningOf mostPrinters pieces pixels Place printerAt
    printVouched Reading Scanner ScriptPosition Settled understand voids waiting whereabouts wrapJson
  `,
  http: `
    answeredBy answering answerOutside areForJson beat Below blocks busyBeat busyTurn ByteWindow more calmBeat
    checkCount chooseCoding Coding condemned connectionOf cutWhenStalled demandFit demandIdentity demandJson endWith
    enough evaluateConditions expectJson FileMemory FlatHeaders forms Found gather globals Held Hosts inTime isAmong
    isBodyless isBusy isCut isForPrograms isLast isLate isLeft isListed isNew isOver isReserved isTaken isTakenBack
    isVital isWaiting Kind Leading leadingFields learn lingers endSlowly maker markUnique isUnique matchesStrongly
    matchesWeakly nextRequestId onCut onGone onLate parseParameters patience pieces pieceSize Place plainHeaders
    preferredKind problemOfHosts problemOfProxies Proxies pump punctual readLeading room saneRequestId sentBy slot
    Stalls Table takeWaiting Template Trie unsent variants watch wishes withSlot
  `,
  inflection: "lastChanged pluralOf singularOf",
  lease: "keep beat renewAfter wrongClock setBack",
  log: `
    around clip complain copier harmless held jsonLine longestText mostDepth mostEntries orElse outerFields paint
    Plain textLine unusual
  `,
  metrics: `
    exposition Family familyOf inTime makeNumber meterProcess mostSeries numberText patience ProcessMeter
  `,
  password: `
    coreOf Cost demandArgon2 Derivation disguises fewestCharacters full Gate GateOptions hashesAtOnce isCommon
    isPossible least mostCharacters mostMemory nobodysHash notBelow withoutDisguise
  `,
  "password-reset": "discreet frame nobodyOf perAddress perClient refused ResetUsers sendsMail",
  queue: `
    aheadTime beat byId Claim Claimed delay olderThan retryDelay End Ended endOfLine EndStatus FailedTry Failure
    Hands Held queue_jobs_line Instance instanceOf InstanceQuery Job letGo Line longestWait max_tries maxTries
    mostAhead mostRetries NewInstance Outcome patience queue_job_tries_total Registry Run settle Settlement
    shortestPause Status Store StoreSource Supply tidy tries troublePause
  `,
  random: "longestPooled",
  schedule: `
    Claim Ended every far ofElapsedTime ofWallTime Outcome remembered Run Status Surroundings timeOf wallAt
  `,
  schema: `
    Entries Entry FieldNotes fieldParts givenFor Input Inputs JsonPart JsonParts named Reading readThese takesEmpty
    whenAbsent withoutGaps
  `,
  storage: `
    cleanContentType disposition facts harmless ifThere Kept NamedContent namesIn pieces pieceSize Place placeOf
    Purging removeBefore StorageBody
  `,
  testing: "assertCode endCases fault noted QueueSetting Setting Stage",
  time: "due longestDelay settle wallAtZero",
  token: `
    advance century endAll endById forgetful given hashOf isInTime isOf isOver keysOf lineOf mac mostDepth
    mostListed newContent operationsOf Purging readSigned recordOf skew storedOperationsOf touch Work
  `,
  "token-bucket": "Attempt attemptOf Decision decisionOf exactAttemptOf period retryAfter Quota takeFrom",
  user: `
    accountOf Answer askToLogIn beginningOfLife canBeKept Changes changesIn Claim demand demandLocal deviceOf
    Failures freeFailures full Gate isKnown leadTo letIn refuseStranger wayBack LogIn logInWith longestWait
    mostListed nameOf NewUsers newUsersIn nobodysHash noteSeen Operations operationsWith Parts Passwords passwordsIn
    problemsOfDetails Proof prove refusal seenEvery sessionLife SessionList sessionListIn Sessions sessionsIn
    switching take Turns UserDetails Users usersIn wait waitAfter whenCalled
  `,
  web: `
    again Answered Behind blank cookieLimit demandGuard demandMiddlewares DocumentPlace interval isForeign isForEver
    isOwn KeptFiles KnownFile KnownSession longestCursor longestFilter markGuarded mostEntries named patience
    Provenance readOver refused removedCookie requestHeaders responseHeaders sentOnce showsDetails Side SigningPlace
    Soon spare threshold untold
  `,
};
