import { BlockList, isIP } from "node:net";
import { lazy } from "../core/index.ts";

// Blocks of the IANA registries of special-purpose addresses (RFC 6890), and multicast: this host, private, shared,
// loopback, link-local, protocol assignments, documentation, 6to4 relays, benchmarks, reserved and broadcast.
const specialIpv4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`;

// All that is routed is in this block (RFC 4291 §2.4). Loopback, unique local, link-local, multicast, IPv4-mapped and
// NAT64 addresses (64:ff9b::/96) are outside of it.
const globalUnicast = "2000::/3";

// Within that block: protocol assignments such as Teredo, which contain IPv4 addresses, documentation, and 6to4.
const specialIpv6 = "2001::/23 2001:db8::/32 2002::/16 3fff::/20";

const blocks = lazy(() => ({
  special: blockList(`${specialIpv4} ${specialIpv6}`),
  global: blockList(globalUnicast),
}));

/** Returns true if an IP address is one of the public internet, by the registries of IANA. */
export function isPublicAddress(address: string): boolean {
  const { special, global } = blocks();
  const family = isIP(address);
  if (family === 4) return !special.check(address, "ipv4");
  // A zone (`fe80::1%eth0`) is for addresses of a local network only.
  if (family === 0 || address.includes("%")) return false;
  return global.check(address, "ipv6") && !special.check(address, "ipv6");
}

function blockList(subnets: string): BlockList {
  const list = new BlockList();
  for (const subnet of subnets.split(/\s+/)) {
    const [address = "", bits] = subnet.split("/");
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  return list;
}
