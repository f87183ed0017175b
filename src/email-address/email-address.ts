import { domainToASCII } from "node:url";
import { error, ok, type Result } from "../core/index.ts";

/** RFC 5321 §4.5.3.1: octets of the part before the @, and of a whole address (a path of 256 less its brackets). */
const longestLocal = 64;
const longestAddress = 254;

/**
 * What may stand before the @: words of these characters with single dots between them (RFC 5322 §3.4.1), which the HTML
 * living standard allows in `<input type=email>` as well. Quoted ones are not worth their risks.
 */
const localPart = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
/** As in the HTML living standard: labels of at most 63 letters, digits and inner hyphens (RFC 1034 §3.5). */
const domainName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * What is wrong with an address that somebody typed, continuing "The address …", or `undefined`: the rule by which users
 * are registered and mails are sent, for forms. It says nothing about whether anybody reads mails there.
 *
 * @example
 * Schema.string({ validate: (typed) => (Email.addressProblem(typed) === undefined ? undefined : "Please check the address") })
 */
export function addressProblem(address: string): string | undefined {
  const read = readAddress(address);
  return read.ok ? undefined : read.error;
}

/** The address as it is sent: its domain in lower case, with the letters of other scripts in Punycode (RFC 3492). */
export function readAddress(address: string): Result<string> {
  if (address.length > longestAddress) return error(`is longer than ${longestAddress} characters`);
  if (/[\p{Cc}\u2028\u2029]/u.test(address)) return error("has a line break or another control character in it");
  const at = address.lastIndexOf("@");
  if (at === -1) return error("has no @");
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  if (!localPart.test(local))
    return error(
      /^[\x20-\x7e]*$/.test(local)
        ? address.endsWith(">")
          ? "is not one address: with a name it is { name, address }"
          : "is not one address"
        : "has letters before the @ that mail cannot carry",
    );
  if (local.length > longestLocal) return error(`has more than ${longestLocal} characters before the @`);
  // The platform's converter is made for URLs: what else it would read there (a port, a path, %40) is no domain here.
  const ascii = /[\s"%/:<>?@[\\\]^`{|}]/.test(domain) ? "" : domainToASCII(domain);
  if (!domainName.test(ascii) || /(?:^|\.)\d+$/.test(ascii)) return error("has no domain name after the @");
  const whole = `${local}@${ascii}`;
  return whole.length > longestAddress ? error(`is longer than ${longestAddress} characters`) : ok(whole);
}

/** What somebody typed, without blanks around it; `undefined` for what is no address. */
export function parseAddress(typed: string): string | undefined {
  const address = typed.trim();
  return addressProblem(address) === undefined ? address : undefined;
}

/**
 * What addresses are compared by: as they are sent, with the ASCII letters in lower case. Browsers send `ada@bücher.example`
 * in Punycode, programs as it was typed: both are one mailbox. Two people can own addresses that some collation takes for one.
 */
export function addressKey(address: string): string {
  const read = readAddress(address);
  return (read.ok ? read.value : address).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
