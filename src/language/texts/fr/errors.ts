import type { ErrorTexts } from "../types.ts";

const noPage = "Cette page n’existe pas.";
const quoted = (text: unknown, maxLength: number): string => `«\u00a0${String(text).slice(0, maxLength)}\u00a0»`;

/** Messages of errors. */
export const errorTexts: ErrorTexts = {
  E_QUERY_INVALID: (key: string, rule: string) => `Le paramètre « ${key} » de la requête ${rule}.`,
  E_SEARCH: (problem: string) => problem,
  // web
  E_METHOD_OVERRIDE:
    "Le champ «\u00a0_method\u00a0» doit être indiqué une seule fois, avec la valeur put, patch ou delete.",
  E_CSRF: (hint: string = "") =>
    "Ce formulaire n’a pas pu être vérifié, rien n’a donc été modifié. Revenez en arrière, rechargez la page et renvoyez-le." +
    hint,
  E_BASIC_AUTH: "Un nom et un mot de passe corrects sont nécessaires.",
  E_TOO_MANY_REQUESTS: "Trop de requêtes. Patientez un instant avant d’envoyer la suivante.",
  E_FORM_INVALID: (reason: string) => reason,
  E_DELETE_REFUSED: (reason: string) => reason,
  E_IF_MATCH_INVALID:
    "L’en-tête If-Match est mal formé. Envoyez «\u00a0*\u00a0» ou des étiquettes d’entité entre guillemets, par exemple l’ETag de l’élément.",
  E_PRECONDITION_FAILED:
    "L’élément n’est pas dans l’état que la requête attend, rien n’a donc été modifié. Récupérez-le à nouveau et refaites la " +
    "modification avec sa nouvelle version.",
  E_PRECONDITION_REQUIRED:
    "L’élément a des versions, et la requête n’indique pas laquelle elle modifie. Rien n’a donc été modifié. Envoyez l’ETag " +
    "de l’élément dans If-Match, ou sa «\u00a0version\u00a0» dans le contenu de la requête.",
  E_VERSION_STALE:
    "Quelqu’un d’autre a modifié cet élément depuis la lecture de sa version, rien n’a donc été fait. Récupérez-le à nouveau et " +
    "refaites la modification avec sa nouvelle version.",

  // policy
  E_POLICY_NO_ROW: "Cette entrée n’existe pas.",
  E_POLICY_REFUSED: (reason: string = "Vous n’avez pas le droit de faire cela.") => reason,

  // http
  E_TARGET_MALFORMED: "L’adresse de la requête est mal formée.",
  E_REQUEST_MALFORMED: "La requête est mal formée.",
  E_TOO_MANY_PARAMETERS: (source: string, limit: number) =>
    source === "form" ? `Le formulaire a plus de ${limit} champs.` : `La requête a plus de ${limit} paramètres.`,
  E_BODY_MALFORMED: "Le contenu de la requête est mal formé.",
  E_BODY_TOO_LARGE: (limit: number) => `Le contenu de la requête dépasse ${limit} octets.`,
  E_BODY_TIMEOUT: "Le contenu de la requête n’est pas arrivé à temps.",
  E_BODY_FRAGMENTED:
    "Le contenu de la requête est arrivé en trop de petits morceaux, de moins de 4 octets en moyenne. Envoyez des morceaux plus grands.",
  E_BODY_ENCODING: (encoding: string) =>
    `Le contenu de la requête est encodé avec ${quoted(encoding, 100)}. Envoyez-le sans Content-Encoding.`,
  E_CONTENT_TYPE: (contentType: string | undefined, wanted: string) =>
    `Le contenu de la requête ${contentType === undefined ? "n’a pas de Content-Type" : `est de type ${quoted(contentType, 255)}`}. Format demandé\u00a0: ${wanted}.`,
  E_TOO_MANY_FILES: (limit: number) => `Le formulaire a plus ${limit === 1 ? "d’un fichier" : `de ${limit} fichiers`}.`,
  E_FILE_TOO_LARGE: (name: string, limit: number) =>
    `Le fichier du champ ${quoted(name, 100)} dépasse ${limit} octets.`,
  E_FIELDS_TOO_LARGE: (limit: number) => `Les champs du formulaire dépassent ${limit} octets.`,
  E_NOT_FOUND: (hint: string = "") => `Il n’y a rien à cette adresse.${hint}`,
  E_METHOD_NOT_ALLOWED: (method: string, allowed: readonly string[]) =>
    `Cette adresse n’accepte pas ${method}, seulement ${allowed.join(", ")}.`,
  E_NOT_ACCEPTABLE: (types: readonly string[]) =>
    `Cette adresse propose seulement ${types.join(", ")}. Modifiez l’en-tête Accept.`,
  E_EXPECTATION: (expectation: string) =>
    `L’attente ${quoted(expectation, 100)} n’est pas acceptée, seulement 100-continue.`,
  E_HEADERS_TOO_MANY: (limit: number) => `La requête a plus de ${limit} en-têtes.`,
  E_HOST_NOT_ALLOWED: (host: string) => `Ce serveur ne répond pas sous le nom d’hôte ${quoted(host, 255)}.`,

  // database, table, password, outbound
  E_DATABASE_NO_MATCH: "Aucun élément n’a cette valeur.",
  E_DATABASE_UNIQUE: "Un élément avec cette valeur existe déjà.",
  E_DATABASE_FOREIGN_KEY:
    "L’élément renvoie à un élément qui n’existe pas, ou d’autres éléments renvoient encore à lui.",
  E_SQL_TEXT: "Le texte contient un caractère qui ne peut pas être enregistré.",
  E_SQL_JSON: "Le JSON contient quelque chose qui ne peut pas être enregistré.",
  E_STALE: "Quelqu’un d’autre a modifié cet élément entre-temps.",
  E_PASSWORD_INVALID: "Un mot de passe comporte de 1 à 4096 caractères, sans caractère Unicode incomplet.",
  E_OUTBOUND_URL:
    "L’URL n’est pas acceptée. Elle doit être complète et ne contenir ni nom d’utilisateur ni mot de passe.",
  E_OUTBOUND_ADDRESS: (host: string) => `L’hôte ${quoted(host, 255)} n’a pas d’adresse publique.`,

  // services
  E_WEBHOOK_SIGNATURE: "Le webhook n’a pas de signature valide.",
  E_WEBHOOK_CONTENT: "Le webhook n’a pas de contenu valide.",
  E_USER_NOT_FOUND: "Ce compte n’existe pas.",
  E_USER_CHANGED: "Ce compte a été désactivé ou modifié entre-temps. Veuillez vous reconnecter.",
  E_USER_EMAIL_INVALID:
    "Une adresse e-mail se compose d’un nom, d’un @ et d’un domaine, avec 254 caractères au plus et sans espaces.",
  E_USER_EMAIL_TAKEN: "Un compte avec cette adresse e-mail existe déjà.",
  E_USER_FIELD: (field: string) =>
    `Le champ ${quoted(field, 100)} d’un compte doit être un texte valide de 255 caractères au plus.`,
  E_USER_LOGIN_REQUIRED: "Veuillez d’abord vous connecter.",
  E_USER_ADMIN_REQUIRED: "Cette action nécessite des droits d’administration.",
  E_USER_CONFIRMATION_REQUIRED: "Veuillez d’abord confirmer votre adresse e-mail.",
  E_USER_IMPERSONATION:
    "Un compte avec droits d’administration peut agir au nom d’un autre compte actif qui n’a pas ces droits.",
  E_USER_IMPERSONATION_REASON: "Veuillez indiquer un motif, de 1 à 500 caractères.",
  E_USER_REMOVAL_REFUSED: (reason: string) => reason,
  E_USER_TOKEN: "Un jeton valide est nécessaire.",
  E_METRICS_TOKEN: "Les métriques nécessitent un jeton\u00a0: Authorization: Bearer <METRICS_TOKEN>.",
  E_METRICS_CLOSED: noPage,
  E_QUEUE_INPUT: (job: string) => `Les données d’entrée de la tâche ${quoted(job, 100)} ne sont pas valides.`,
  E_QUEUE_JOB_UNKNOWN: "Cette tâche n’existe pas\u00a0: elle n’a jamais existé ou a été supprimée.",
  E_QUEUE_QUERY: "La recherche de tâches n’est pas valide.",
  E_QUEUE_DASHBOARD_CLOSED: noPage,
  E_TOKEN_REQUIRED: "Un jeton valide est nécessaire, dans l’en-tête «\u00a0Authorization: Bearer <token>\u00a0».",
  E_TOKEN_ABILITY: (ability: string) => `Ce jeton n’a pas l’autorisation ${quoted(ability, 100)}.`,
  E_STORAGE_NOT_FOUND: (id: string) => `Il n’y a pas de fichier enregistré sous l’identifiant ${quoted(id, 36)}.`,
  E_SCHEDULE_RUNNING: (name: string) =>
    `La tâche planifiée ${quoted(name, 100)} est déjà en cours. Attendez qu’elle soit terminée.`,
  E_EMAIL_ADDRESS: (_field: string, value: unknown) => `L’adresse e-mail ${quoted(value, 80)} n’est pas valide.`,
  E_EMAIL_INBOX_PAGE: noPage,
  E_IDEMPOTENCY_KEY:
    "L’en-tête Idempotency-Key doit contenir une clé de 1 à 255 caractères\u00a0: un texte entre guillemets doubles, comme " +
    '"8e03978e-40d5", ou des lettres, des chiffres et les caractères . _ : et - sans guillemets.',
  E_IDEMPOTENCY_KEY_MISSING:
    "Cette route exige l’en-tête Idempotency-Key. Envoyez une nouvelle clé, par exemple un UUID, avec chaque nouvelle " +
    "requête, et la même clé avec chaque répétition de celle-ci.",
  E_IMPERSONATED:
    "Vous agissez au nom d’un autre compte, et cette action est réservée à la personne à qui il appartient. Revenez d’abord à votre compte.",
  E_IDEMPOTENCY_USER: "L’en-tête Idempotency-Key nécessite une connexion, car une clé appartient à un compte.",
  E_IDEMPOTENCY_RUNNING:
    "Une requête avec cette clé Idempotency-Key est en cours de traitement. Renvoyez la vôtre dans un instant pour obtenir la réponse.",
  E_IDEMPOTENCY_REUSED:
    "Cette clé Idempotency-Key a été envoyée avec une autre requête, rien n’a donc été fait. Envoyez une nouvelle clé avec une " +
    "nouvelle requête.",
  E_IDEMPOTENCY_LIMIT: (maxKeysPerDay: number) =>
    `Vous avez envoyé plus de ${maxKeysPerDay} nouvelles valeurs d’Idempotency-Key en un jour, rien n’a donc été fait. ` +
    "Renvoyez cette requête plus tard.",
  E_IDEMPOTENCY_RESPONSE_LOST: (status: number) =>
    `La requête avec cette clé Idempotency-Key a été traitée avec le statut ${status}. Sa réponse, un flux ou un ` +
    "contenu trop volumineux, n’a pas été enregistrée. Consultez le résultat à son adresse.",
};
