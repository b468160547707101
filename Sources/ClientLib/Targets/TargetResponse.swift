public import Foundation
public import ProxydHTTPModel

/// What a server answered to a target. Moya calls it `Response`.
public struct TargetResponse: Sendable {
    /// What was sent last.
    public let request: HTTPRequest?
    /// The head.
    public var response: ResponseHead
    /// The body, content codings undone; empty where it went to a file.
    public var data: [UInt8]
    /// Where the body lies, for targets that download.
    public let fileURL: URL?
    /// When everything happened.
    public let timeline: RequestTimeline
    private let attempts: [AttemptRecord]

    init?(_ response: DataResponse<[UInt8]?>) {
        guard let head = response.response else { return nil }
        self.response = head
        request = response.request
        data = response.data ?? []
        fileURL = nil
        timeline = response.timeline
        attempts = response.attempts
    }

    init?(_ response: DownloadResponse<URL?>) {
        guard let head = response.response else { return nil }
        self.response = head
        request = response.request
        data = []
        fileURL = response.fileURL
        timeline = response.timeline
        attempts = response.attempts
    }

    /// The status.
    public var statusCode: Int { response.status }
    /// Every attempt: redirects, answered challenges and retries included.
    public var exchanges: [Exchange] { attempts.map(\.exchange) }
    /// Fields that came behind the body; nil for none.
    public var trailers: HeaderFields? { attempts.last?.report.trailers }
}

extension TargetResponse: CustomStringConvertible {
    /// Status and size.
    public var description: String { "Status Code: \(statusCode), Data Length: \(data.count)" }
}
