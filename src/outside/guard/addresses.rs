//! Which addresses are in the public internet: all but the special-purpose ones of the IANA registries (RFC 6890, RFC 8190).

use ipnet::{Ipv4Net, Ipv6Net};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const fn v4(a: u8, b: u8, c: u8, d: u8, bits: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), bits)
}

const fn v6(a: u16, b: u16, bits: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0), bits)
}

/// IPv4 that is not public.
const SPECIAL_V4: [Ipv4Net; 15] = [
    v4(0, 0, 0, 0, 8),       // this network; 0.0.0.0 reaches loopback
    v4(10, 0, 0, 0, 8),      // private
    v4(100, 64, 0, 0, 10),   // shared by carriers (CGNAT); some clouds keep metadata here
    v4(127, 0, 0, 0, 8),     // loopback
    v4(169, 254, 0, 0, 16),  // link-local, cloud metadata
    v4(172, 16, 0, 0, 12),   // private
    v4(192, 0, 0, 0, 24),    // protocol assignments
    v4(192, 0, 2, 0, 24),    // documentation
    v4(192, 88, 99, 0, 24),  // 6to4 relays
    v4(192, 168, 0, 0, 16),  // private
    v4(198, 18, 0, 0, 15),   // benchmarks
    v4(198, 51, 100, 0, 24), // documentation
    v4(203, 0, 113, 0, 24),  // documentation
    v4(224, 0, 0, 0, 4),     // multicast
    v4(240, 0, 0, 0, 4),     // reserved, broadcast
];

/// The only part of IPv6 that is given out as global unicast.
const GLOBAL_V6: Ipv6Net = v6(0x2000, 0, 3);

/// What of it is not public.
const SPECIAL_V6: [Ipv6Net; 3] = [
    v6(0x2001, 0, 23),     // protocol assignments: Teredo, benchmarks, ORCHID
    v6(0x2001, 0xdb8, 32), // documentation
    v6(0x3fff, 0, 20),     // documentation
];

/// 6to4: the next 32 bits are an IPv4 address, to which the packet goes.
const SIX_TO_FOUR: Ipv6Net = v6(0x2002, 0, 16);
/// NAT64: the last 32 bits are an IPv4 address, to which the packet goes. Networks without IPv4 reach the world by it. The
/// prefix for use inside one network (64:ff9b:1::/48) is not public.
const NAT64: Ipv6Net = v6(0x64, 0xff9b, 96);

/// Whether an address is in the public internet. An IPv4 address in IPv6 clothes (`::ffff:8.8.8.8`) never counts as such:
/// nobody hands one out in good faith.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) if NAT64.contains(&address) => is_public_v4(embedded(address, 96)),
        IpAddr::V6(address) if SIX_TO_FOUR.contains(&address) => is_public_v4(embedded(address, 16)),
        IpAddr::V6(address) => {
            GLOBAL_V6.contains(&address) && !SPECIAL_V6.iter().any(|special| special.contains(&address))
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !SPECIAL_V4.iter().any(|special| special.contains(&address))
}

/// The IPv4 address that begins at a bit.
fn embedded(address: Ipv6Addr, at: u32) -> Ipv4Addr {
    Ipv4Addr::from_bits((address.to_bits() << at >> 96) as u32)
}
