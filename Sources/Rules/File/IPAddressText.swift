internal import Glibc

/// Tells addresses from names.
enum IPAddressText {
    /// Whether a text is an IPv4 or IPv6 address, without brackets.
    static func isAddress(_ text: String) -> Bool {
        var octets = (UInt64(0), UInt64(0))
        return inet_pton(AF_INET, text, &octets) == 1 || inet_pton(AF_INET6, text, &octets) == 1
    }
}
