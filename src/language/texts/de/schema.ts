import type { SchemaTexts, SearchedColumn } from "../en/schema.ts";

const numberOf = (count: number, one: string, many: string): string => (count === 1 ? one : `${count} ${many}`);
const entries = (count: number): string => numberOf(count, "einen Eintrag", "Einträge");
const values = (count: number): string => numberOf(count, "ein Wert", "Werte");
const decimalExample = (scale: number, separator: string): string => `12${separator}${"5".padEnd(scale, "0")}`;

/** Types of columns by the name of their storage. */
const columnTypes: Readonly<Record<string, string>> = {
  bool: "true oder false",
  int: "eine ganze Zahl",
  decimal: "eine Dezimalzahl",
  float: "eine Zahl",
  string: "ein Text",
  text: "ein Text",
  uuid: "eine UUID",
  timestamp: "ein Zeitpunkt",
  date: "ein Datum",
  bytes: "eine Folge von Bytes",
  json: "JSON, das zum Schema passt",
};

function columnType({ expected, storage }: SearchedColumn): string {
  if (storage?.oneOf !== undefined) return `eine der Optionen ${storage.oneOf.join(", ")}`;
  return columnTypes[storage?.type ?? ""] ?? expected;
}

/** Messages of fields, lists and records, and rules of queries and searches. */
export const schemaTexts: SchemaTexts = {
  missing: "Bitte füllen Sie dieses Feld aus",
  repeated: "Bitte geben Sie nur einen Wert an",
  characters: "Dieser Text enthält ein Zeichen, das nicht gespeichert werden kann",
  string: "Bitte senden Sie einen Text",
  bool: "Bitte wählen Sie Ja oder Nein",
  int: "Bitte geben Sie eine ganze Zahl ein",
  float: "Bitte geben Sie eine Zahl ein",
  decimal: (scale, separator) =>
    scale === 0
      ? "Bitte geben Sie eine ganze Zahl ein"
      : `Bitte geben Sie eine Zahl mit höchstens ${numberOf(scale, "einer Nachkommastelle", "Nachkommastellen")} ein, zum Beispiel ${decimalExample(scale, separator)}`,
  rounded: "Bitte senden Sie mehr als 15 Ziffern als Text",
  date: "Bitte geben Sie ein Datum ein, zum Beispiel 2026-12-31",
  datetime: "Bitte geben Sie ein Datum mit Uhrzeit ein, zum Beispiel 2026-12-31T18:30",
  uuid: "Bitte geben Sie eine Kennung ein, zum Beispiel 0f8fad5b-d9cb-469f-a165-70867728950e",
  json: "Bitte geben Sie gültiges JSON ein",
  option: "Bitte wählen Sie eine der Optionen",
  oneOf: (choices) => `Bitte wählen Sie eine der Optionen ${choices.join(", ")}`,
  tooShort: (min) => `Bitte geben Sie mindestens ${min} Zeichen ein`,
  tooLong: (max) => `Bitte geben Sie höchstens ${max} Zeichen ein`,
  tooSmall: (min) => `Bitte geben Sie ${min} oder mehr ein`,
  tooLarge: (max) => `Bitte geben Sie ${max} oder weniger ein`,
  record: "Bitte senden Sie ein Objekt mit diesem Feld",
  list: "Bitte senden Sie eine Liste",
  tooFew: (min) => `Bitte geben Sie mindestens ${entries(min)} an`,
  tooMany: (max) => `Bitte geben Sie höchstens ${entries(max)} an`,
  invalidQuery: (problem) => `Die Abfrage ist ungültig: ${problem}`,
  invalidBody: (problem) => `Der Inhalt der Anfrage ist ungültig: ${problem}`,
  query: {
    expected: {
      oneOf: (choices) => `eine der Optionen ${choices.join(", ")}`,
      option: "eine der Optionen",
      bool: "true oder false",
      uuid: "eine UUID",
      text: (maxLength) => `ein Text ohne NUL mit höchstens ${maxLength} Zeichen`,
      int: "eine ganze Zahl",
      decimal: (separator) => `eine Dezimalzahl wie ${decimalExample(2, separator)}`,
      date: "ein Datum wie 2026-01-31",
      timestamp: "eine Zeitangabe wie 2026-01-31 oder 2026-01-31T12:00:00Z",
      orNone: (expected, none) => `${expected} oder „${none}“ für Einträge ohne Wert`,
    },
    is: (expected) => `muss ${expected} sein`,
    once: ["genau ein Wert", "darf nur einmal vorkommen"],
    atMost: (maxCount) => [
      `höchstens ${values(maxCount)}`,
      `darf höchstens ${maxCount === 1 ? "einmal" : `${maxCount}-mal`} vorkommen`,
    ],
    short: (maxLength) => [`höchstens ${maxLength} Zeichen`, `darf höchstens ${maxLength} Zeichen haben`],
    withoutNul: ["ein Text ohne das Zeichen NUL", "darf das Zeichen NUL nicht enthalten"],
    unknown: (filters) => `ist unbekannt. Die Liste hat die Filter ${filters.join(", ")}`,
    notWith: (other) => `lässt sich nicht mit „${other}“ kombinieren`,
    noOffset: "muss mit „after“ oder „before“ 0 sein",
    positive: "muss 1 oder mehr sein",
    tooLarge: "ist zu groß",
    digits: "muss eine ganze Zahl aus den Ziffern 0 bis 9 sein",
    cursor: "ist keine gültige Position in der Liste",
    sort: (columns) =>
      columns.length === 0
        ? "muss „asc“ oder „desc“ sein"
        : `muss „asc“ oder „desc“ sein, oder Spalten nennen, jede höchstens einmal, durch Kommas getrennt und absteigend mit einem Bindestrich: ${columns.join(", ")}`,
    unsupportedByList: "wird von dieser Liste nicht unterstützt",
    unsupported: "wird hier nicht unterstützt",
    names: (allowed) => `darf nur diese Namen enthalten, durch Kommas getrennt: ${allowed.join(", ")}`,
  },
  search: {
    limit: "Die Anzahl muss eine ganze Zahl über 0 sein.",
    offset: "Der Anfang muss eine ganze Zahl ab 0 sein.",
    filterLength: (maxLength) => `Der Filter darf höchstens ${maxLength} Zeichen haben.`,
    textLength: (maxLength) => `Der Text darf höchstens ${maxLength} Zeichen haben.`,
    noFilter: "Diese Suche unterstützt keinen Filter.",
    noText: "Diese Suche unterstützt keine Volltextsuche.",
    unknownFilter: (name, filters) =>
      `Die Suche hat keinen Filter ${JSON.stringify(name)}. Ihre Filter: ${filters.join(", ") || "keine"}.`,
    tooManyValues: (name, maxCount) =>
      `Der Filter „${name}“ darf höchstens ${numberOf(maxCount, "einen Wert", "Werte")} haben.`,
    rangeKeys: (name) => `Der Bereich des Filters „${name}“ hat nur „from“ und „to“.`,
    noRange: (name) => `Der Filter „${name}“ unterstützt keinen Bereich.`,
    rangeNull: (name) => `Der Bereich des Filters „${name}“ darf nicht bei NULL enden. Lassen Sie das Ende weg.`,
    years: (name) => `Der Filter „${name}“ muss zwischen den Jahren 1 und 9999 liegen.`,
    wrongType: (name, column) => `Der Filter „${name}“ muss ${columnType(column)} sein.`,
    valueLength: (name, maxLength) => `Der Filter „${name}“ darf höchstens ${maxLength} Zeichen haben.`,
    decimalDigits: (name) => `Der Filter „${name}“ darf höchstens 65 Ziffern haben, davon höchstens 38 nach dem Punkt.`,
    direction: "Die Richtung der Sortierung muss asc oder desc sein.",
    sortColumn: (allowed) => `Sortiert wird nach einer dieser Spalten: ${allowed.join(", ")}.`,
    sortOnce: "Jede Spalte der Sortierung darf nur einmal vorkommen.",
    sortCount: (maxCount) => `Eine Suche braucht 1 bis ${maxCount} Spalten zum Sortieren.`,
    cursor:
      "Diese Position in der Liste ist ungültig. Sie gehört zu einer Liste, einer Sortierung und einem Filter. Beginnen Sie wieder auf der ersten Seite.",
    onePosition: "Nur eines von offset, after und before ist möglich.",
    noItemCursor: "In einer Sortierung nach Relevanz hat ein Eintrag keine Position. Verwenden Sie runCursorSearch.",
  },
};
