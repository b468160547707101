internal import ProxydHTTPModel
internal import ProxydHTTPWire

extension HeadParser {
    /// Parses a request head that this library wrote. It may come from proxyd, whose limits may be
    /// larger than the defaults, so only its own length limits it.
    static func parseWritten(_ bytes: [UInt8]) throws(WireError) -> RequestHead {
        var limits = WireLimits()
        limits.requestLineByteCountMax = bytes.count
        limits.methodByteCountMax = bytes.count
        limits.headByteCountMax = bytes.count
        limits.fieldCountMax = bytes.count
        return try parseRequestHead(bytes, limits: limits)
    }
}
