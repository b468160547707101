internal import ProxydHTTPModel
internal import ProxydHTTPWire

extension HeadParser {
    /// Parses a request head that this library wrote. It may come from proxyd, whose limits may be
    /// larger than the defaults, so only its own length limits it.
    static func parseWritten(_ octets: [UInt8]) throws(WireError) -> RequestHead {
        var limits = WireLimits()
        limits.requestLineByteCountMax = octets.count
        limits.methodByteCountMax = octets.count
        limits.headByteCountMax = octets.count
        limits.fieldCountMax = octets.count
        return try parseRequestHead(octets, limits: limits)
    }
}
