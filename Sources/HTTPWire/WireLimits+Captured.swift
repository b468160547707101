extension WireLimits {
    /// Limits wide enough to parse heads that were captured under other limits.
    package static let captured: WireLimits = {
        var limits = WireLimits()
        limits.methodByteCountMax = 1 << 20
        limits.requestLineByteCountMax = 16 << 20
        limits.headByteCountMax = 16 << 20
        limits.fieldCountMax = 1 << 20
        limits.responseHeadByteCountMax = 16 << 20
        limits.responseFieldCountMax = 1 << 20
        limits.trailerByteCountMax = 16 << 20
        return limits
    }()
}
