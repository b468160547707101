internal import FoundationEssentials
internal import ProxydHTTPModel

/// `ExchangeUpdate.BodyProgress` in the format of the control socket.
struct BodyMessage: Sendable, Hashable, Codable {
    var appended: Data?
    var byteCount: Int64
    var isComplete: Bool

    init(_ progress: ExchangeUpdate.BodyProgress) {
        appended = progress.appended.isEmpty ? nil : Data(progress.appended)
        byteCount = progress.byteCount
        isComplete = progress.isComplete
    }

    var progress: ExchangeUpdate.BodyProgress {
        var progress = ExchangeUpdate.BodyProgress()
        progress.appended = appended.map { [UInt8]($0) } ?? []
        progress.byteCount = max(0, min(Body.byteCountMax, byteCount))
        progress.isComplete = isComplete
        return progress
    }
}
