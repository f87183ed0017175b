import type { ErrorTexts } from "../types.ts";

const noPage = "Diese Seite gibt es nicht.";
const quoted = (text: unknown, maxLength: number): string => `„${String(text).slice(0, maxLength)}“`;

/** Messages of errors. */
export const errorTexts: ErrorTexts = {
  E_QUERY_INVALID: (key: string, rule: string) => `Der Parameter „${key}“ der Abfrage ${rule}.`,
  E_SEARCH: (problem: string) => problem,
  // web
  E_METHOD_OVERRIDE: "Das Feld „_method“ muss genau einmal angegeben sein, mit dem Wert put, patch oder delete.",
  E_CSRF: (hint: string = "") =>
    "Dieses Formular konnte nicht geprüft werden, darum wurde nichts geändert. Gehen Sie zurück, laden Sie die Seite neu " +
    `und senden Sie es noch einmal.${hint}`,
  E_BASIC_AUTH: "Dafür sind ein gültiger Name und das zugehörige Passwort nötig.",
  E_TOO_MANY_REQUESTS: "Zu viele Anfragen. Warten Sie einen Moment, bevor Sie die nächste senden.",
  E_FORM_INVALID: (reason: string) => reason,
  E_DELETE_REFUSED: (reason: string) => reason,
  E_IF_MATCH_INVALID:
    "Die Kopfzeile If-Match ist ungültig. Senden Sie „*“ oder Entity-Tags in Anführungszeichen, zum Beispiel das ETag des Eintrags.",
  E_PRECONDITION_FAILED:
    "Der Eintrag ist nicht in dem Zustand, den die Anfrage erwartet, darum wurde nichts geändert. Rufen Sie ihn neu ab und " +
    "wiederholen Sie die Änderung mit der neuen Version.",
  E_PRECONDITION_REQUIRED:
    "Der Eintrag hat Versionen, und die Anfrage gibt nicht an, welche sie ändert. Darum wurde nichts geändert. Senden Sie das " +
    "ETag des Eintrags in If-Match oder seine „version“ im Inhalt der Anfrage.",
  E_VERSION_STALE:
    "Dieser Eintrag wurde inzwischen von jemand anderem geändert, darum wurde nichts getan. Rufen Sie ihn neu ab und " +
    "wiederholen Sie die Änderung mit der neuen Version.",

  // policy
  E_POLICY_NO_ROW: "Diesen Eintrag gibt es nicht.",
  E_POLICY_REFUSED: (reason: string = "Das ist Ihnen nicht erlaubt.") => reason,

  // http
  E_TARGET_MALFORMED: "Die Adresse der Anfrage ist ungültig.",
  E_REQUEST_MALFORMED: "Die Anfrage ist ungültig.",
  E_TOO_MANY_PARAMETERS: (source: string, limit: number) =>
    source === "form" ? `Das Formular hat mehr als ${limit} Felder.` : `Die Anfrage hat mehr als ${limit} Parameter.`,
  E_BODY_MALFORMED: "Der Inhalt der Anfrage ist ungültig.",
  E_BODY_TOO_LARGE: (limit: number) => `Der Inhalt der Anfrage ist größer als ${limit} Byte.`,
  E_BODY_TIMEOUT: "Der Inhalt der Anfrage ist nicht rechtzeitig angekommen.",
  E_BODY_FRAGMENTED:
    "Der Inhalt der Anfrage kam in zu vielen winzigen Stücken an, im Durchschnitt weniger als 4 Byte. Senden Sie größere Stücke.",
  E_BODY_ENCODING: (encoding: string) =>
    `Der Inhalt der Anfrage ist mit „${encoding}“ codiert. Senden Sie ihn ohne Content-Encoding.`,
  E_CONTENT_TYPE: (contentType: string | undefined, wanted: string) =>
    `Der Inhalt der Anfrage hat ${contentType === undefined ? "keinen Content-Type" : `den Typ „${contentType}“`}. Verlangt ist: ${wanted}.`,
  E_TOO_MANY_FILES: (limit: number) => `Das Formular hat mehr als ${limit === 1 ? "eine Datei" : `${limit} Dateien`}.`,
  E_FILE_TOO_LARGE: (name: string, limit: number) =>
    `Die Datei im Feld ${quoted(name, 100)} ist größer als ${limit} Byte.`,
  E_FIELDS_TOO_LARGE: (limit: number) => `Die Felder des Formulars sind größer als ${limit} Byte.`,
  E_NOT_FOUND: (hint: string = "") => `Unter dieser Adresse gibt es nichts.${hint}`,
  E_METHOD_NOT_ALLOWED: (method: string, allowed: readonly string[]) =>
    `Diese Adresse unterstützt ${method} nicht, nur ${allowed.join(", ")}.`,
  E_NOT_ACCEPTABLE: (types: readonly string[]) =>
    `Diese Adresse bietet nur ${types.join(", ")} an. Ändern Sie die Kopfzeile Accept.`,
  E_EXPECTATION: (expectation: string) =>
    `Die Erwartung ${quoted(expectation, 100)} wird nicht unterstützt, nur 100-continue.`,
  E_HEADERS_TOO_MANY: (limit: number) => `Die Anfrage hat mehr als ${limit} Kopfzeilen.`,
  E_HOST_NOT_ALLOWED: (host: string) => `Dieser Server antwortet nicht unter dem Hostnamen ${quoted(host, 255)}.`,

  // database, table, password, outbound
  E_DATABASE_NO_MATCH: "Es gibt keinen Eintrag mit diesem Wert.",
  E_DATABASE_UNIQUE: "Es gibt schon einen Eintrag mit diesem Wert.",
  E_DATABASE_FOREIGN_KEY:
    "Der Eintrag verweist auf einen Eintrag, den es nicht gibt, oder andere Einträge verweisen noch auf ihn.",
  E_SQL_TEXT: "Der Text enthält ein Zeichen, das nicht gespeichert werden kann.",
  E_SQL_JSON: "Das JSON enthält etwas, das nicht gespeichert werden kann.",
  E_STALE: "Dieser Eintrag wurde inzwischen von jemand anderem geändert.",
  E_PASSWORD_INVALID: "Ein Passwort hat 1 bis 4096 Zeichen, ohne unvollständige Unicode-Zeichen.",
  E_OUTBOUND_URL: "Die URL wird nicht angenommen. Sie muss vollständig sein und darf keine Zugangsdaten enthalten.",
  E_OUTBOUND_ADDRESS: (host: string) => `Der Host ${quoted(host, 255)} hat keine öffentliche Adresse.`,

  // services
  E_WEBHOOK_SIGNATURE: "Der Webhook hat keine gültige Signatur.",
  E_WEBHOOK_CONTENT: "Der Webhook hat keinen gültigen Inhalt.",
  E_USER_NOT_FOUND: "Dieses Konto gibt es nicht.",
  E_USER_CHANGED: "Dieses Konto wurde inzwischen deaktiviert oder geändert. Bitte melden Sie sich noch einmal an.",
  E_USER_EMAIL_INVALID:
    "Eine E-Mail-Adresse besteht aus einem Namen, einem @ und einer Domain, hat höchstens 254 Zeichen und keine Leerzeichen.",
  E_USER_EMAIL_TAKEN: "Es gibt schon ein Konto mit dieser E-Mail-Adresse.",
  E_USER_FIELD: (field: string) =>
    `Das Feld „${field}“ eines Kontos muss ein gültiger Text mit höchstens 255 Zeichen sein.`,
  E_USER_LOGIN_REQUIRED: "Bitte melden Sie sich zuerst an.",
  E_USER_ADMIN_REQUIRED: "Das ist nur mit Administrationsrechten erlaubt.",
  E_USER_CONFIRMATION_REQUIRED: "Bitte bestätigen Sie zuerst Ihre E-Mail-Adresse.",
  E_USER_IMPERSONATION:
    "Mit Administrationsrechten kann man im Namen eines anderen aktiven Kontos handeln, das selbst keine solchen Rechte hat.",
  E_USER_IMPERSONATION_REASON: "Bitte geben Sie einen Grund an, mit 1 bis 500 Zeichen.",
  E_USER_REMOVAL_REFUSED: (reason: string) => reason,
  E_USER_TOKEN: "Dafür ist ein gültiges Token nötig.",
  E_METRICS_TOKEN: "Für die Metriken ist ein Token nötig: Authorization: Bearer <METRICS_TOKEN>.",
  E_METRICS_CLOSED: noPage,
  E_QUEUE_INPUT: (job: string) => `Die Eingabe des Auftrags „${job}“ ist ungültig.`,
  E_QUEUE_JOB_UNKNOWN: "Diesen Auftrag gibt es nicht: Er hat nie existiert oder wurde gelöscht.",
  E_QUEUE_QUERY: "Die Suche nach Aufträgen ist ungültig.",
  E_QUEUE_DASHBOARD_CLOSED: noPage,
  E_TOKEN_REQUIRED: "Dafür ist ein gültiges Token nötig, in der Kopfzeile „Authorization: Bearer <token>“.",
  E_TOKEN_ABILITY: (ability: string) => `Dieses Token hat die Berechtigung „${ability}“ nicht.`,
  E_STORAGE_NOT_FOUND: (id: string) => `Es gibt keine gespeicherte Datei mit der Kennung ${quoted(id, 36)}.`,
  E_SCHEDULE_RUNNING: (name: string) => `Der geplante Auftrag „${name}“ läuft bereits. Warten Sie, bis er beendet ist.`,
  E_EMAIL_ADDRESS: (_field: string, value: unknown) => `Die E-Mail-Adresse ${quoted(value, 80)} ist ungültig.`,
  E_EMAIL_INBOX_PAGE: noPage,
  E_IDEMPOTENCY_KEY:
    "Die Kopfzeile Idempotency-Key muss einen Schlüssel von 1 bis 255 Zeichen enthalten: Text in doppelten " +
    'Anführungszeichen wie "8e03978e-40d5" oder Buchstaben, Ziffern und die Zeichen . _ : und - ohne Anführungszeichen.',
  E_IDEMPOTENCY_KEY_MISSING:
    "Diese Route verlangt die Kopfzeile Idempotency-Key. Senden Sie mit jeder neuen Anfrage einen neuen Schlüssel, zum " +
    "Beispiel eine UUID, und mit jeder Wiederholung denselben.",
  E_IMPERSONATED:
    "Sie handeln im Namen eines anderen Kontos, und das darf nur, wem es gehört. Kehren Sie zuerst zu Ihrem Konto zurück.",
  E_IDEMPOTENCY_USER:
    "Die Kopfzeile Idempotency-Key setzt eine Anmeldung voraus, weil ein Schlüssel zu einem Konto gehört.",
  E_IDEMPOTENCY_RUNNING:
    "Eine Anfrage mit diesem Idempotency-Key wird gerade verarbeitet. Senden Sie Ihre Anfrage gleich noch einmal, um die Antwort zu erhalten.",
  E_IDEMPOTENCY_REUSED:
    "Dieser Idempotency-Key wurde mit einer anderen Anfrage gesendet, darum wurde nichts getan. Senden Sie mit einer neuen " +
    "Anfrage einen neuen Schlüssel.",
  E_IDEMPOTENCY_LIMIT: (maxKeysPerDay: number) =>
    `Sie haben an einem Tag mehr als ${maxKeysPerDay} neue Werte von Idempotency-Key gesendet, darum wurde nichts getan. ` +
    "Wiederholen Sie diese Anfrage später.",
  E_IDEMPOTENCY_RESPONSE_LOST: (status: number) =>
    `Die Anfrage mit diesem Idempotency-Key wurde mit dem Status ${status} verarbeitet. Die Antwort war zu groß oder ein ` +
    "Datenstrom und wurde nicht gespeichert. Rufen Sie das Ergebnis unter seiner Adresse ab.",
};
