internal import ProxydHTTPModel
internal import ProxydHTTPWire

extension HeadParser {
    /// Reads a request head that we wrote ourselves. What it was made of was taken by proxyd, whose
    /// limits may be wider than the defaults: only its own length bounds it.
    static func parseWritten(_ octets: [UInt8]) throws(WireError) -> RequestHead {
        var limits = WireLimits()
        limits.requestLineByteCountMax = octets.count
        limits.methodByteCountMax = octets.count
        limits.headByteCountMax = octets.count
        limits.fieldCountMax = octets.count
        return try parseRequestHead(octets, limits: limits)
    }
}
