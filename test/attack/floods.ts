// Bodies of many or long parameters.

const mebibyte = 1024 * 1024;

/** Forms that are slow to parse in a naive way, with the status of their answer. */
export const floods: readonly (readonly [name: string, body: string, status: number])[] = [
  ["1,000 parameters", Array.from({ length: 1000 }, (_, at) => `k${at}=v`).join("&"), 200],
  ["1,001 parameters", Array.from({ length: 1001 }, (_, at) => `k${at}=v`).join("&"), 400],
  ["1,001 separators", "&".repeat(1000), 400],
  ["250,000 parameters", "a=b&".repeat(250_000), 400],
  ["a million separators", "&".repeat(mebibyte - 1), 400],
  ["100,000 keys that are numbers", Array.from({ length: 100_000 }, (_, at) => `${at}=`).join("&"), 400],
  ["1,000 keys of the same hash", Array.from({ length: 1000 }, (_, at) => `${4_294_967_295 - at}=`).join("&"), 200],
  ["one key of a mebibyte", "a".repeat(mebibyte - 1), 200],
  ["one value of a mebibyte of escapes", `a=${"%41".repeat(349_000)}`, 200],
  ["a mebibyte of plus signs", `a=${"+".repeat(mebibyte - 3)}`, 200],
  ["a mebibyte of percent signs", "%".repeat(mebibyte - 1), 400],
  ["a key in 100,000 brackets", `a${"[x]".repeat(100_000)}=1`, 200],
];
