/// The credentials that were right, by their keyed digests, for a limited time.
struct RightAnswers {
    private let limits: CheckLimits
    /// When each digest is forgotten, on the monotonic clock.
    private var forgottenAt: [[UInt8]: Int64] = [:]

    init(_ limits: CheckLimits) { self.limits = limits }

    func contains(_ digest: [UInt8], at now: Int64) -> Bool {
        forgottenAt[digest].map { now < $0 } ?? false
    }

    mutating func insert(_ digest: [UInt8], at now: Int64) {
        if forgottenAt.count >= limits.rememberedMax {
            forgottenAt = forgottenAt.filter { now < $0.value }
        }
        // All are fresh: forgetting one costs its user no more than another check.
        if forgottenAt.count >= limits.rememberedMax, let any = forgottenAt.first?.key {
            forgottenAt[any] = nil
        }
        forgottenAt[digest] = now &+ limits.rememberedNs
    }
}

/// When wrong passwords of each client were last reported.
struct WrongReports {
    private let limits: CheckLimits
    private var lastAt: [String: Int64] = [:]

    init(_ limits: CheckLimits) { self.limits = limits }

    /// Whether a wrong password of a client is to be reported now.
    mutating func isDue(_ client: String, at now: Int64) -> Bool {
        if let last = lastAt[client], now &- last < limits.reportNs { return false }
        if lastAt.count >= limits.reportedMax {
            lastAt = lastAt.filter { now &- $0.value < limits.reportNs }
        }
        // With this many clients, the log says enough.
        guard lastAt.count < limits.reportedMax else { return false }
        lastAt[client] = now
        return true
    }
}
