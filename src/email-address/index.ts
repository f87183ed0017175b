export { addressKey, findAddressProblem, normalizeAddress, parseAddress } from "./email-address.ts";
