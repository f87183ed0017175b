import { domainToASCII } from "node:url";
import { error, ok, type Result } from "../core/index.ts";

/** Maximum length of the part before the @, in octets (RFC 5321 §4.5.3.1). */
const maxLocalPartLength = 64;
/** Maximum length of an address, in octets: a path of 256 (RFC 5321 §4.5.3.1) without its brackets. */
const maxAddressLength = 254;

/**
 * Local part: words of these characters, separated by single dots (RFC 5322 §3.4.1). The HTML living standard allows the
 * same in `<input type=email>`. Quoted local parts are refused, because few systems handle them safely.
 */
const localPartPattern = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
/** Domain, as in the HTML living standard: labels of at most 63 letters, digits and inner hyphens (RFC 1034 §3.5). */
const domainPattern = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Returns the problem of an address as a continuation of "The address …", or `undefined`. Users are registered and mails
 * are sent by the same rule. It does not check that the mailbox exists.
 *
 * @example
 * Schema.string({ validate: (typed) => (Email.findAddressProblem(typed) === undefined ? undefined : "Please check the address") })
 */
export function findAddressProblem(address: string): string | undefined {
  const normalized = normalizeAddress(address);
  return normalized.ok ? undefined : normalized.error;
}

/** Returns the address in the form in which it is sent: the domain in lower case, non-ASCII labels in Punycode (RFC 3492). */
export function normalizeAddress(address: string): Result<string> {
  if (address.length > maxAddressLength) return error(`is longer than ${maxAddressLength} characters`);
  if (/[\p{Cc}\u2028\u2029]/u.test(address)) return error("contains a line break or another control character");
  const atIndex = address.lastIndexOf("@");
  if (atIndex === -1) return error("has no @");
  const [local, domain] = [address.slice(0, atIndex), address.slice(atIndex + 1)];
  if (!localPartPattern.test(local))
    return error(
      /^[\x20-\x7e]*$/.test(local)
        ? address.endsWith(">")
          ? "is not one address: pass a name as { name, address }"
          : "is not one address"
        : "has letters before the @ that mail does not support",
    );
  if (local.length > maxLocalPartLength) return error(`has more than ${maxLocalPartLength} characters before the @`);
  // domainToASCII is made for URLs and accepts more than a domain: a port, a path, %40. Refuse these characters first.
  const asciiDomain = /[\s"%/:<>?@[\\\]^`{|}]/.test(domain) ? "" : domainToASCII(domain);
  if (!domainPattern.test(asciiDomain) || /(?:^|\.)\d+$/.test(asciiDomain))
    return error("has no domain name after the @");
  const normalized = `${local}@${asciiDomain}`;
  return normalized.length > maxAddressLength ? error(`is longer than ${maxAddressLength} characters`) : ok(normalized);
}

/** Trims an input and returns it if it is a valid address, otherwise `undefined`. */
export function parseAddress(typed: string): string | undefined {
  const address = typed.trim();
  return findAddressProblem(address) === undefined ? address : undefined;
}

/**
 * Returns the key by which addresses are compared: the normalized address with ASCII letters in lower case. Browsers send
 * `ada@bücher.example` in Punycode, other programs do not: both have the same key. Letters outside ASCII are kept, because
 * a database collation can equate addresses of two people.
 */
export function addressKey(address: string): string {
  const normalized = normalizeAddress(address);
  return (normalized.ok ? normalized.value : address).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
