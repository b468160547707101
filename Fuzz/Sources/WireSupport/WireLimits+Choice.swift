public import ProxydHTTPWire

extension WireLimits {
    /// The defaults, or limits so small that inputs reach them.
    public static func chosen(by settings: UInt8) -> WireLimits {
        var limits = WireLimits()
        guard settings & 0x80 != 0 else { return limits }
        limits.requestLineByteCountMax = 24
        limits.methodByteCountMax = 8
        limits.headByteCountMax = 96
        limits.fieldCountMax = 3
        limits.responseHeadByteCountMax = 96
        limits.responseFieldCountMax = 3
        limits.trailerByteCountMax = 24
        limits.chunkLineByteCountMax = 12
        limits.chunkExtensionsByteCountMax = 16
        limits.informationalCountMax = 1
        limits.emptyLineCountMax = 1
        return limits
    }
}
